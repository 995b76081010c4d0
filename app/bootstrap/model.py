"""The language model of these settings, where one is set: to write answers, and to make questions stand alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from app.answering.model.endpoint import ModelEndpoint
from app.answering.model.rewriting import ModelRewriter
from app.answering.model.writer import SECONDS, ModelWriter
from app.answering.rewriting import Rewriter, Rewriting
from app.mcp.connecting import http_client
from app.settings.values import Settings

SHARE_OF_TIME = 0.8  # of an answer's time, so that passages can still be quoted in its place


def model_endpoint(settings: Settings, client: httpx.AsyncClient) -> ModelEndpoint:
    """The model that is set, whether or not it answers."""
    key = settings.model_api_key.get_secret_value() if settings.model_api_key else ""
    return ModelEndpoint(client, settings.model_url, settings.model_name, key)


@dataclass(frozen=True, slots=True)
class Writing:
    """Who writes (None: passages are quoted), and who makes questions stand alone."""

    writer: ModelWriter | None
    rewriter: Rewriting


@asynccontextmanager
async def opened_model(settings: Settings) -> AsyncIterator[Writing]:
    """Connections are closed at the end."""
    rules = Rewriter()
    if not settings.model_url:
        yield Writing(None, rules)
        return
    async with http_client() as client:
        endpoint = model_endpoint(settings, client)
        seconds = min(SECONDS, settings.answer_seconds * SHARE_OF_TIME)
        yield Writing(ModelWriter(endpoint, seconds=seconds), ModelRewriter(endpoint, rules))

"""What an operator asks of the installation: each part tried in turn, with real calls. Not how a finding is printed."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import httpx

from app.bootstrap.corpus import open_corpus
from app.bootstrap.model import model_endpoint
from app.bootstrap.remotes import connected
from app.bootstrap.storage import data_folder
from app.domain.errors import (
    AccessRefused,
    AppError,
    MalformedReply,
    ModelError,
    QuotaExceeded,
    SourceTooSlow,
    SourceUnavailable,
    ToolNotOffered,
)
from app.mcp.connecting import http_client
from app.settings.remotes import RemoteSource
from app.settings.values import Settings

TRIED_WITH = "documentation"  # a search that every server of documentation can take
MODEL_SECONDS = 30.0

MENDS: dict[type[AppError], str] = {
    AccessRefused: "The key was refused. Check it, and that the API is enabled in its project.",
    QuotaExceeded: "It answers, but its share is used up for now.",
    SourceTooSlow: "It did not reply in time.",
    SourceUnavailable: "It cannot be reached, or it failed. Check the address, and whether it runs.",
    ToolNotOffered: "It does not offer search_documents. Check whether this is the MCP endpoint of such a server.",
    MalformedReply: "Its reply cannot be read. Check whether this is an MCP endpoint.",
    ModelError: "The model gave no answer. Check address, name and key.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """How one part of the installation is: `detail` says what was seen, or what to mend."""

    name: str
    ok: bool
    detail: str


async def check_neighbours(settings: Settings) -> tuple[Finding, ...]:
    """Try each part in turn; one that fails does not hide the others."""
    findings = [tried("data", lambda: str(data_folder(settings).path))]
    findings += [finding async for finding in _own(settings)]
    async with http_client() as client:
        findings += [await _remote(remote, client) for remote in settings.remotes]
        if settings.model_url:
            findings.append(await _model(settings, client))
    return tuple(findings)


async def _own(settings: Settings) -> AsyncIterator[Finding]:
    """Database and index; an empty index is amiss only where the own documents are asked."""
    try:
        async with open_corpus(settings) as corpus:
            collections = await corpus.source.collections()
            documents = sum(collection.documents or 0 for collection in collections)
            readiness = await corpus.source.readiness()
    except AppError as error:
        yield Finding("database", ok=False, detail=f"{error.code}: {error.detail}")
        return
    yield Finding("database", ok=True, detail="opened, schema up to date")
    if settings.asks_own_documents:
        counted = f"{documents} documents in {len(collections)} collections"
        yield Finding("index", readiness.ready, counted if readiness.ready else "empty: ingest documents")


async def _remote(remote: RemoteSource, client: httpx.AsyncClient) -> Finding:
    """One handshake and one real search: the handshake alone asks for no key."""
    name = f"source {remote.name}"
    try:
        server = connected(remote, client)
        tools = await server.offered()
        found = await server.search_documents(TRIED_WITH)
    except AppError as error:
        return _amiss(name, error)
    composed = "" if "answer_query" in tools else "; no answer_query, so answers are composed here"
    return Finding(name, ok=True, detail=f"a search found {len(found)} parts; it offers {', '.join(tools)}{composed}")


async def _model(settings: Settings, client: httpx.AsyncClient) -> Finding:
    endpoint = model_endpoint(settings, client)
    try:
        said = await endpoint.complete(
            [{"role": "user", "content": "Reply with the one word: ready"}], max_tokens=20, seconds=MODEL_SECONDS
        )
    except AppError as error:
        return _amiss("model", error)
    return Finding("model", ok=True, detail=f"{settings.model_name} replied with {len(said)} characters")


def _amiss(name: str, error: AppError) -> Finding:
    mend = next((MENDS[kind] for kind in type(error).__mro__ if kind in MENDS), "")
    seen = f"{error.code}: {error.detail}" if error.detail else error.code
    return Finding(name, ok=False, detail=f"{mend} ({seen})" if mend else seen)


def tried(name: str, attempt: Callable[[], str]) -> Finding:
    """What came of trying one part: its own words, or the error's code and detail."""
    try:
        return Finding(name, ok=True, detail=attempt())
    except AppError as error:
        return Finding(name, ok=False, detail=f"{error.code}: {error.detail or error}")

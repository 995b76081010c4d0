"""A remote server with all that stands before it, from its settings. Not which servers are asked together."""

from dataclasses import dataclass, replace

import httpx

from app.answering.focusing import FocusedSource
from app.knowledge.breaker import Breaker
from app.knowledge.caching import Cached
from app.knowledge.flight import SingleFlight
from app.knowledge.instrumentation import Instrumented, SourceHealth
from app.knowledge.quota import GOOGLE_LIMITS, UNLIMITED, QuotaGuard, QuotaLimits
from app.knowledge.source import KnowledgeSource
from app.mcp.client import McpSource
from app.settings.remotes import RemoteSource
from app.storage.engine import Database
from app.storage.quota import QuotaDays


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote server, ready to be asked; `health` tells what became of real calls."""

    name: str
    source: KnowledgeSource
    health: SourceHealth
    quota: QuotaGuard


def connected(remote: RemoteSource, client: httpx.AsyncClient) -> McpSource:
    """The server itself. Raises SettingsError where its key cannot be read or sent."""
    return McpSource(
        remote.url,
        collection=remote.name,
        client=client,
        api_key=remote.secret("api_key"),
        token=remote.secret("token"),
    )


def remote_source(remote: RemoteSource, client: httpx.AsyncClient, database: Database) -> Remote:
    """From the inside out: the wire, what is remembered of each call, the quota, the breaker, the cache, one flight.

    So what is cached costs no share, what the breaker refuses costs none either, and of equal calls none slips through
    between the flight's end and the cache.
    """
    calls = Instrumented(connected(remote, client), remote.name)
    quota = QuotaGuard(calls, limits_of(remote), QuotaDays(database, remote.url[:200]))
    breaker = Breaker(quota)
    return Remote(remote.name, FocusedSource(SingleFlight(Cached(breaker))), SourceHealth(calls, breaker), quota)


def limits_of(remote: RemoteSource) -> QuotaLimits:
    """Google's limits at Google's address; else none but the one that is set."""
    limits = GOOGLE_LIMITS if remote.is_google else UNLIMITED
    if remote.answers_a_day is None:
        return limits
    return replace(limits, answers=replace(limits.answers, per_day=remote.answers_a_day))

"""A remote server with all that stands before it, from its settings. Not which servers are asked together."""

import hashlib
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import httpx

from app.answering.focusing import FocusedSource
from app.knowledge.breaker import Breaker
from app.knowledge.caching import Cached
from app.knowledge.flight import SingleFlight
from app.knowledge.instrumentation import Instrumented, SourceHealth
from app.knowledge.quota import GOOGLE_LIMITS, UNLIMITED, QuotaGuard, QuotaLimits
from app.knowledge.scoped import ScopedSource
from app.knowledge.several import DEADLINE
from app.knowledge.source import KnowledgeSource
from app.mcp.client import McpSource
from app.mcp.connecting import USUAL_TIMEOUTS, Timeouts
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


def connected(remote: RemoteSource, client: httpx.AsyncClient, timeouts: Timeouts = USUAL_TIMEOUTS) -> McpSource:
    """The server itself. Raises SettingsError where its key cannot be read or sent."""
    return McpSource(
        remote.url,
        collection=remote.name,
        client=client,
        api_key=remote.secret("api_key"),
        token=remote.secret("token"),
        timeouts=timeouts,
    )


def remote_source(
    remote: RemoteSource, client: httpx.AsyncClient, database: Database, timeouts: Timeouts = USUAL_TIMEOUTS
) -> Remote:
    """From the inside out: the wire, what is remembered of each call, the quota, the breaker, the cache, one flight.

    So what is cached costs no share, what the breaker refuses costs none either, and of equal calls none slips through
    between the flight's end and the cache. What is asked of another collection comes to none of them.
    """
    calls = Instrumented(connected(remote, client, timeouts), remote.name)
    quota = QuotaGuard(calls, limits_of(remote), QuotaDays(database, row_of(remote.url)))
    breaker = Breaker(quota)
    kept = ScopedSource(SingleFlight(Cached(breaker)), remote.name)
    return Remote(remote.name, FocusedSource(kept), SourceHealth(calls, breaker), quota)


def timeouts_within(seconds: float, *, beside_others: bool) -> Timeouts:
    """Timeouts that leave room for the fallback in an answer's time of `seconds`.

    Beside other sources a call ends before it is no longer waited for: else nobody would know that it failed.
    """
    call = min(USUAL_TIMEOUTS.call, seconds / 4)
    return Timeouts(
        connect=USUAL_TIMEOUTS.connect,
        call=min(call, DEADLINE - 1) if beside_others else call,
        answer=min(USUAL_TIMEOUTS.answer, seconds / 2),
    )


def row_of(url: str) -> str:
    """What the server's counts are kept under: its host, and which of that host's addresses, without the address."""
    host = urlsplit(url).hostname or ""
    return f"{host[:150]} {hashlib.sha256(url.encode()).hexdigest()[:16]}"


def limits_of(remote: RemoteSource) -> QuotaLimits:
    """Google's limits at Google's address; else none but the one that is set."""
    limits = GOOGLE_LIMITS if remote.is_google else UNLIMITED
    if remote.answers_a_day is None:
        return limits
    return replace(limits, answers=replace(limits.answers, per_day=remote.answers_a_day))

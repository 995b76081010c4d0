"""What a connection to others is made of: the pooled client, its timeouts, the headers with secrets. No requests."""

from dataclasses import dataclass
from typing import Final

import httpx

from app.domain.errors import SettingsError
from app.mcp.spreading import spread_transport

KEPT_SECONDS = 90.0  # that a connection stays open between two questions


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds. `call` bounds search and fetch, `answer` bounds answer_query, each with all that belongs to it."""

    connect: float = 5.0
    call: float = 30.0
    answer: float = 60.0


USUAL_TIMEOUTS: Final = Timeouts()


def http_client(*, connections: int = 512, proxy: str | None = None) -> httpx.AsyncClient:
    """The one pooled client of a process; whoever makes it closes it.

    It follows no redirect: httpx would take `X-Goog-Api-Key` along to another host. Of the environment it
    reads nothing: a proxy is given here or there is none, and no netrc file adds credentials. Connections stay for
    90 s, so that a next question finds one.
    """
    return httpx.AsyncClient(
        timeout=httpx.Timeout(30.0, connect=5.0),
        transport=spread_transport(connections, KEPT_SECONDS, proxy),
        follow_redirects=False,
        trust_env=False,
    )


def secret_headers(api_key: str | None, token: str | None) -> dict[str, str]:
    """Raises SettingsError where one cannot stand in a header; httpx's own error would show it."""
    found = {}
    for name, secret, header, before in (
        ("api_key", api_key, "X-Goog-Api-Key", ""),
        ("token", token, "Authorization", "Bearer "),
    ):
        if not secret:
            continue
        if not secret.isascii() or not secret.isprintable() or secret != secret.strip():
            raise SettingsError(name, "holds what cannot stand in a header.", "Give it as it was issued, on one line.")
        found[header] = before + secret
    return found

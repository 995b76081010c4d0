"""A program's way in: a token, what it allows and until when. Not its secret, which nobody keeps."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TokenScope(StrEnum):
    """What a token opens: asking, searching and reading, or all tools of our MCP endpoint."""

    ASK = "ask"
    SEARCH = "search"
    MCP = "mcp"


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token. `owner` is the user that it acts as; `beginning` its first characters, to tell it by.

    Times are in UTC. `used_at` is right to the minute.
    """

    id: str
    name: str
    owner: str
    beginning: str
    scopes: frozenset[TokenScope]
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
    revoked_at: datetime | None = None

    def opens(self, now: datetime) -> bool:
        """Whether it is neither expired nor revoked."""
        return self.revoked_at is None and now < self.expires_at

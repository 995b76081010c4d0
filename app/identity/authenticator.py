"""The seam of identity: what a request brings in, a user out. Not where sessions are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.domain.tokens import Token
from app.domain.users import User


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request says of its sender. `peer` is the socket's address, or None (a Unix socket).

    Headers are pairs with lower-case names, repeated where they came repeated: a doubled identity header is a forgery.
    """

    peer: str | None
    headers: Sequence[tuple[str, str]]
    cookies: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Admission:
    """A user, and the cookie to set when the user is new or the cookie was renewed (name, value); else None.

    `token`: the one that was brought instead of a cookie; it limits what may be done.
    """

    user: User
    cookie: tuple[str, str] | None = None
    token: Token | None = None


class Authenticator(Protocol):
    async def authenticate(self, credentials: Credentials) -> Admission:
        """Who asks. Raises SignOnRequired where nobody may ask unknown, and TokenInvalid."""
        ...

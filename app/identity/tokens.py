"""Tokens for programs: made, checked, revoked; and the authenticator that takes them. Not where they are kept.

A token is `fn_` and 256 random bits. Only its SHA-256 is kept: 256 bits cannot be guessed, so no slow hash is needed.
It is read from `Authorization: Bearer` and from nowhere else; one that is sent and not good is refused, never ignored.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

import structlog

from app.domain.errors import StorageError, TokenInvalid
from app.domain.tokens import Token, TokenScope
from app.domain.users import User
from app.identity.authenticator import Admission, Authenticator, Credentials

PREFIX: Final = "fn_"
BEGINNING: Final = 7  # characters that a list may show: the prefix and four of forty-three
USED_EVERY: Final = timedelta(minutes=1)  # the time of the last use is written no more often

_FORM = re.compile(r"fn_[A-Za-z0-9_-]{43}")

log = structlog.get_logger(__name__)


class TokenStore(Protocol):
    """Where tokens are kept, each beside the SHA-256 of its secret."""

    async def add(self, token: Token, digest: bytes) -> None: ...

    async def by_digest(self, digest: bytes) -> tuple[Token, bytes] | None: ...

    async def all(self) -> tuple[Token, ...]:
        """The oldest first."""
        ...

    async def revoke(self, token_id: str, at: datetime) -> bool:
        """Whether there is such a token; one that was revoked before keeps its time."""
        ...

    async def used(self, token_id: str, at: datetime) -> None: ...


def _now() -> datetime:
    return datetime.now(UTC)


class Tokens:
    """What an operator does with tokens, and what a request's secret is worth."""

    def __init__(self, store: TokenStore, now: Callable[[], datetime] = _now) -> None:
        self._store = store
        self._now = now

    async def create(self, name: str, scopes: Iterable[TokenScope], *, days: int, owner: str = "") -> tuple[Token, str]:
        """A new token and its secret, which is told this once. Without `owner` it acts as a user of its own."""
        secret = PREFIX + secrets.token_urlsafe(32)
        token_id, now = secrets.token_hex(8), self._now()
        token = Token(
            id=token_id,
            name=name,
            owner=owner or f"token-{token_id}",
            beginning=secret[:BEGINNING],
            scopes=frozenset(scopes),
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
        await self._store.add(token, _digest(secret))
        return token, secret

    async def all(self) -> tuple[Token, ...]:
        """Every token, the oldest first; expired and revoked ones, too."""
        return await self._store.all()

    async def revoke(self, token_id: str) -> bool:
        """From now on it opens nothing. False where there is no such token."""
        return await self._store.revoke(token_id, self._now())

    async def checked(self, secret: str) -> Token:
        """The token of this secret. Raises TokenInvalid where it is unknown, expired or revoked."""
        if not _FORM.fullmatch(secret):
            raise TokenInvalid("not of a token's form")
        digest, now = _digest(secret), self._now()
        found = await self._store.by_digest(digest)
        if found is None or not hmac.compare_digest(found[1], digest):
            raise TokenInvalid("unknown")
        token = found[0]
        if not token.opens(now):
            raise TokenInvalid(f"{token.id} is {'revoked' if token.revoked_at else 'expired'}")
        if token.used_at is None or now - token.used_at >= USED_EVERY:
            try:
                await self._store.used(token.id, now)
            except StorageError as error:  # it is worth knowing, and not worth refusing anybody
                log.warning("a token's use is not noted", token=token.id, code=error.code)
            token = replace(token, used_at=now)
        return token


class TokenAuthenticator:
    """Whoever brings a token is who it acts as; whoever brings none is asked by `inner`."""

    def __init__(self, inner: Authenticator, tokens: Tokens) -> None:
        self._inner = inner
        self._tokens = tokens

    async def authenticate(self, credentials: Credentials) -> Admission:
        """Raises TokenInvalid, and what `inner` raises. A token sets no cookie."""
        secret = _bearer(credentials)
        if secret is None:
            return await self._inner.authenticate(credentials)
        token = await self._tokens.checked(secret)
        return Admission(User(id=token.owner, name=token.name, anonymous=False), token=token)


def _bearer(credentials: Credentials) -> str | None:
    """The secret of the one Authorization header; None where no bearer token was sent (a proxy's Basic is none)."""
    sent = [value.strip() for name, value in credentials.headers if name == "authorization"]
    bearers = [value for value in sent if value.lower().split(maxsplit=1)[:1] == ["bearer"]]
    if not bearers:
        return None
    if len(sent) > 1:
        raise TokenInvalid("more than one Authorization header")
    return bearers[0][len("bearer") :].strip()


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("ascii")).digest()

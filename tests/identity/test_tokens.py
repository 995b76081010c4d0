"""Tokens as a program presents them: what opens, what is refused, and what nobody learns."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import structlog

from app.domain.errors import StorageReadOnly, TokenInvalid
from app.domain.tokens import Token, TokenScope
from app.identity.anonymous import COOKIE, AnonymousReaders
from app.identity.authenticator import Credentials
from app.identity.tokens import BEGINNING, TokenAuthenticator, Tokens

FAR = "203.0.113.9"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class Kept:
    """A store that can be looked into, and that can fail to write."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[Token, bytes]] = {}
        self.uses: list[tuple[str, datetime]] = []
        self.read_only = False

    async def add(self, token: Token, digest: bytes) -> None:
        self.rows[token.id] = (token, digest)

    async def by_digest(self, digest: bytes) -> tuple[Token, bytes] | None:
        return next((row for row in self.rows.values() if row[1] == digest), None)

    async def all(self) -> tuple[Token, ...]:
        return tuple(token for token, _ in self.rows.values())

    async def revoke(self, token_id: str, at: datetime) -> bool:
        if token_id not in self.rows:
            return False
        token, digest = self.rows[token_id]
        self.rows[token_id] = (replace(token, revoked_at=token.revoked_at or at), digest)
        return True

    async def used(self, token_id: str, at: datetime) -> None:
        if self.read_only:
            raise StorageReadOnly("the file")
        self.uses.append((token_id, at))
        token, digest = self.rows[token_id]
        self.rows[token_id] = (replace(token, used_at=at), digest)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def tokens(kept: Kept, clock: Clock) -> Tokens:
    return Tokens(kept, clock)


@pytest.fixture
def authenticator(tokens: Tokens) -> TokenAuthenticator:
    return TokenAuthenticator(AnonymousReaders("s" * 40, operator_on_loopback=True, secure=False), tokens)


def sent(*authorizations: str, **more: str) -> Credentials:
    headers = [("host", "ask.example"), *(("authorization", each) for each in authorizations), *more.items()]
    return Credentials(FAR, headers, {})


async def made(tokens: Tokens, *scopes: TokenScope, days: int = 90, owner: str = "") -> tuple[Token, str]:
    return await tokens.create("editor", scopes or tuple(TokenScope), days=days, owner=owner)


async def test_a_token_admits_as_its_owner_and_sets_no_cookie(
    tokens: Tokens, authenticator: TokenAuthenticator
) -> None:
    token, secret = await made(tokens, TokenScope.ASK, owner="ada@example.com")
    admission = await authenticator.authenticate(sent(f"Bearer {secret}"))
    assert (admission.user.id, admission.user.anonymous) == ("ada@example.com", False)
    assert admission.cookie is None
    assert admission.token is not None
    assert admission.token.scopes == {TokenScope.ASK}
    assert admission.token.id == token.id


async def test_without_an_owner_each_token_is_a_user_of_its_own(tokens: Tokens) -> None:
    owners = {(await made(tokens))[0].owner for _ in range(20)}
    assert len(owners) == 20
    assert all(len(owner) <= 64 and owner.isascii() for owner in owners)


async def test_a_secret_has_256_bits_and_is_kept_nowhere(tokens: Tokens, kept: Kept) -> None:
    secrets = {(await made(tokens))[1] for _ in range(50)}
    assert len(secrets) == 50
    stored = repr(kept.rows)
    for secret in secrets:
        assert secret.startswith("fn_")
        assert len(secret) == 3 + 43  # base64 of 32 bytes
        assert secret not in stored
        assert secret[BEGINNING:] not in stored
    assert {len(digest) for _, digest in kept.rows.values()} == {32}


@pytest.mark.parametrize(
    "garbled",
    [
        "Bearer",
        "Bearer ",
        "Bearer x",
        "bearer fn_",
        "Bearer fn_" + "A" * 43,
        "Bearer fn_" + "A" * 42,
        "Bearer fn_" + "ü" * 43,
        "Bearer " + "A" * 100_000,
        "Bearer fn_" + "A" * 43 + " fn_" + "B" * 43,
        "Bearer null",
        "BEARER eyJhbGciOiJub25lIn0.e30.",
    ],
)
async def test_what_is_no_token_of_ours_is_refused_and_never_a_guest(
    authenticator: TokenAuthenticator, garbled: str
) -> None:
    with pytest.raises(TokenInvalid):
        await authenticator.authenticate(sent(garbled))


async def test_every_change_of_a_secret_makes_it_invalid(tokens: Tokens, authenticator: TokenAuthenticator) -> None:
    _, secret = await made(tokens)
    for place, sign in enumerate(secret):
        changed = secret[:place] + ("0" if sign != "0" else "1") + secret[place + 1 :]
        with pytest.raises(TokenInvalid):
            await authenticator.authenticate(sent(f"Bearer {changed}"))


async def test_a_token_opens_until_it_expires_and_not_a_moment_longer(
    tokens: Tokens, authenticator: TokenAuthenticator, clock: Clock
) -> None:
    _, secret = await made(tokens, days=1)
    clock.now += timedelta(days=1) - timedelta(seconds=1)
    assert (await authenticator.authenticate(sent(f"Bearer {secret}"))).token is not None
    clock.now += timedelta(seconds=1)
    with pytest.raises(TokenInvalid):
        await authenticator.authenticate(sent(f"Bearer {secret}"))


async def test_a_revoked_token_opens_nothing_from_the_next_request_on(
    tokens: Tokens, authenticator: TokenAuthenticator
) -> None:
    token, secret = await made(tokens)
    _, other = await made(tokens)
    assert await tokens.revoke(token.id)
    with pytest.raises(TokenInvalid):
        await authenticator.authenticate(sent(f"Bearer {secret}"))
    assert (await authenticator.authenticate(sent(f"Bearer {other}"))).token is not None
    assert not await tokens.revoke("unknown")


async def test_two_headers_are_refused_even_where_one_of_them_is_good(
    tokens: Tokens, authenticator: TokenAuthenticator
) -> None:
    _, secret = await made(tokens)
    for both in (
        (f"Bearer {secret}", f"Bearer {secret}"),
        ("Basic eDp5", f"Bearer {secret}"),
        (f"Bearer {secret}", ""),
    ):
        with pytest.raises(TokenInvalid):
            await authenticator.authenticate(sent(*both))


async def test_a_secret_elsewhere_than_in_its_header_opens_nothing(
    tokens: Tokens, authenticator: TokenAuthenticator
) -> None:
    token, secret = await made(tokens, owner="ada")
    for elsewhere in (
        sent(**{"x-api-key": secret}),
        sent(cookie=f"{COOKIE}={secret}"),
        sent(secret),
        sent(f"Basic {secret}"),
    ):
        admission = await authenticator.authenticate(elsewhere)
        assert admission.token is None
        assert admission.user.id != token.owner


async def test_without_a_token_the_other_authenticator_decides(authenticator: TokenAuthenticator) -> None:
    admission = await authenticator.authenticate(sent())
    assert admission.user.anonymous
    assert admission.cookie is not None


async def test_the_last_use_is_written_once_a_minute_at_most(
    tokens: Tokens, authenticator: TokenAuthenticator, kept: Kept, clock: Clock
) -> None:
    _, secret = await made(tokens)
    for _ in range(120):  # one a second, for two minutes
        await authenticator.authenticate(sent(f"Bearer {secret}"))
        clock.now += timedelta(seconds=1)
    assert len(kept.uses) == 2


async def test_a_database_that_takes_no_more_refuses_nobody(
    tokens: Tokens, authenticator: TokenAuthenticator, kept: Kept
) -> None:
    _, secret = await made(tokens)
    kept.read_only = True
    with structlog.testing.capture_logs() as logs:
        admission = await authenticator.authenticate(sent(f"Bearer {secret}"))
    assert admission.token is not None
    assert [entry["code"] for entry in logs] == ["storage_read_only"]
    assert secret[BEGINNING:] not in repr(logs)


async def test_an_error_tells_nothing_of_the_secret(tokens: Tokens, authenticator: TokenAuthenticator) -> None:
    token, secret = await made(tokens)
    await tokens.revoke(token.id)
    for tried in (secret, secret[:-1], "fn_" + "A" * 43):
        with pytest.raises(TokenInvalid) as error:
            await authenticator.authenticate(sent(f"Bearer {tried}"))
        assert tried not in f"{error.value} {error.value.detail} {error.value!r}"
        assert tried[BEGINNING:] not in error.value.detail

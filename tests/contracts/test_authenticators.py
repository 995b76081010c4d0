"""What every authenticator must do alike, whatever it reads of a request."""

import asyncio
from collections.abc import Callable
from datetime import datetime

import pytest

from app.domain.tokens import Token
from app.domain.users import Role
from app.identity.anonymous import AnonymousReaders
from app.identity.authenticator import Admission, Authenticator, Credentials
from app.identity.tokens import TokenAuthenticator, Tokens

FAR = "203.0.113.9"  # a documentation address
Make = Callable[[], Authenticator]


def anonymous_readers() -> Authenticator:
    return AnonymousReaders("a secret of forty characters, give or take", operator_on_loopback=True, secure=True)


class NoTokens:
    """A store of tokens in which there are none."""

    async def add(self, token: Token, digest: bytes) -> None:
        raise AssertionError("nobody makes a token here")

    async def by_digest(self, digest: bytes) -> tuple[Token, bytes] | None:
        return None

    async def all(self) -> tuple[Token, ...]:
        return ()

    async def revoke(self, token_id: str, at: datetime) -> bool:
        return False

    async def used(self, token_id: str, at: datetime) -> None:
        raise AssertionError("no token is good here")


def with_tokens() -> Authenticator:
    return TokenAuthenticator(anonymous_readers(), Tokens(NoTokens()))


@pytest.fixture(params=[anonymous_readers, with_tokens])
def authenticator(request: pytest.FixtureRequest) -> Authenticator:
    make: Make = request.param
    return make()


def asked_with(admission: Admission) -> Credentials:
    """The next request of somebody who was admitted so."""
    name, value = admission.cookie or ("", "")
    return Credentials(FAR, [("host", "ask.example"), ("cookie", f"{name}={value}")], {name: value})


UNKNOWN = Credentials(FAR, [("host", "ask.example")], {})


async def test_who_comes_back_is_the_same_user(authenticator: Authenticator) -> None:
    first = await authenticator.authenticate(UNKNOWN)
    again = await authenticator.authenticate(asked_with(first))
    assert again.user == first.user


async def test_two_who_are_unknown_are_never_one(authenticator: Authenticator) -> None:
    admissions = await asyncio.gather(*(authenticator.authenticate(UNKNOWN) for _ in range(50)))
    assert len({admission.user.id for admission in admissions}) == 50


async def test_nobody_becomes_operator_by_coming_first(authenticator: Authenticator) -> None:
    admissions = await asyncio.gather(*(authenticator.authenticate(UNKNOWN) for _ in range(50)))
    assert {admission.user.role for admission in admissions} == {Role.READER}


async def test_no_header_of_the_sender_makes_an_operator_or_another_user(authenticator: Authenticator) -> None:
    claims = [
        (name, "operator@example.com")
        for name in ("remote-user", "x-forwarded-user", "x-auth-request-email", "x-forwarded-for", "x_forwarded_user")
    ]
    known = asked_with(await authenticator.authenticate(UNKNOWN))
    admission = await authenticator.authenticate(Credentials(FAR, [*known.headers, *claims], known.cookies))
    assert admission.user.role is Role.READER
    assert admission.user.id == (await authenticator.authenticate(known)).user.id


async def test_ids_fit_every_database_and_log(authenticator: Authenticator) -> None:
    identity = (await authenticator.authenticate(UNKNOWN)).user.id
    assert 0 < len(identity) <= 64
    assert identity.isascii()
    assert identity.isprintable()

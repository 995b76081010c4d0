"""Tokens in the database, SQLite and PostgreSQL alike."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from app.domain.tokens import Token, TokenScope
from app.storage.engine import Database
from app.storage.tables import tokens as table
from app.storage.tokens import StoredTokens
from tests.support.postgres import cluster

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'footnote.sqlite3'}"
    else:
        with cluster().database() as address:
            yield address


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = await Database.open(url)
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database) -> StoredTokens:
    return StoredTokens(database)


def token(token_id: str = "a1", created_at: datetime = NOW, **given: object) -> Token:
    scopes = frozenset({TokenScope.ASK, TokenScope.MCP})
    return Token(token_id, "My editor 🙂", "ada", "fn_abcd", scopes, created_at, NOW + timedelta(days=90), **given)  # type: ignore[arg-type]


def digest(number: int = 1) -> bytes:
    return bytes([number]) * 32


async def test_a_token_is_found_by_its_digest_and_by_nothing_else(store: StoredTokens) -> None:
    await store.add(token(), digest())
    assert await store.by_digest(digest()) == (token(), digest())
    assert await store.by_digest(digest(2)) is None
    assert await store.by_digest(b"") is None


async def test_the_oldest_token_comes_first(store: StoredTokens) -> None:
    later = token("b2", NOW + timedelta(hours=1))
    await store.add(later, digest(2))
    await store.add(token(), digest(1))
    assert await store.all() == (token(), later)


async def test_one_digest_has_one_token(store: StoredTokens) -> None:
    await store.add(token(), digest())
    with pytest.raises(IntegrityError):
        await store.add(token("b2"), digest())


async def test_a_revoked_token_keeps_the_time_of_its_first_revocation(store: StoredTokens) -> None:
    await store.add(token(), digest(1))
    await store.add(token("b2", NOW + timedelta(hours=1)), digest(2))
    assert await store.revoke("a1", NOW)
    assert await store.revoke("a1", NOW + timedelta(days=1))
    assert not await store.revoke("none", NOW)
    first, second = await store.all()
    assert first.revoked_at == NOW
    assert second.revoked_at is None


async def test_the_last_use_never_goes_back(store: StoredTokens) -> None:
    await store.add(token(), digest())
    for at in (NOW + timedelta(minutes=5), NOW):
        await store.used("a1", at)
    found = await store.by_digest(digest())
    assert found is not None
    assert found[0].used_at == NOW + timedelta(minutes=5)


async def test_a_scope_of_a_newer_version_opens_nothing_here(store: StoredTokens, database: Database) -> None:
    await store.add(token(), digest())
    async with database.writing() as connection:
        await connection.execute(update(table).values(scopes=["ask", "administration"]))
    found = await store.by_digest(digest())
    assert found is not None
    assert found[0].scopes == {TokenScope.ASK}

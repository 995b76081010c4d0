"""Tokens as rows, each found by the SHA-256 of its secret. Not what a token is worth."""

from datetime import datetime

from sqlalchemy import Row, insert, select, update

from app.domain.errors import StorageCorrupt
from app.domain.tokens import Token, TokenScope
from app.storage.encoding import as_utc, writable
from app.storage.engine import Database
from app.storage.tables import tokens


class StoredTokens:
    """All reading and writing of tokens."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, token: Token, digest: bytes) -> None:
        """Keep a new token."""
        async with self._database.writing() as connection:
            await connection.execute(
                insert(tokens).values(
                    id=token.id,
                    name=writable(token.name),
                    owner=writable(token.owner),
                    beginning=token.beginning,
                    digest=digest,
                    scopes=sorted(token.scopes),
                    created_at=token.created_at,
                    expires_at=token.expires_at,
                )
            )

    async def by_digest(self, digest: bytes) -> tuple[Token, bytes] | None:
        """The token with this digest, and the digest as it is kept."""
        async with self._database.reading() as connection:
            found = (await connection.execute(select(tokens).where(tokens.c.digest == digest))).one_or_none()
        return None if found is None else (_token(found), bytes(found.digest))

    async def all(self) -> tuple[Token, ...]:
        """The oldest first."""
        async with self._database.reading() as connection:
            query = select(tokens).order_by(tokens.c.created_at, tokens.c.id)
            return tuple(_token(row) for row in await connection.execute(query))

    async def revoke(self, token_id: str, at: datetime) -> bool:
        """Whether there is such a token; one that was revoked before keeps its time."""
        async with self._database.writing() as connection:
            await connection.execute(
                update(tokens).where(tokens.c.id == token_id, tokens.c.revoked_at.is_(None)).values(revoked_at=at)
            )
            return await connection.scalar(select(tokens.c.id).where(tokens.c.id == token_id)) is not None

    async def used(self, token_id: str, at: datetime) -> None:
        """Note when it was last used; a later time stays."""
        async with self._database.writing() as connection:
            await connection.execute(
                update(tokens)
                .where(tokens.c.id == token_id, tokens.c.used_at.is_(None) | (tokens.c.used_at < at))
                .values(used_at=at)
            )


def _token(row: Row[tuple[object, ...]]) -> Token:
    known = frozenset(TokenScope)
    if not isinstance(row.scopes, list):
        raise StorageCorrupt(f"the scopes of token {row.id} are no list")
    return Token(
        id=row.id,
        name=row.name,
        owner=row.owner,
        beginning=row.beginning,
        scopes=frozenset(scope for scope in known if scope in row.scopes),  # a newer version's are left out
        created_at=as_utc(row.created_at),
        expires_at=as_utc(row.expires_at),
        used_at=as_utc(row.used_at) if row.used_at else None,
        revoked_at=as_utc(row.revoked_at) if row.revoked_at else None,
    )

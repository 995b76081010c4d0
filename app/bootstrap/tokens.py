"""The tokens of these settings' database, opened for the command line. Not what is done with them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.bootstrap.storage import opened_database
from app.identity.tokens import Tokens
from app.settings.values import Settings
from app.storage.tokens import StoredTokens


@asynccontextmanager
async def open_tokens(settings: Settings) -> AsyncIterator[Tokens]:
    """Tokens over the database, which is closed at the end."""
    async with opened_database(settings) as database:
        yield Tokens(StoredTokens(database))

"""The data folder and the database of these settings. Not what is kept there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.settings.values import Settings
from app.storage.engine import Database
from app.storage.folder import DataFolder


def data_folder(settings: Settings) -> DataFolder:
    """The data folder, there and writable; raises StorageReadOnly, StorageFull or StorageUnavailable."""
    made = DataFolder(settings.data)
    made.prepare()
    return made


@asynccontextmanager
async def opened_database(settings: Settings) -> AsyncIterator[Database]:
    """The database, at its newest schema; closed at the end."""
    database = await Database.open(settings.database)
    try:
        yield database
    finally:
        await database.close()


async def migrate_database(settings: Settings) -> None:
    """Bring the schema up to date; opening does it."""
    async with opened_database(settings):
        pass

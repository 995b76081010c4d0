"""How many documents and chunks are live, and under which keys: what an index is compared with. Not their words."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence

from sqlalchemy import func, select

from app.storage.engine import Database
from app.storage.states import IN_ONE_STATEMENT, LIVE, STAGED
from app.storage.tables import chunks, documents

KEYS_AT_ONCE = 500  # documents


class Census:
    """Counts and keys, each of one state of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def counts(self, *, staged: bool = False, without: Collection[int] = ()) -> tuple[int, int]:
        """Live documents and their chunks; with `staged` those, too; less the documents of the keys `without`."""
        states = (LIVE, STAGED) if staged else (LIVE,)
        counted = select(func.count()).select_from(documents).where(documents.c.state.in_(states))
        of_chunks = (
            select(func.count())
            .select_from(chunks)
            .join(documents, documents.c.id == chunks.c.document_id)
            .where(documents.c.state.in_(states))
        )
        less = sorted(without)
        async with self._database.reading() as connection:
            found = int(await connection.scalar(counted) or 0), int(await connection.scalar(of_chunks) or 0)
            for at in range(0, len(less), IN_ONE_STATEMENT):
                some = documents.c.id.in_(less[at : at + IN_ONE_STATEMENT])
                fewer = int(await connection.scalar(counted.where(some)) or 0)
                fewer_chunks = int(await connection.scalar(of_chunks.where(some)) or 0)
                found = found[0] - fewer, found[1] - fewer_chunks
        return found

    async def live_keys(self) -> AsyncIterator[Mapping[int, Sequence[int]]]:
        """The chunks' keys of all live documents by document, in batches that follow each other."""
        after = 0
        while True:
            some = select(documents.c.id).where(documents.c.state == LIVE, documents.c.id > after)
            async with self._database.reading() as connection:
                held = (await connection.scalars(some.order_by(documents.c.id).limit(KEYS_AT_ONCE))).all()
                if not held:
                    return
                found: dict[int, list[int]] = {key: [] for key in held}
                theirs = select(chunks.c.document_id, chunks.c.id).where(chunks.c.document_id.in_(held))
                for document, chunk in await connection.execute(theirs):
                    found[document].append(chunk)
            yield found
            after = held[-1]

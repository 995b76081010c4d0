"""Documents and their chunks in the database: staged beside the live ones, then made live at once. Not the index."""

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from collections.abc import Collection as Names
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from sqlalchemy import Row, Select, Table, and_, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.domain.documents import Collection, Document
from app.storage.census import Census
from app.storage.engine import Database
from app.storage.states import IN_ONE_STATEMENT, LIVE, REMOVED, STAGED
from app.storage.tables import chunks, collections, documents, facts

FIRST_GENERATION = 1_000_000_000  # counted up from a random number, so that another database's index never fits
REBUILD_BATCH = 200  # documents held in memory at once while an index is rebuilt


@dataclass(frozen=True, slots=True)
class Slice:
    """Where a chunk lies in its document: `content[start:end]`, behind `lead`, below `headings`."""

    start: int
    end: int
    headings: tuple[str, ...] = ()
    lead: str = ""


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document as it was read, with its chunks in reading order; `digest` tells whether it must be read again."""

    document: Document
    origin: str
    digest: bytes
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document with its key, and the keys of its chunks in the order of `slices`."""

    id: int
    document: Document
    slices: tuple[Slice, ...]
    chunk_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What is live, as an ingest needs to know it."""

    id: int
    name: str
    origin: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with what a reader needs of its document; `text` is the slice without its lead."""

    id: int
    document_id: int
    position: int
    text: str
    slice: Slice
    name: str
    uri: str
    title: str
    collection: str
    language: str


class DocumentStore:
    """All reading and writing of documents. `census` counts them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.census = Census(database)

    async def collections(self) -> tuple[Collection, ...]:
        """Collections that hold live documents, by name, with their counts."""
        documents_of = (
            select(documents.c.collection, func.count().label("documents"))
            .where(documents.c.state == LIVE)
            .group_by(documents.c.collection)
            .subquery()
        )
        chunks_of = (
            select(documents.c.collection, func.count().label("chunks"))
            .join(chunks, chunks.c.document_id == documents.c.id)
            .where(documents.c.state == LIVE)
            .group_by(documents.c.collection)
            .subquery()
        )
        query = (
            select(documents_of.c.collection, documents_of.c.documents, func.coalesce(chunks_of.c.chunks, 0))
            .outerjoin(chunks_of, chunks_of.c.collection == documents_of.c.collection)
            .order_by(documents_of.c.collection)
        )
        async with self._database.reading() as connection:
            return tuple(Collection(*row) for row in await connection.execute(query))

    async def generation(self) -> int:
        """Counts up with each ingest that goes live; 0 before the first."""
        async with self._database.reading() as connection:
            return await _generation(connection)

    async def document(self, name: str) -> Document | None:
        """The live document of that name."""
        return (await self.documents((name,))).get(name)

    async def documents(self, names: Names[str]) -> Mapping[str, Document]:
        """The live documents of those names; unknown ones are missing."""
        query = _whole_documents().where(documents.c.state == LIVE, documents.c.name.in_(names))
        async with self._database.reading() as connection:
            return {row.name: _document(row) for row in await connection.execute(query)}

    async def chunks(self, ids: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Chunks by their keys. A reader may still hold the former index: what it finds counts as long as the live
        document of that name has the very same words in the very same place.
        """
        now = documents.alias("now")
        length = chunks.c.end - chunks.c.start
        text = func.substr(documents.c.content, chunks.c.start + 1, length)
        unmoved = and_(now.c.state == LIVE, text == func.substr(now.c.content, chunks.c.start + 1, length))
        query = (
            select(
                chunks,
                text.label("text"),
                documents.c.name,
                documents.c.uri,
                documents.c.title,
                documents.c.collection,
                documents.c.language,
            )
            .join(documents, documents.c.id == chunks.c.document_id)
            .where(
                chunks.c.id.in_(ids),
                or_(
                    documents.c.state == LIVE,
                    and_(
                        documents.c.state == REMOVED,
                        select(now.c.id).where(now.c.name == documents.c.name, unmoved).exists(),
                    ),
                ),
            )
        )
        async with self._database.reading() as connection:
            return {row.id: _chunk(row) for row in await connection.execute(query)}

    async def live(self) -> AsyncIterator[Sequence[StoredDocument]]:
        """All live documents in batches, each batch of one state of the database."""
        after = 0
        while True:
            async with self._database.reading() as connection:
                query = _whole_documents().where(documents.c.state == LIVE, documents.c.id > after)
                rows = (await connection.execute(query.order_by(documents.c.id).limit(REBUILD_BATCH))).all()
                if not rows:
                    return
                batch = await _with_chunks(connection, rows)
            yield batch
            after = rows[-1].id

    # --- ingest ------------------------------------------------------------------------------------------------------

    async def known(self, collection: str) -> tuple[Known, ...]:
        """What is live in a collection."""
        query = select(documents.c.id, documents.c.name, documents.c.origin, documents.c.digest).where(
            documents.c.state == LIVE, documents.c.collection == collection
        )
        async with self._database.reading() as connection:
            rows = await connection.execute(query)
            return tuple(Known(row.id, row.name, row.origin, bytes(row.digest)) for row in rows)

    async def held_elsewhere(self, names: Sequence[str], collection: str) -> Mapping[str, str]:
        """Of these names those that are live in another collection, and in which."""
        found: dict[str, str] = {}
        async with self._database.reading() as connection:
            for at in range(0, len(names), IN_ONE_STATEMENT):
                query = select(documents.c.name, documents.c.collection).where(
                    documents.c.state == LIVE,
                    documents.c.collection != collection,
                    documents.c.name.in_(names[at : at + IN_ONE_STATEMENT]),
                )
                found.update({row.name: row.collection for row in await connection.execute(query)})
        return found

    async def purge(self, *, removed: bool) -> None:
        """Forget what a killed ingest staged and, if `removed`, what the last one removed; in short transactions."""
        states = (STAGED, REMOVED) if removed else (STAGED,)
        some = select(documents.c.id).where(documents.c.state.in_(states)).limit(IN_ONE_STATEMENT)
        while True:
            async with self._database.writing() as connection:
                gone = (await connection.scalars(some)).all()
                if not gone:
                    return
                await connection.execute(delete(chunks).where(chunks.c.document_id.in_(gone)))
                await connection.execute(delete(documents).where(documents.c.id.in_(gone)))

    async def stage(self, new: Sequence[NewDocument]) -> tuple[StoredDocument, ...]:
        """Write documents that nobody sees yet; one short transaction."""
        if not new:
            return ()
        async with self._database.writing() as connection:
            await _make_collections(connection, {each.document.collection for each in new})
            generation = await _generation(connection) + 1
            return await _staged(connection, new, generation)

    async def publish(self, collection: str, removed: Sequence[str]) -> int:
        """Make all staged documents live, in place of those of the same names, and remove `removed` (names).

        Answers the new generation. One short transaction: readers see the former state or the new one.
        """
        now = datetime.now(UTC)
        staged_names = select(documents.c.name).where(documents.c.state == STAGED)
        replaced = update(documents).where(documents.c.state == LIVE).values(state=REMOVED)
        async with self._database.writing() as connection:
            await connection.execute(replaced.where(documents.c.name.in_(staged_names)))
            for at in range(0, len(removed), IN_ONE_STATEMENT):
                await connection.execute(
                    replaced.where(
                        documents.c.collection == collection,
                        documents.c.name.in_(removed[at : at + IN_ONE_STATEMENT]),
                    )
                )
            await connection.execute(update(documents).where(documents.c.state == STAGED).values(state=LIVE))
            await connection.execute(update(collections).where(collections.c.name == collection).values(updated_at=now))
            generation = (await _generation(connection) or secrets.randbelow(FIRST_GENERATION)) + 1
            await connection.execute(delete(facts).where(facts.c.key == "generation"))
            await connection.execute(insert(facts).values(key="generation", value=generation))
            return generation


async def _make_collections(connection: AsyncConnection, names: set[str]) -> None:
    now = datetime.now(UTC)
    present = set(await connection.scalars(select(collections.c.name).where(collections.c.name.in_(names))))
    for name in sorted(names - present):
        await connection.execute(insert(collections).values(name=name, created_at=now, updated_at=now))


async def _generation(connection: AsyncConnection) -> int:
    value = await connection.scalar(select(facts.c.value).where(facts.c.key == "generation"))
    return int(value or 0)


async def _staged(
    connection: AsyncConnection, new: Sequence[NewDocument], generation: int
) -> tuple[StoredDocument, ...]:
    now = datetime.now(UTC)
    keys = await _fresh_keys(connection, documents, len(new))
    rows = [
        {
            "id": key,
            "name": each.document.name,
            "uri": each.document.uri,
            "collection": each.document.collection,
            "state": STAGED,
            "generation": generation,
            "title": each.document.title,
            "description": each.document.description,
            "language": each.document.language,
            "product": each.document.product,
            "version": each.document.version,
            "content": each.document.content,
            "origin": each.origin,
            "digest": each.digest,
            "updated_at": now,
        }
        for key, each in zip(keys, new, strict=True)
    ]
    await connection.execute(insert(documents), rows)
    chunk_keys = await _fresh_keys(connection, chunks, sum(len(each.slices) for each in new))
    next_key = iter(chunk_keys)
    parts = [
        {
            "id": next(next_key),
            "document_id": key,
            "position": position,
            "start": slice_.start,
            "end": slice_.end,
            "headings": list(slice_.headings),
            "lead": slice_.lead,
        }
        for key, each in zip(keys, new, strict=True)
        for position, slice_ in enumerate(each.slices)
    ]
    if parts:
        await connection.execute(insert(chunks), parts)
    next_key = iter(chunk_keys)
    return tuple(
        StoredDocument(key, each.document, each.slices, tuple(islice(next_key, len(each.slices))))
        for key, each in zip(keys, new, strict=True)
    )


async def _fresh_keys(connection: AsyncConnection, table: Table, count: int) -> Sequence[int]:
    """Keys for rows to be inserted. Asked for beforehand: SQLite tells those of inserted rows one by one only."""
    if connection.dialect.name == "sqlite":  # it has one writer, and that is us until the transaction ends
        last = await connection.scalar(select(func.coalesce(func.max(table.c.id), 0))) or 0
        return range(last + 1, last + 1 + count)
    sequence = func.pg_get_serial_sequence(table.name, table.c.id.name)
    drawn = select(func.nextval(sequence)).select_from(func.generate_series(1, count))
    return sorted((await connection.scalars(drawn)).all())


async def _with_chunks(
    connection: AsyncConnection, rows: Sequence[Row[tuple[object, ...]]]
) -> Sequence[StoredDocument]:
    query = select(chunks).where(chunks.c.document_id.in_([row.id for row in rows])).order_by(chunks.c.position)
    found: dict[int, list[tuple[int, Slice]]] = {row.id: [] for row in rows}
    for row in await connection.execute(query):
        found[row.document_id].append((row.id, _slice(row)))
    return [
        StoredDocument(
            row.id,
            _document(row),
            tuple(slice_ for _, slice_ in found[row.id]),
            tuple(key for key, _ in found[row.id]),
        )
        for row in rows
    ]


def _whole_documents() -> Select[tuple[object, ...]]:
    return select(
        documents.c.id,
        documents.c.name,
        documents.c.uri,
        documents.c.content,
        documents.c.title,
        documents.c.description,
        documents.c.language,
        documents.c.collection,
        documents.c.product,
        documents.c.version,
    )


def _document(row: Row[tuple[object, ...]]) -> Document:
    return Document(
        name=row.name,
        uri=row.uri,
        content=row.content,
        title=row.title,
        description=row.description,
        language=row.language,
        collection=row.collection,
        product=row.product,
        version=row.version,
    )


def _slice(row: Row[tuple[object, ...]]) -> Slice:
    return Slice(row.start, row.end, tuple(row.headings), row.lead)


def _chunk(row: Row[tuple[object, ...]]) -> StoredChunk:
    return StoredChunk(
        id=row.id,
        document_id=row.document_id,
        position=row.position,
        text=row.text,
        slice=_slice(row),
        name=row.name,
        uri=row.uri,
        title=row.title,
        collection=row.collection,
        language=row.language,
    )

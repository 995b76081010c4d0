"""The own corpus as a source: what is found for odd questions, said twice, or changed under a reader's eyes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.answering.extractive import ExtractiveWriter
from app.answering.gate import Gate
from app.answering.grounded import Grounded
from app.corpus.index.engine import Wanted
from app.corpus.index.tantivy_index import TantivyIndex
from app.corpus.ingest import Ingest
from app.corpus.materials import Material
from app.corpus.source import RAREST_TERMS, CorpusSource
from app.domain.documents import EVERYWHERE
from app.domain.errors import DocumentNotFound, IndexMissing
from app.storage.documents import DocumentStore
from app.storage.engine import Database

WATER = "Water comes from the well."


@dataclass
class Opened:
    """A data folder, open for reading and writing."""

    store: DocumentStore
    index: TantivyIndex
    source: CorpusSource

    async def take(self, *, prune: bool = False, **pages: str) -> None:
        """Each page's text under its name."""
        materials = [
            Material(f"{name}.md", f"https://example.com/{name}", f"{name}.md", data=text.encode(), language="en")
            for name, text in pages.items()
        ]
        await Ingest(self.store, self.index).run(materials, collection="docs", prune=prune)

    async def found(self, query: str, limit: int = 5) -> list[str]:
        chunks = await self.source.search_documents(query, limit=limit)
        return [chunk.parent.removeprefix("documents/example.com/") for chunk in chunks]


@asynccontextmanager
async def data(folder: Path) -> AsyncIterator[Opened]:
    database = await Database.open(f"sqlite+aiosqlite:///{folder / 'footnote.sqlite3'}")
    store, index = DocumentStore(database), TantivyIndex(folder / "index")
    source = CorpusSource(store, index, Grounded(ExtractiveWriter(index), Gate(index)))
    await source.open()
    yield Opened(store, index, source)
    await database.close()


@pytest.fixture
async def corpus(tmp_path: Path) -> AsyncIterator[Opened]:
    (tmp_path / "data").mkdir()
    async with data(tmp_path / "data") as opened:
        yield opened


async def test_a_question_of_small_words_alone_is_searched_for_by_all_of_them(corpus: Opened) -> None:
    await corpus.take(hamlet="# Hamlet\n\nTo be or not to be.\n", other="# Other\n\nWater flows.\n")
    assert await corpus.found("What is it?") == []
    assert await corpus.found("to be") == ["hamlet"]


async def test_small_words_of_the_questions_own_language_find_nothing(corpus: Opened) -> None:
    await corpus.take(
        pumpe="# Pumpe\n\nDie Pumpe wird mit dem Knopf gestartet.\n",
        ofen="# Ofen\n\nWie wird der Ofen heiß? Mit Holz.\n",
    )
    assert await corpus.found("Wie wird die Pumpe gestartet?") == ["pumpe"]


async def test_the_same_words_take_one_place_however_many_pages_say_them(corpus: Opened) -> None:
    pages = {f"copy{number}": f"{WATER}\n" for number in range(9)}
    await corpus.take(**pages, other="# Other\n\nWater is also in the tank, and the tank is large.\n")
    found = await corpus.found("water well")
    assert len(found) == 2
    assert "other" in found


async def test_a_chunk_knows_its_place_among_odd_characters(corpus: Opened) -> None:
    text = "# Pumpe 🙂\n\nDie 👩‍👩‍👧 läuft.\n\n## İki\n\nDer Krypton-Filter sitzt links.\n"
    await corpus.take(pumpe=text)
    (chunk,) = await corpus.source.search_documents("Krypton")
    document = await corpus.source.get_document(chunk.parent)
    assert chunk.content == chunk.lead + document.content[chunk.start : chunk.end]
    assert "Krypton-Filter" in chunk.content


async def test_of_a_long_text_the_rarest_words_are_searched_for(corpus: Opened) -> None:
    common = " ".join(f"word{number}" for number in range(RAREST_TERMS + 40))
    pages = {f"page{number}": f"{common}\n" for number in range(4)}
    await corpus.take(**pages, needle=f"# Needle\n\nzirconium {common}\n")
    assert (await corpus.found(f"{common} zirconium"))[0] == "needle"
    assert await corpus.found(" ".join(f"unknown{number}" for number in range(500))) == []


async def test_without_documents_the_missing_index_is_told(corpus: Opened) -> None:
    with pytest.raises(IndexMissing):
        await corpus.source.search_documents("water")
    assert (await corpus.source.readiness()).problem == "index_missing"
    await corpus.take(water=WATER)
    assert (await corpus.source.readiness()).ready


async def test_a_reader_of_the_former_index_is_told_nothing_that_no_longer_holds(
    corpus: Opened, tmp_path: Path
) -> None:
    """As between the end of a transaction and the new index, or after an ingest that was killed there."""
    await corpus.take(same=f"# Same\n\n{WATER}\n", edited="# Edited\n\nThe water is red.\n", gone="# Gone\n\nDry.\n")
    async with data(tmp_path / "data") as writer:
        (row,) = [each for each in await writer.store.known("docs") if each.name.endswith("edited")]
        await writer.take(same=f"# Same\n\n{WATER}\n", edited="# Edited\n\nWater: none at all.\n", prune=True)
        # The reader has not looked yet.
        chunks = await writer.store.chunks(
            [hit.chunk_id for hit in corpus.index.search(Wanted(("water",)), EVERYWHERE, 9)]
        )
    assert row.id not in {chunk.document_id for chunk in chunks.values()}
    assert {chunk.name.rpartition("/")[2] for chunk in chunks.values()} == {"same"}
    with pytest.raises(DocumentNotFound):
        await corpus.source.get_document("documents/example.com/gone")


async def test_who_opens_while_another_ingests_is_served_by_the_former_index(corpus: Opened, tmp_path: Path) -> None:
    await corpus.take(water=WATER)
    with corpus.index.alone():
        generation = await corpus.store.publish("docs", [])  # as an ingest that is about to write its index
        async with data(tmp_path / "data") as reader:
            assert reader.index.generation == generation - 1
            assert await reader.found("water") == ["water"]
    async with data(tmp_path / "data") as reader:  # and the next one mends it
        assert reader.index.generation == generation
        assert await reader.found("water") == ["water"]

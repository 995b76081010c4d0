"""Looking after the index: what is wrong with it is seen, named and mended."""

import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from app.bootstrap.corpus import Corpus, open_upkeep
from app.corpus.index.engine import IndexedChunk, IndexedDocument
from app.corpus.index.tantivy_index import TantivyIndex
from app.corpus.ingest import Progress
from app.corpus.upkeep import MOST_FAULTS, Upkeep
from app.domain.errors import CorpusError
from tests.support.corpus import BASE, PAGES, opened, plant, settings_for, taken, write_pages


@pytest.fixture
async def upkeep(tmp_path: Path) -> AsyncIterator[Upkeep]:
    """Of a corpus that holds `PAGES`."""
    async with plant(tmp_path):
        pass
    async with open_upkeep(settings_for(tmp_path / "data")) as opened_upkeep:
        yield opened_upkeep


def change(place: Path, added: Iterable[IndexedDocument] = (), removed: Iterable[int] = ()) -> None:
    """Change the index behind the database's back, in its own generation."""
    index = TantivyIndex(place / "data" / "index")
    generation = index.generation or 0
    with index.alone(), index.changes(generation) as changes:
        changes.remove(removed)
        for document in added:
            changes.add(document)
        changes.commit(generation)


def page(key: int, *chunks: int) -> IndexedDocument:
    parts = tuple(IndexedChunk(chunk, (), "words") for chunk in chunks)
    return IndexedDocument(key, "plant", "Title", "https://example.com/", (), "words", parts)


async def test_a_corpus_before_its_first_ingest_is_sound_and_empty(tmp_path: Path) -> None:
    async with opened(tmp_path / "data"), open_upkeep(settings_for(tmp_path / "data")) as upkeep:
        status, verified = await upkeep.status(), await upkeep.verify()
        assert (status.database_generation, status.index_generation, status.agrees) == (None, None, True)
        assert (verified.sound, verified.counts.documents) == (True, 0)


async def test_status_tells_index_and_database_side_by_side(upkeep: Upkeep) -> None:
    status = await upkeep.status()
    assert status.agrees
    assert status.in_index == status.in_database
    assert status.in_index.documents == len(PAGES)
    assert status.database_generation == status.index_generation
    assert status.recipe == status.recipe_wanted
    assert status.bytes > 1000
    assert status.made_at
    assert status.writer == ""


@pytest.mark.parametrize(
    ("harm", "fault"),
    [
        (lambda place: change(place, removed=[1]), "document 1 has 0 pages in the index instead of 1"),
        (lambda place: change(place, [page(77, 777)]), "document 77 is in the index, but not live in the database"),
        (lambda place: change(place, [page(0, 777)]), "document 0 is in the index, but not live in the database"),
        (lambda place: change(place, [page(2, 777)]), "document 2 has 2 pages in the index instead of 1"),
        (lambda place: change(place, [page(2)], removed=[2]), "document 2 has"),
    ],
    ids=["missing", "foreign", "foreign before all", "twice", "without chunks"],
)
async def test_an_index_that_holds_something_else_is_seen_and_a_rebuild_mends_it(
    upkeep: Upkeep, tmp_path: Path, harm: Callable[[Path], None], fault: str
) -> None:
    assert (await upkeep.verify()).sound
    harm(tmp_path)
    verified = await upkeep.verify()
    assert not verified.sound
    assert verified.faults[0].startswith(fault)
    rebuilt = await upkeep.rebuild()
    assert rebuilt.counts.documents == len(PAGES)
    assert (await upkeep.verify()).sound
    assert len(list((tmp_path / "data/index").glob("v*"))) == 1


async def test_a_chunk_that_is_there_under_another_key_is_seen(upkeep: Upkeep, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "data" / "footnote.sqlite3")) as database:
        keys = [key for (key,) in database.execute("SELECT id FROM chunks WHERE document_id = 2 ORDER BY id")]
    change(tmp_path, [page(2, *keys[:-1], 999)], removed=[2])
    (fault,) = (await upkeep.verify()).faults
    assert fault.startswith(f"document 2 has {len(keys)} chunks")


async def test_damaged_files_are_named_each(upkeep: Upkeep, tmp_path: Path) -> None:
    (place,) = (tmp_path / "data/index").glob("v*")
    (lost,) = place.glob("chunks/*.fast")
    lost.unlink()
    (cut,) = place.glob("pages/*.term")
    cut.write_bytes(b"x")
    (place / "pages" / "more.idx").write_bytes(b"x")
    faults = (await upkeep.verify()).faults
    assert f"chunks/{lost.name} is missing" in faults
    assert f"pages/{cut.name} is not as it was written" in faults
    assert "pages/more.idx does not belong to the index" in faults
    await upkeep.rebuild()
    assert (await upkeep.verify()).sound


async def test_very_many_faults_are_counted_and_only_some_are_told(upkeep: Upkeep, tmp_path: Path) -> None:
    change(tmp_path, [page(key, key) for key in range(1000, 1000 + 2 * MOST_FAULTS)])
    verified = await upkeep.verify()
    assert (len(verified.faults), verified.faults_in_all) == (MOST_FAULTS, 2 * MOST_FAULTS)


async def test_an_index_that_does_not_hold_what_the_database_holds_is_not_taken_into_use(tmp_path: Path) -> None:
    async with plant(tmp_path) as corpus:
        change(tmp_path, removed=[1])
        pages = write_pages(tmp_path / "pages", {"lamp.md": "# Lamp\n\nThe krypton lamp hums.\n"})
        with pytest.raises(CorpusError, match="footnote index rebuild"):
            await taken(corpus, pages)
        assert await found(corpus, "krypton") == []
        async with open_upkeep(settings_for(tmp_path / "data")) as upkeep:
            phases: list[Progress] = []
            await upkeep.rebuild(phases.append)
            assert [each.done for each in phases if each.phase == "Building the index"] == [len(PAGES)]
        assert (await taken(corpus, pages)).added == 1
        assert await found(corpus, "krypton") == [f"{BASE}/lamp"]


async def test_a_database_from_an_older_backup_gets_an_index_of_its_own(tmp_path: Path) -> None:
    async with plant(tmp_path):
        pass
    older = shutil.copytree(tmp_path / "data", tmp_path / "older")
    write_pages(tmp_path / "pages", {"lamp.md": "# Lamp\n\nThe krypton lamp hums.\n"})
    async with opened(tmp_path / "data") as corpus:
        await taken(corpus, tmp_path / "pages")
    newer = shutil.copytree(tmp_path / "data", tmp_path / "newer")
    for backup, lamps in ((older, []), (newer, [f"{BASE}/lamp"])):  # the index is ahead of the database, then behind
        shutil.copy(backup / "footnote.sqlite3", tmp_path / "data" / "footnote.sqlite3")
        async with open_upkeep(settings_for(tmp_path / "data")) as upkeep:
            assert not (await upkeep.status()).agrees
            assert (await upkeep.verify()).faults[0].startswith("the index is of generation")
        async with opened(tmp_path / "data") as corpus:
            assert await found(corpus, "krypton") == lamps
        async with open_upkeep(settings_for(tmp_path / "data")) as upkeep:
            assert (await upkeep.verify()).sound


async def found(corpus: Corpus, words: str) -> list[str]:
    return [chunk.uri for chunk in await corpus.source.search_documents(words)]

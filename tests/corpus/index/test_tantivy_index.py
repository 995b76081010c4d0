"""The embedded index on disk: what is damaged or of another version is never trusted, and nothing is left lying."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.corpus.index.engine import IndexedChunk, IndexedDocument, Wanted
from app.corpus.index.keeping import Counts, Entries
from app.corpus.index.tantivy_index import TantivyIndex
from app.domain.documents import EVERYWHERE
from app.domain.errors import StorageUnavailable

PUMP = IndexedDocument(1, "docs", "Pump", "https://example.com/1", (), "The pump.", (IndexedChunk(1, (), "The pump."),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index of generation 1 with one document."""
    commit(TantivyIndex(tmp_path / "index"), onto=0)
    return tmp_path / "index"


def commit(index: TantivyIndex, onto: int) -> None:
    with index.alone(), index.changes(onto) as changes:
        changes.add(PUMP)
        changes.commit(onto + 1)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def flip(file: Path) -> None:
    held = bytearray(file.read_bytes())
    held[len(held) // 2] ^= 0xFF
    file.write_bytes(held)


@pytest.mark.parametrize("harm", [cut, empty, flip, Path.unlink], ids=["cut", "emptied", "flipped", "missing"])
@pytest.mark.parametrize("pattern", ["chunks/*.term", "chunks/*.fast", "pages/*.idx", "chunks/meta.json"])
def test_a_damaged_file_is_seen_at_once(folder: Path, pattern: str, harm: Callable[[Path], None]) -> None:
    (file,) = folder.glob(f"v*/{pattern}")
    harm(file)
    assert TantivyIndex(folder).generation is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"recipe": "tantivy-two-levels-1"}',
        '{"recipe": 1, "generation": [], "folder": "..", "files": 3}',
    ],
)
def test_a_damaged_name_is_no_index(folder: Path, text: str) -> None:
    (folder / "index.json").write_text(text, encoding="utf-8")
    index = TantivyIndex(folder)
    assert index.generation is None
    commit(index, onto=1)
    assert TantivyIndex(folder).generation == 2


def test_an_index_of_another_recipe_is_no_index(folder: Path) -> None:
    named = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    (folder / "index.json").write_text(json.dumps(named | {"recipe": "later"}), encoding="utf-8")
    assert TantivyIndex(folder).generation is None


def test_what_a_crash_has_left_is_swept_away(folder: Path) -> None:
    (folder / "v1" / "chunks").mkdir(parents=True)
    (folder / "v1" / "chunks" / "half.idx").write_bytes(b"x")
    (folder / "index.json.new").write_text("{", encoding="utf-8")
    index = TantivyIndex(folder)
    assert index.generation == 1
    commit(index, onto=1)
    assert len(list(folder.glob("v*"))) == 1
    assert not (folder / "index.json.new").exists()


def test_changes_that_were_left_leave_no_files(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    with TantivyIndex(folder).changes(1) as changes:
        changes.add(PUMP)
    assert sorted(folder.rglob("*")) == before


def test_a_reader_keeps_its_words_when_the_folder_is_damaged_or_gone(folder: Path) -> None:
    reader = TantivyIndex(folder)
    for file in sorted(folder.rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    reader.refresh()
    assert [hit.chunk_id for hit in reader.search(Wanted(("pump",)), EVERYWHERE, 5)] == [1]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("in the way", encoding="utf-8")
    with pytest.raises(StorageUnavailable), TantivyIndex(tmp_path / "index").changes(0):
        pytest.fail("there is no folder")


def test_a_reader_follows_a_writer_by_sizes_and_keeps_what_it_has_where_a_file_is_cut(folder: Path) -> None:
    reader, writer = TantivyIndex(folder), TantivyIndex(folder)
    commit(writer, onto=1)
    cut(next(folder.glob("v*/chunks/*.term")))
    reader.refresh()
    assert (reader.generation, writer.generation) == (1, 2)
    commit(writer, onto=2)  # from nothing, since the former one is damaged
    reader.refresh()
    assert reader.generation == 3


def test_an_index_tells_what_is_named_how_much_it_holds_and_its_entries(folder: Path) -> None:
    index = TantivyIndex(folder)
    named = index.named()
    assert named is not None
    assert (named.recipe, named.generation, named.bytes > 500) == (index.recipe, 1, True)
    assert index.counts() == Counts(documents=1, chunks=1)
    assert index.entries(0, 1) == index.entries(0, None) == Entries({1: [1]}, {1: 1})
    assert index.entries(1, None) == index.entries(-1, 0) == Entries({}, {})
    assert index.faults() == ()
    assert index.writer() == ""


def test_changes_are_counted_before_anybody_sees_them(folder: Path) -> None:
    with TantivyIndex(folder).changes(1) as changes:
        changes.remove([1])
        for key in (2, 3):
            changes.add(replace(PUMP, id=key))
        changes.prepare()
        assert changes.counts() == Counts(documents=2, chunks=2)
    assert TantivyIndex(folder).counts() == Counts(documents=1, chunks=1)
    assert TantivyIndex(folder.parent / "nowhere").counts() == Counts(0, 0)

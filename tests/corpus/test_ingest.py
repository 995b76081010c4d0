"""Taking documents in: what changed, all at once, whatever happens in between."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from app.bootstrap import ingest_paths
from app.corpus.ingest import Progress
from app.domain.documents import Collection
from app.domain.errors import IndexLocked, ManifestInvalid, NothingToIngest, PathMissing
from tests.support.corpus import BASE, PAGES, opened, plant, taken, write_pages

ROOT = Path(__file__).parents[2]


async def found(corpus, words: str) -> list[str]:
    return [chunk.uri for chunk in await corpus.source.search_documents(words)]


async def test_a_first_ingest_adds_all_and_a_second_changes_nothing(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages")
    async with opened(tmp_path / "data") as corpus:
        first = await taken(corpus, pages)
        assert (first.added, first.changed, first.same, first.removed, first.skipped) == (len(PAGES), 0, 0, 0, ())
        second = await taken(corpus, pages)
        assert (second.added, second.changed, second.same) == (0, 0, len(PAGES))


async def test_one_edited_file_is_one_change_that_is_found_at_once(tmp_path: Path) -> None:
    async with plant(tmp_path) as corpus:
        write_pages(tmp_path / "pages", {"tank.md": "# Tank\n\nThe tank is made of zirconium.\n"})
        report = await taken(corpus, tmp_path / "pages")
        assert (report.added, report.changed, report.same) == (0, 1, len(PAGES) - 1)
        assert await found(corpus, "zirconium") == [f"{BASE}/tank"]
        assert await found(corpus, "vinegar") == []


async def test_only_prune_removes_what_is_gone(tmp_path: Path) -> None:
    async with plant(tmp_path) as corpus:
        (tmp_path / "pages/tank.md").unlink()
        assert (await taken(corpus, tmp_path / "pages")).removed == 0
        assert await found(corpus, "vinegar") == [f"{BASE}/tank"]
        assert (await taken(corpus, tmp_path / "pages", prune=True)).removed == 1
        assert await found(corpus, "vinegar") == []


async def test_a_file_that_cannot_be_read_today_is_not_pruned(tmp_path: Path) -> None:
    async with plant(tmp_path) as corpus:
        (tmp_path / "pages/tank.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
        report = await taken(corpus, tmp_path / "pages", prune=True)
        assert report.removed == 0
        assert [skipped.origin for skipped in report.skipped] == ["tank.md"]
        assert await found(corpus, "vinegar") == [f"{BASE}/tank"]


async def test_a_document_of_another_collection_is_not_taken_twice(tmp_path: Path) -> None:
    async with plant(tmp_path) as corpus:
        report = await taken(corpus, tmp_path / "pages", "copy")
        assert report.added == 0
        assert {skipped.reason for skipped in report.skipped} == {"is in the collection plant already"}


async def test_an_index_file_is_its_folder_and_documents_without_a_base_have_an_address_of_ours(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages")
    async with opened(tmp_path / "data") as corpus:
        await ingest_paths(corpus, [pages], collection="the plant")
        document = await corpus.source.get_document("documents/the%20plant/valves")
        assert document.uri == "footnote://the%20plant/valves"


async def test_collections_are_counted(tmp_path: Path) -> None:
    async with plant(tmp_path) as corpus:
        (counted,) = await corpus.source.collections()
        assert (counted.name, counted.documents) == ("plant", len(PAGES))
        assert counted.chunks >= len(PAGES)
        assert isinstance(counted, Collection)


async def test_a_manifest_gives_addresses_and_titles_and_names_missing_files(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages" / "site")
    lines = [
        {"site": "site", "path": "pump.md", "uri": "https://pumps.example/a", "title": "The pump", "lang": "en"},
        {"site": "site", "path": "none.md", "uri": "https://pumps.example/none"},
    ]
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    async with opened(tmp_path / "data") as corpus:
        report = await ingest_paths(corpus, [pages.parent], collection="m", manifest=manifest)
        assert report.added == 1
        assert [skipped.origin for skipped in report.skipped] == ["site/none.md"]
        document = await corpus.source.get_document("documents/pumps.example/a")
        assert document.title == "The pump"


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"path": "a.md"}',
        '{"path": "a.md", "uri": "file:///etc/passwd"}',
        '{"path": "a", "uri": "https://["}',
    ],
)
async def test_a_wrong_manifest_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n" + line, encoding="utf-8")
    async with opened(tmp_path / "data") as corpus:
        with pytest.raises(ManifestInvalid, match="line 2"):
            await ingest_paths(corpus, [tmp_path], collection="m", manifest=manifest)


async def test_missing_and_empty_folders_are_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    async with opened(tmp_path / "data") as corpus:
        with pytest.raises(PathMissing, match="nowhere"):
            await taken(corpus, tmp_path / "nowhere")
        with pytest.raises(NothingToIngest):
            await taken(corpus, tmp_path / "empty")


async def test_two_ingests_at_once_are_refused(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages")
    async with opened(tmp_path / "data") as corpus:
        tried: list[BaseException] = []

        def again(_progress: Progress) -> None:
            task = asyncio.ensure_future(taken(corpus, pages))
            task.add_done_callback(lambda done: tried.append(done.exception()))

        await ingest_paths(corpus, [pages], collection="plant", base_uri=BASE, progress=again)
        assert tried
        assert all(isinstance(error, IndexLocked) for error in tried)


KILLED = """
import asyncio, os, sys
from pathlib import Path
from app.corpus.index.tantivy_index import TantivyChanges
from app.storage.documents import DocumentStore
from tests.support.corpus import opened, taken

point = sys.argv[2]

class Dying(DocumentStore):
    async def publish(self, *given):
        if point == "before": os._exit(9)
        done = await super().publish(*given)
        if point == "after": os._exit(9)
        return done

async def main():
    place = Path(sys.argv[1])
    async with opened(place / "data") as corpus:
        corpus.ingest._store.__class__ = Dying
        if point == "named":
            changes = corpus.ingest._index.changes
            def dying(onto):
                made = changes(onto)
                commit = made.commit
                made.commit = lambda generation: (commit(generation), os._exit(9))
                return made
            corpus.ingest._index.changes = dying
        await taken(corpus, place / "pages")

asyncio.run(main())
"""


@pytest.mark.parametrize(("point", "seen"), [("before", "vinegar"), ("after", "zirconium"), ("named", "zirconium")])
async def test_a_killed_ingest_leaves_one_whole_state(tmp_path: Path, point: str, seen: str) -> None:
    async with plant(tmp_path):
        pass
    write_pages(tmp_path / "pages", {"tank.md": "# Tank\n\nThe tank is made of zirconium.\n"})
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, str(tmp_path), point, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert await killed.wait() == 9
    async with opened(tmp_path / "data") as corpus:
        assert await found(corpus, seen) == [f"{BASE}/tank"]
        other = "zirconium" if seen == "vinegar" else "vinegar"
        assert await found(corpus, other) == []
        await taken(corpus, tmp_path / "pages")
        assert await found(corpus, "zirconium") == [f"{BASE}/tank"]


async def test_a_damaged_index_is_rebuilt_from_the_database(tmp_path: Path) -> None:
    async with plant(tmp_path):
        pass
    for file in (tmp_path / "data/index").rglob("*.term"):
        file.write_bytes(b"x")
    (tmp_path / "data/index/index.json").write_text("{", encoding="utf-8")
    async with opened(tmp_path / "data") as corpus:
        assert await found(corpus, "vinegar") == [f"{BASE}/tank"]


async def test_an_index_of_another_version_is_rebuilt(tmp_path: Path) -> None:
    async with plant(tmp_path):
        pass
    name = tmp_path / "data/index/index.json"
    name.write_text(name.read_text().replace("tantivy-two-levels", "tantivy-nine-levels"), encoding="utf-8")
    async with opened(tmp_path / "data") as corpus:
        assert await found(corpus, "vinegar") == [f"{BASE}/tank"]


async def test_a_reader_follows_what_another_process_ingests(tmp_path: Path) -> None:
    async with plant(tmp_path) as reader:
        write_pages(tmp_path / "pages", {"new.md": "# New\n\nThe krypton lamp hums.\n"})
        async with opened(tmp_path / "data") as writer:
            await taken(writer, tmp_path / "pages")
        deadline = asyncio.get_running_loop().time() + 5
        while not await found(reader, "krypton"):
            assert asyncio.get_running_loop().time() < deadline
            await asyncio.sleep(0.05)

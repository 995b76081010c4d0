"""Taking documents in: what changed, all at once, whatever happens in between."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from app.bootstrap.corpus import ingest_paths
from app.corpus.ingest import Progress
from app.domain.documents import Collection
from app.domain.errors import CorpusError, IndexLocked, ManifestInvalid, NothingToIngest, PathMissing
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


async def test_an_ingest_of_a_part_of_the_folder_loses_none_of_the_rest(tmp_path: Path) -> None:
    async with plant(tmp_path) as corpus:
        write_pages(tmp_path / "pages", {"valves/outlet.md": "# Outlet valve\n\nThe krypton lamp hums beside it.\n"})
        report = await ingest_paths(
            corpus, [tmp_path / "pages" / "valves"], collection="plant", base_uri=f"{BASE}/valves"
        )
        assert (report.added, report.removed) == (1, 0)
        assert await found(corpus, "krypton") == [f"{BASE}/valves/outlet"]
        assert await found(corpus, "vinegar") == [f"{BASE}/tank"]
        (counted,) = await corpus.source.collections()
        assert counted.documents == len(PAGES) + 1


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
        {"site": "site", "path": "pump.md", "uri": "https://pumps.example/a", "title": "The pump", "version": "2"},
        {"site": "site", "path": "none.md", "uri": "https://pumps.example/none"},
    ]
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    async with opened(tmp_path / "data") as corpus:
        report = await ingest_paths(
            corpus, [pages.parent], collection="m", manifest=manifest, product="Plant", version="1"
        )
        assert report.added == 1
        assert [skipped.origin for skipped in report.skipped] == ["site/none.md"]
        document = await corpus.source.get_document("documents/pumps.example/a")
        assert (document.title, document.product, document.version) == ("The pump", "Plant", "2")


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

        def again(progress: Progress) -> None:
            if progress.phase == "Reading plant":  # after it nobody waits for the second one
                task = asyncio.ensure_future(taken(corpus, pages))
                task.add_done_callback(lambda done: tried.append(done.exception()))

        await ingest_paths(corpus, [pages], collection="plant", base_uri=BASE, progress=again)
        assert tried
        assert all(isinstance(error, IndexLocked) for error in tried)
        assert f"process {os.getpid()}, since " in str(tried[0])


KILLED = """
import asyncio, os, sys
from pathlib import Path
from app.corpus.ingest import Ingest
from app.corpus.index.tantivy_index import TantivyIndex
from app.storage.documents import DocumentStore
from app.storage.engine import Database
from app.corpus.materials import materials_of
from tests.support.corpus import BASE

place, point = Path(sys.argv[1]), sys.argv[2]

def die_at(here):
    if point == here: os._exit(9)

class Store(DocumentStore):
    async def publish(self, *given):
        die_at("before the transaction")
        done = await super().publish(*given)
        die_at("after the transaction")
        return done

class Index(TantivyIndex):
    def changes(self, onto):
        changes = super().changes(onto)
        commit = changes.commit
        def committed(generation):
            commit(generation)
            die_at("after all")
        changes.commit = committed
        return changes

async def main():
    database = await Database.open(f"sqlite+aiosqlite:///{place / 'data/footnote.sqlite3'}")
    ingest = Ingest(Store(database), Index(place / "data/index"))
    found = materials_of([place / "pages"], collection="plant", base_uri=BASE)
    await ingest.run(found, collection="plant", progress=lambda seen: die_at("while reading") if seen.done else None)

asyncio.run(main())
"""


async def kill(place: Path, point: str) -> None:
    """Run an ingest that dies at `point`."""
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, str(place), point, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert await killed.wait() == 9


@pytest.mark.parametrize(
    ("point", "seen"),
    [
        ("while reading", "vinegar"),
        ("before the transaction", "vinegar"),
        ("after the transaction", "zirconium"),
        ("after all", "zirconium"),
    ],
)
async def test_a_killed_ingest_leaves_one_whole_state(tmp_path: Path, point: str, seen: str) -> None:
    async with plant(tmp_path):
        pass
    write_pages(tmp_path / "pages", {"tank.md": "# Tank\n\nThe tank is made of zirconium.\n"})
    await kill(tmp_path, point)
    async with opened(tmp_path / "data") as corpus:
        assert await found(corpus, seen) == [f"{BASE}/tank"]
        other = "zirconium" if seen == "vinegar" else "vinegar"
        assert await found(corpus, other) == []
        report = await taken(corpus, tmp_path / "pages")
        assert (report.changed, report.added) == (int(seen == "vinegar"), 0)
        assert await found(corpus, "zirconium") == [f"{BASE}/tank"]
        assert len(list((tmp_path / "data/index").glob("v*"))) == 1


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


# --- many and awkward files ------------------------------------------------------------------------------------------


async def test_more_files_than_a_batch_are_read_by_several_processes_and_counted_as_they_come(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages", {f"{n}.md": f"# Page {n}\n\nIts secret is q{n}z.\n" for n in range(230)})
    seen: list[Progress] = []
    async with opened(tmp_path / "data") as corpus:
        report = await ingest_paths(corpus, [pages], collection="plant", base_uri=BASE, progress=seen.append)
        assert (report.added, report.skipped, report.warnings) == (230, (), ())
        assert await found(corpus, "q117z") == [f"{BASE}/117"]
    assert list(dict.fromkeys(each.phase for each in seen)) == [
        "Reading plant",
        "Writing the index",
        "Taking the index into use",
    ]
    reading = [each.done for each in seen if each.phase == "Reading plant"]
    assert reading == sorted(reading)
    assert (reading[0], reading[-1], seen[0].total, len(reading) > 5) == (0, 230, 230, True)


async def test_a_folder_of_hostile_files_ends_with_a_report_and_changes_nothing_the_second_time(
    tmp_path: Path, shared: Path
) -> None:
    hostile = shared / "hostile"
    expected = [json.loads(line) for line in (hostile / "expect.jsonl").read_text(encoding="utf-8").splitlines()]
    async with opened(tmp_path / "data") as corpus:
        first = await ingest_paths(corpus, [hostile], collection="hostile")
        second = await ingest_paths(corpus, [hostile], collection="hostile", prune=True)
        told = {file.origin for file in first.skipped}
        for each in expected:
            if each["file"].endswith((".rst", ".adoc", ".jsonl")):
                continue  # of a kind that is passed over
            if each["ingest"] == "skip":
                assert each["file"] in told
            if each["ingest"] in ("ok", "warn") and "..hidden" not in each["file"]:
                assert each["file"] not in told
        assert (second.added, second.changed, second.removed) == (0, 0, 0)
        assert second.same == first.added
        assert second.skipped == first.skipped


async def test_of_two_files_with_one_address_the_first_is_taken_and_the_other_told(tmp_path: Path) -> None:
    pages = write_pages(
        tmp_path / "pages",
        {"page.md": "# One\n\nFirst words.\n", "page/index.md": "# Two\n\nOther words.\n", "page.txt": "Third words."},
    )
    async with opened(tmp_path / "data") as corpus:
        for _ in range(2):
            report = await taken(corpus, pages, prune=True)
            assert {file.origin: file.reason for file in report.skipped} == {
                "page.txt": "has the same address as page.md",
                "page/index.md": "has the same address as page.md",
            }
        assert (report.same, report.removed) == (1, 0)
        assert (await corpus.source.get_document("documents/docs.example.com/plant/page")).title == "One"


async def test_addresses_that_differ_in_case_only_are_two_documents_with_a_warning(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages", {"guide.md": "# One\n\nFirst.\n", "Guide.md": "# Two\n\nSecond.\n"})
    async with opened(tmp_path / "data") as corpus:
        report = await taken(corpus, pages)
        assert report.added == 2
        assert [(file.origin, "only in case" in file.reason) for file in report.warnings] == [("guide.md", True)]


async def test_a_page_that_moves_to_the_address_it_claims_leaves_no_copy_after_a_prune(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages", {"a.html": "<p>The krypton lamp hums.</p>"})
    async with opened(tmp_path / "data") as corpus:
        await taken(corpus, pages)
        head = f'<head><link rel="canonical" href="{BASE}/lamp"></head>'
        write_pages(pages, {"a.html": f"<html>{head}<body><p>The krypton lamp hums.</p></body></html>"})
        report = await taken(corpus, pages, prune=True)
        assert (report.added, report.removed) == (1, 1)
        assert await found(corpus, "krypton") == [f"{BASE}/lamp"]
        assert (await taken(corpus, pages, prune=True)).same == 1


async def test_a_moved_file_with_the_same_address_is_the_same_document(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages", {"lamp.md": "# Lamp\n\nThe krypton lamp hums.\n"})
    async with opened(tmp_path / "data") as corpus:
        await taken(corpus, pages)
        (pages / "lamp").mkdir()
        (pages / "lamp.md").rename(pages / "lamp" / "index.md")
        report = await taken(corpus, pages, prune=True)
        assert (report.added, report.changed, report.removed) == (0, 1, 0)
        assert await found(corpus, "krypton") == [f"{BASE}/lamp"]


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "x" * 201])
async def test_a_collection_needs_a_name(tmp_path: Path, name: str) -> None:
    pages = write_pages(tmp_path / "pages")
    async with opened(tmp_path / "data") as corpus:
        with pytest.raises(CorpusError, match="name"):
            await ingest_paths(corpus, [pages], collection=name)


# --- cut short -------------------------------------------------------------------------------------------------------


async def test_an_ingest_that_is_cancelled_leaves_the_former_state_and_can_be_done_again(tmp_path: Path) -> None:
    async with plant(tmp_path) as corpus:
        write_pages(tmp_path / "pages", {f"{n}.md": f"# Page {n}\n\nIts secret is q{n}z.\n" for n in range(150)})
        started = asyncio.Event()
        task = asyncio.create_task(
            ingest_paths(
                corpus,
                [tmp_path / "pages"],
                collection="plant",
                base_uri=BASE,
                progress=lambda progress: started.set() if progress.done else None,
            )
        )
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await found(corpus, "q5z") == []
        assert await found(corpus, "vinegar") == [f"{BASE}/tank"]
        assert len(list((tmp_path / "data/index").glob("v*"))) == 1
        assert (await taken(corpus, tmp_path / "pages")).added == 150
        assert await found(corpus, "q5z") == [f"{BASE}/5"]


async def test_a_reader_that_stays_open_over_a_killed_ingest_is_served_throughout(tmp_path: Path) -> None:
    async with plant(tmp_path) as reader:
        write_pages(tmp_path / "pages", {"tank.md": "# Tank\n\nThe tank is made of zirconium.\n"})
        await kill(tmp_path, "after the transaction")
        assert await found(reader, "green button") == [f"{BASE}/pump"]
        assert await found(reader, "vinegar") == []  # the database has the new page already
        async with opened(tmp_path / "data") as next_one:
            assert (await taken(next_one, tmp_path / "pages")).same == len(PAGES)
            assert await found(next_one, "zirconium") == [f"{BASE}/tank"]
        deadline = asyncio.get_running_loop().time() + 5
        while not await found(reader, "zirconium"):
            assert asyncio.get_running_loop().time() < deadline
            await asyncio.sleep(0.05)


async def test_an_ingest_mends_an_index_that_is_behind_before_it_adds_to_it(tmp_path: Path) -> None:
    async with plant(tmp_path) as corpus:
        (tmp_path / "data/index/index.json").unlink()
        write_pages(tmp_path / "pages", {"new.md": "# New\n\nThe krypton lamp hums.\n"})
        report = await taken(corpus, tmp_path / "pages")
        assert (report.added, report.same) == (1, len(PAGES))
        assert await found(corpus, "krypton") == [f"{BASE}/new"]
        assert await found(corpus, "vinegar") == [f"{BASE}/tank"]
        (tmp_path / "data/index/index.json").unlink()
        assert (await taken(corpus, tmp_path / "pages")).same == len(PAGES) + 1
    async with opened(tmp_path / "data") as corpus:
        assert await found(corpus, "krypton") == [f"{BASE}/new"]

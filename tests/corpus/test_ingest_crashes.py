"""A process that ingests is killed, wherever it is: the former state serves on, and the next run finishes."""

import asyncio
import os
import random
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from app.bootstrap.corpus import Corpus, open_corpus, open_upkeep
from app.bootstrap.storage import data_folder
from app.settings.values import Settings
from tests.support.corpus import BASE, PAGES, settings_for, taken, write_pages
from tests.support.halting import halted, started
from tests.support.postgres import cluster

TANK = {"tank.md": "# Tank\n\nThe tank is made of zirconium.\n"}
MANY = {f"{number}.md": f"# Page {number}\n\nIts secret is q{number}z.\n" for number in range(150)}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    if request.param == "sqlite":
        yield settings_for(tmp_path / "data")
    else:
        with cluster().database() as address:
            yield settings_for(tmp_path / "data", database_url=address.replace("postgresql+psycopg", "postgresql"))


@asynccontextmanager
async def planted(settings: Settings, pages: Path) -> AsyncIterator[Corpus]:
    """A corpus that holds `PAGES`; then one of them is changed and many are new, on disk alone."""
    data_folder(settings)
    async with open_corpus(settings) as corpus:
        await taken(corpus, write_pages(pages))
        write_pages(pages, {**TANK, **MANY})
        yield corpus


async def found(corpus: Corpus, words: str) -> list[str]:
    return [chunk.uri for chunk in await corpus.source.search_documents(words)]


async def assert_finished_by_the_next_run(settings: Settings, pages: Path) -> None:
    async with open_corpus(settings) as corpus:
        await taken(corpus, pages)
        assert await found(corpus, "zirconium") == [f"{BASE}/tank"]
        assert await found(corpus, "vinegar") == []
        assert await found(corpus, "q149z") == [f"{BASE}/149"]
        assert (await taken(corpus, pages)).same == len(PAGES) + len(MANY)
    await assert_sound(settings)


async def assert_sound(settings: Settings) -> None:
    async with open_upkeep(settings) as upkeep:
        verified = await upkeep.verify()
        assert (verified.faults, verified.counts.documents) == ((), len(PAGES) + len(MANY))
        assert (await upkeep.status()).agrees
    assert len(list((settings.data / "index").glob("v*"))) == 1


@pytest.mark.parametrize(
    ("phase", "share", "live"),
    [
        ("Reading plant", 0, False),  # nothing is done
        ("Reading plant", 1, False),  # all rows are staged, the index is half written
        ("Writing the index", 0, False),
        ("Writing the index", 1, False),  # all is written and counted, nothing is live
        ("Taking the index into use", 0, True),  # the rows are live, the index is not named
        ("Taking the index into use", 1, True),
    ],
)
async def test_a_killed_ingest_is_finished_by_the_next_one_and_readers_are_served_meanwhile(
    settings: Settings, tmp_path: Path, phase: str, share: float, live: bool
) -> None:
    pages = tmp_path / "pages"
    async with planted(settings, pages) as reader:
        async with halted(settings, pages, phase, share) as process:
            assert await found(reader, "green button") == [f"{BASE}/pump"]
            assert await found(reader, "vinegar") == ([] if live else [f"{BASE}/tank"])
            os.kill(process.pid, signal.SIGKILL)
            await process.wait()
        assert await found(reader, "green button") == [f"{BASE}/pump"]
        assert bool(await found(reader, "q7z")) == (live and share == 1)
        await assert_finished_by_the_next_run(settings, pages)
        assert await found(reader, "q7z") == [f"{BASE}/7"]  # followed, without being opened anew


async def test_an_ingest_killed_at_any_moment_is_finished_by_the_next_one(tmp_path: Path) -> None:
    """Moments drawn at random, so that the steps between two phases are met, too: naming, sweeping, a transaction."""
    settings, pages, before = settings_for(tmp_path / "data"), tmp_path / "pages", tmp_path / "before"
    async with planted(settings, pages):
        pass
    shutil.copytree(settings.data, before)
    moments = random.Random(4)
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with started("ingest", settings, pages, "none", 0) as process:
        await process.wait()
    longest = loop.time() - began
    for _ in range(6):
        shutil.rmtree(settings.data)
        shutil.copytree(before, settings.data)
        async with started("ingest", settings, pages, "none", 0) as process:
            with suppress(TimeoutError):
                async with asyncio.timeout(longest * moments.uniform(0.4, 1.0)):
                    await process.wait()
        await assert_finished_by_the_next_run(settings, pages)

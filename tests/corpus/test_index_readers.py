"""Many readers while one writes: each sees the former index or the new one, never an error, never half of either."""

import asyncio
import shutil
from asyncio.subprocess import Process
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from app.bootstrap.corpus import Corpus, open_upkeep
from app.domain.documents import EVERYWHERE
from app.domain.errors import IndexLocked
from app.settings.values import Settings
from tests.support.corpus import BASE, opened, plant, settings_for, taken, write_pages
from tests.support.halting import halted, said, started

READERS = 10
PUMP = f"{BASE}/pump"
MORE = {f"{number}.md": f"# Lamp {number}\n\nThe krypton lamp {number} hums.\n" for number in range(120)}


async def ask_on(corpus: Corpus, ended: asyncio.Event) -> int:
    """Ask until the event; how often. Each answer must hold the page that is there before, meanwhile and after."""
    asked = 0
    while not ended.is_set():
        found = await corpus.source.search_documents("press the green button of the pump")
        assert found
        assert found[0].uri == PUMP
        assert "green button" in found[0].content
        asked += 1
    return asked


async def reading_process(stack: AsyncExitStack, settings: Settings) -> Process:
    process = await stack.enter_async_context(started("read", settings, "green button pump", PUMP))
    assert await said(process, "reading")
    return process


async def assert_served(process: Process) -> None:
    """The process was answered with the right page, each time it asked."""
    assert process.stdin
    process.stdin.close()
    line = await said(process, "asked")
    assert line
    _, asked, wrong = line.split()
    assert (int(asked) > 0, int(wrong)) == (True, 0)


async def test_ten_readers_and_two_processes_are_served_during_rebuilds(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "data")
    async with plant(tmp_path) as writer, AsyncExitStack() as stack:
        await taken(writer, write_pages(tmp_path / "pages", MORE))
        corpora = [await stack.enter_async_context(opened(tmp_path / "data")) for _ in range(2)]
        processes = [await reading_process(stack, settings) for _ in range(2)]
        ended = asyncio.Event()
        readers = [asyncio.create_task(ask_on(corpora[number % 2], ended)) for number in range(READERS)]
        for _ in range(3):
            async with started("rebuild", settings) as rebuilding:
                assert await rebuilding.wait() == 0
        ended.set()
        assert all(await asyncio.gather(*readers))
        for process in processes:
            await assert_served(process)
    async with open_upkeep(settings) as upkeep:
        assert (await upkeep.verify()).sound


async def test_what_two_processes_read_while_a_third_writes_is_all_of_it_or_nothing(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "data")
    async with plant(tmp_path) as corpus, opened(tmp_path / "data") as other, AsyncExitStack() as stack:
        write_pages(tmp_path / "pages", MORE)
        processes = [await reading_process(stack, settings) for _ in range(2)]
        ended = asyncio.Event()
        readers = [asyncio.create_task(count_lamps(each, ended)) for each in (corpus, other) for _ in range(5)]
        async with started("ingest", settings, tmp_path / "pages", "none", 0) as ingesting:
            assert await ingesting.wait() == 0
        assert (await lamps(corpus), await lamps(other)) == (len(MORE), len(MORE))
        ended.set()
        seen = set.union(*await asyncio.gather(*readers))
        assert 0 in seen
        assert seen <= {0, len(MORE)}
        for process in processes:
            await assert_served(process)


async def test_an_index_that_is_deleted_while_serving_serves_on_and_the_next_process_makes_it_anew(
    tmp_path: Path,
) -> None:
    settings = settings_for(tmp_path / "data")
    async with plant(tmp_path) as reader:
        shutil.rmtree(tmp_path / "data" / "index")
        assert await lamps(reader) == 0
        assert (await reader.source.search_documents("green button pump"))[0].uri == PUMP
        async with open_upkeep(settings) as upkeep:
            assert not (await upkeep.status()).agrees
            assert (await upkeep.verify()).faults[0] == "there is no index"
        async with opened(tmp_path / "data") as next_one:
            assert (await next_one.source.search_documents("green button pump"))[0].uri == PUMP
        write_pages(tmp_path / "pages", MORE)
        await taken(reader, tmp_path / "pages")
        assert await lamps(reader) == len(MORE)


async def test_a_second_writer_is_refused_and_told_who_the_first_one_is(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "data")
    async with plant(tmp_path) as second:
        write_pages(tmp_path / "pages", MORE)
        async with halted(settings, tmp_path / "pages", "Writing the index", 0) as first:
            with pytest.raises(IndexLocked, match=f"process {first.pid}, since .* is writing"):
                await taken(second, tmp_path / "pages")
            async with open_upkeep(settings) as upkeep:
                assert (await upkeep.status()).writer.startswith(f"process {first.pid}, since ")
                for refused in (upkeep.verify(), upkeep.rebuild()):
                    with pytest.raises(IndexLocked):
                        await refused
            assert (await second.source.search_documents("green button pump"))[0].uri == PUMP
        assert (await taken(second, tmp_path / "pages")).added == len(MORE)


async def count_lamps(corpus: Corpus, ended: asyncio.Event) -> set[int]:
    """All that was ever found at once."""
    seen = set()
    while not ended.is_set():
        seen.add(await lamps(corpus))
    return seen


async def lamps(corpus: Corpus) -> int:
    return len(await corpus.source.search_documents("krypton", EVERYWHERE, len(MORE)))

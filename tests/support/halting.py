"""A program that ingests and halts where it is told, for a test that kills it there. Not run in the test's process."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.bootstrap.corpus import ingest_paths, open_corpus, open_upkeep
from app.corpus.ingest import Progress
from app.settings.values import Settings
from tests.support.corpus import BASE, settings_for

ROOT = Path(__file__).parents[2]
WAIT_SECONDS = 60


@asynccontextmanager
async def halted(settings: Settings, pages: Path, phase: str, share: float) -> AsyncIterator[Process]:
    """An ingest in a process of its own that has halted in a phase, at 0 or 1 of it; killed at the end."""
    async with started("ingest", settings, pages, phase, share) as process:
        assert await said(process, "halted"), f"it ended before {phase}"
        yield process


async def said(process: Process, text: str) -> str | None:
    """The next line that begins so; None where the process ended without it. The log is passed over."""
    assert process.stdout
    async with asyncio.timeout(WAIT_SECONDS):
        while line := (await process.stdout.readline()).decode():
            if line.startswith(text):
                return line
    return None


@asynccontextmanager
async def started(command: str, settings: Settings, *words: object) -> AsyncIterator[Process]:
    """This file as a program; killed at the end, if it has not ended by then."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, __file__, command, str(settings.data), _url(settings), *map(str, words)),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=PIPE,
        stdout=PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.communicate()


def _url(settings: Settings) -> str:
    return settings.database_url.get_secret_value() if settings.database_url else ""


async def _ingest(settings: Settings, pages: Path, phase: str, share: float) -> None:
    def halt(progress: Progress) -> None:
        if progress.phase == phase and progress.total and progress.done / progress.total == share:
            _say("halted")
            sys.stdin.read()  # until we are killed

    async with open_corpus(settings) as corpus:
        await ingest_paths(corpus, [pages], collection="plant", base_uri=BASE, progress=halt)


async def _rebuild(settings: Settings) -> None:
    async with open_upkeep(settings) as upkeep:
        await upkeep.rebuild()


async def _read(settings: Settings, query: str, uri: str) -> None:
    """Ask until standard input ends, and say how often, and how many answers were none of ours."""
    asked = wrong = 0
    ended = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    async with open_corpus(settings) as corpus:
        _say("reading")
        while not ended.done():
            found = await corpus.source.search_documents(query)
            asked += 1
            wrong += uri not in [chunk.uri for chunk in found]
    _say(f"asked {asked} {wrong}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(command: str, data: str, database: str, *words: str) -> None:
    settings = settings_for(Path(data), database_url=database or None)
    match command:
        case "ingest":
            asyncio.run(_ingest(settings, Path(words[0]), words[1], float(words[2])))
        case "rebuild":
            asyncio.run(_rebuild(settings))
        case "read":
            asyncio.run(_read(settings, *words))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The one task that writes the events of all running answers down. Not where they come from, not who follows them."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

import structlog

from app.chat.run import Run
from app.domain.answers import AnswerFailed
from app.domain.errors import AppError, StorageError
from app.storage.journal import Entry, Journal, Lease

GATHER_SECONDS = 0.04  # words that come within this time are one event

log = structlog.get_logger(__name__)


class Writer:
    """Writes in short transactions. While one is under way the next words gather: much to do makes larger ones.

    `done` is told of each run that needs no more writing: ended, lost to another process, or given up.
    """

    def __init__(self, journal: Journal, lease: Callable[[], Lease], done: Callable[[Run], None]) -> None:
        self._owed: dict[str, tuple[Run, Entry]] = {}  # by turn: ends that could not be written
        self._journal = journal
        self._lease = lease
        self._done = done
        self._something = asyncio.Event()
        self._now = asyncio.Event()

    def wake(self, *, now: bool) -> None:
        """There is something to write: `now`, or with what comes within GATHER_SECONDS."""
        self._something.set()
        if now:
            self._now.set()

    def owing(self, turn_id: str) -> Run | None:
        """The run whose followers know an end that the journal does not have yet."""
        run, _ = self._owed.get(turn_id, (None, None))
        return run

    async def work(self, runs: Mapping[str, Run]) -> None:
        """Write what these runs have, until cancelled."""
        while True:
            await self._something.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(GATHER_SECONDS):  # wait_for would now and then lose a cancellation
                    await self._now.wait()
            self._something.clear()
            self._now.clear()
            if entries := [(run, run.take()) for run in runs.values() if run.has_news]:
                await self._write(entries)

    async def pay(self) -> None:
        """Try once more to write the ends that are owed. Raises StorageError where that is still impossible."""
        for turn_id, (_, entry) in list(self._owed.items()):
            try:
                await self._journal.write([entry], self._lease())
            except StorageError:
                raise
            except Exception:  # not to be written at all: without it the turn counts as interrupted
                log.exception("the end of an answer cannot be stored", turn=turn_id)
            del self._owed[turn_id]

    def give_up(self, run: Run, error: Exception) -> None:
        """What this run has cannot be written: tell its followers, and remember that its end is owed."""
        code = error.code if isinstance(error, AppError) else "internal"
        log.error("answer cannot be stored", turn=run.turn_id, code=code, request_id=run.request_id, exc_info=error)
        self._owed[run.turn_id] = (run, run.give_up(AnswerFailed(code, run.request_id), datetime.now(UTC)))
        self._done(run)

    async def _write(self, entries: list[tuple[Run, Entry]]) -> None:
        try:
            ours = await self._journal.write([entry for _, entry in entries], self._lease())
        except StorageError as error:
            for run, _ in entries:
                self.give_up(run, error)
        except Exception as error:  # noqa: BLE001  # logged by give_up
            await self._spare_the_others(entries, error)
        else:
            for run, entry in entries:
                self._wrote(run, entry, ours=run.turn_id in ours)

    async def _spare_the_others(self, entries: list[tuple[Run, Entry]], error: Exception) -> None:
        """One of the entries cannot be written, whatever the reason: find it by writing each for itself."""
        if len(entries) == 1:
            self.give_up(entries[0][0], error)
            return
        for each in entries:
            await self._write([each])

    def _wrote(self, run: Run, entry: Entry, *, ours: bool) -> None:
        if ours:
            run.wrote(entry)
        else:
            run.lose()
        if run.over.is_set():
            self._done(run)

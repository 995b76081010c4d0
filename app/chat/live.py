"""The answers that are being made in this process, and following any answer. Not what a reader may do: service.py.

A turn's life, as the database has it:

    ask ──┬─ here, at once ────► RUNNING ──┬─ the answer's own end ──► ANSWERED · WEAK · NOT_FOUND
          │                        ▲       ├─ an error, out of time ─► FAILED
          └─► PENDING ──claim──────┤       ├─ somebody stops it ─────► STOPPED        what was written stays
                 │                 │       ├─ orderly shutdown ──────► INTERRUPTED    told to each follower
                 │                 │       └─ its process is gone, ──► INTERRUPTED    found by any other process:
                 │                 │          or its lease ran out                    at start, then every few seconds
                 │               events 1, 2, 3 … are journalled, the lease is renewed
                 ├─ stopped before anybody ran it ──► STOPPED
                 └─ nobody runs it for a lease's time ─► INTERRUPTED

A question that this process will answer is stored with its lease; only what is asked while it shuts down is stored as
pending. The claim is one conditional update, so one process runs a turn, however many ask for it. A turn belongs to
the server: readers who come and go change nothing. One task writes for all running answers: words are gathered for a
moment, then one short transaction holds them all, and only then followers are told. No transaction outlives a write.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, suppress
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

import structlog

from app.chat.holder import is_dead, new_holder
from app.chat.run import Numbered, Run, TurnEnded
from app.chat.writing import Writer
from app.domain.answers import AnswerEvent, AnswerFailed, Outcome, Question, TextDelta
from app.domain.conversations import Turn, TurnStatus
from app.domain.errors import AppError, QuotaExceeded, SourceUnavailable, StorageError, TurnNotFound
from app.storage.journal import Journal, Lease, Unfinished
from app.telemetry.logging import begin_request, request_id

POLL_SECONDS = 0.2  # how often a follower looks into the journal for another process's answer
STOP_POLL_SECONDS = 0.25  # how often a stop asked for in another process is looked for
LEASE_SECONDS = 20.0  # longer than a write may wait for the database, else a busy one would cost answers
SWEEP_SECONDS = 5.0  # how often abandoned turns are looked for, and leases renewed
CANCEL_SECONDS = 0.5  # how long an answer may take to give way
FAREWELL_SECONDS = 3.0  # for the last write at shutdown

STATUS_OF = {
    Outcome.ANSWERED: TurnStatus.ANSWERED,
    Outcome.WEAK: TurnStatus.WEAK,
    Outcome.NOT_FOUND: TurnStatus.NOT_FOUND,
}

__all__ = ["LiveAnswers", "Numbered", "TurnEnded"]

log = structlog.get_logger(__name__)


class LiveAnswers:
    """Runs answers as tasks of this process. Used as a context: leaving it interrupts what still runs."""

    def __init__(
        self,
        answer: Callable[[Question], AsyncIterator[AnswerEvent]],
        journal: Journal,
        *,
        answer_seconds: float = 120.0,
        lease_seconds: float = LEASE_SECONDS,
        sweep_seconds: float = SWEEP_SECONDS,
    ) -> None:
        self._answer = answer
        self._journal = journal
        self._answer_seconds = answer_seconds
        self._lease_seconds = lease_seconds
        self._sweep_seconds = sweep_seconds
        self._holder = new_holder()
        self._runs: dict[str, Run] = {}
        self._writer = Writer(journal, self._lease, self._forget)
        self._tasks: set[asyncio.Task[None]] = set()
        self._background: list[asyncio.Task[None]] = []
        self._busy = asyncio.Event()
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self._sweep()
        self._background = [asyncio.create_task(self._writer.work(self._runs)), asyncio.create_task(self._keep())]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.interrupt_all()
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)

    def expect(self, turn_id: str, owner: str) -> Lease | None:
        """Announce a turn that is about to be stored: under this lease as running; None (pending) while shutting down.

        To be followed by `start`, or by `drop` where it was not stored.
        """
        if self._closing.is_set():
            return None
        self._runs[turn_id] = Run(turn_id, owner)  # before it is stored, else a sweep could find it abandoned
        return self._lease()

    def drop(self, turn_id: str) -> None:
        """An expected turn is not to be made after all. If it was stored, the next sweep marks it interrupted."""
        if (run := self._runs.get(turn_id)) is not None and run.task is None:
            run.lose()
            self._forget(run)

    def start(self, turn_id: str, owner: str, question: Question) -> None:
        """Make the answer of an expected turn, or of a pending one; unless it is being made, here or elsewhere."""
        run = self._runs.get(turn_id)
        if run is not None and run.task is None:
            run.claimed = True  # stored as ours
        elif run is None and not self._closing.is_set():
            run = self._runs[turn_id] = Run(turn_id, owner)
        else:
            return
        run.task = asyncio.create_task(self._make(run, question))
        self._tasks.add(run.task)
        run.task.add_done_callback(self._tasks.discard)
        self._busy.set()

    def makes(self, turn_id: str, owner: str) -> bool:
        """Whether this owner's turn is being made here just now: then nobody need ask the database whose it is.

        Of a conversation that another process has deleted this is still true until the answer's next write.
        """
        run = self._runs.get(turn_id)
        return run is not None and run.owner == owner and run.claimed and not run.ended

    async def ended(self, turn: Turn) -> Turn | None:
        """Wait for the end of a turn that is made here, and tell it without a look at the database; else None."""
        run = self._runs.get(turn.id)
        return None if run is None else await run.ended_of(turn)

    async def follow(self, turn_id: str, after: int = 0) -> AsyncGenerator[Numbered, None]:
        """Events above `after`, then what comes, at last TurnEnded. Raises TurnNotFound.

        Ends without TurnEnded only where this process shuts down while another one makes the answer.
        """
        after = max(after, 0)
        run = self._runs.get(turn_id) or self._writer.owing(turn_id)
        if run is not None:
            async for numbered in run.follow(after):
                yield numbered
                after = max(after, numbered.number)
                if isinstance(numbered.event, TurnEnded):
                    return
        while not self._closing.is_set():
            try:
                written = await self._journal.since(turn_id, after)
            except TurnNotFound:
                if run is None:
                    raise
                yield Numbered(after + 1, TurnEnded(TurnStatus.STOPPED))  # deleted while it was followed
                return
            for number, event in written.events:
                yield Numbered(number, event)
                after = number
            if written.status.final:
                yield Numbered(written.last + 1, TurnEnded(written.status))
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._closing.wait()

    def known(self, turn: Turn) -> Turn:
        """The turn as its followers know it, where that could not be written yet; else as it is stored."""
        run = None if turn.status.final else self._writer.owing(turn.id)
        return turn if run is None else run.seen_in(turn)

    def stop(self, turn_id: str) -> bool:
        """Stop an answer that is made here; what was written stays. False where it is not made here."""
        run = self._runs.get(turn_id)
        if run is None:
            return False
        self._end(run, TurnStatus.STOPPED)
        return True

    async def interrupt_all(self) -> None:
        """End every answer of this process as interrupted and tell its followers, within FAREWELL_SECONDS.

        To be called as soon as the server is told to go, while streams are still open; a second call does nothing.
        """
        self._closing.set()
        runs = list(self._runs.values())
        for run in runs:
            self._end(run, TurnStatus.INTERRUPTED)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CANCEL_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                for run in runs:
                    await run.over.wait()

    # --- making ------------------------------------------------------------------------------------------------------

    async def _make(self, run: Run, question: Question) -> None:
        run.request_id = request_id() or begin_request()
        if not run.claimed and not await self._claim(run):
            return
        try:
            if not run.ended:
                await self._answer_within_time(run, question)
        finally:  # also where it was cancelled
            self._end(run, TurnStatus.INTERRUPTED)

    async def _claim(self, run: Run) -> bool:
        try:
            run.claimed = await self._journal.claim(run.turn_id, self._lease())
        except StorageError as error:
            self._writer.give_up(run, error)
            return False
        if not run.claimed:
            run.lose()
            self._forget(run)
        return run.claimed

    async def _answer_within_time(self, run: Run, question: Question) -> None:
        try:
            async with asyncio.timeout(self._answer_seconds) as limit:
                await self._take_events(run, question)
        except AppError as error:
            log.warning("answer failed", **_about(run, error.code), detail=error.detail)
            self._add(run, AnswerFailed(error.code, run.request_id, _again_at(error)))
        except Exception as error:  # whatever it was, the reader is told and the log has it
            code = "answer_timeout" if isinstance(error, TimeoutError) and limit.expired() else "internal"
            log.exception("answer failed", **_about(run, code))
            self._add(run, AnswerFailed(code, run.request_id))
        outcome = run.answer.outcome
        self._end(run, STATUS_OF[outcome] if outcome is not None and run.answer.failure is None else TurnStatus.FAILED)

    async def _take_events(self, run: Run, question: Question) -> None:
        events = self._answer(question)
        async with AsyncExitStack() as stack:
            if isinstance(events, AsyncGenerator):  # closed here and now, not when memory is next cleaned up
                await stack.enter_async_context(aclosing(events))
            async for event in events:
                self._add(run, event)
                if run.ended or run.answer.ended:
                    return
        raise RuntimeError("the answer's events stopped without an end")

    def _add(self, run: Run, event: AnswerEvent) -> None:
        run.add(event)
        self._writer.wake(now=not isinstance(event, TextDelta))

    def _end(self, run: Run, status: TurnStatus) -> None:
        """Decide a turn's end; the first decision holds. An answer that does not give way is left behind."""
        run.end(status, _now())
        self._writer.wake(now=True)
        if run.claimed:  # before that, the claim is let through, so that the end can be written
            run.cancel()

    def _forget(self, run: Run) -> None:
        self._runs.pop(run.turn_id, None)
        run.cancel()

    # --- keeping -----------------------------------------------------------------------------------------------------

    async def _keep(self) -> None:
        """Look for stops asked for elsewhere, renew leases, write what is owed, mark what was abandoned."""
        loop = asyncio.get_running_loop()
        swept = loop.time()
        while True:
            if self._runs:
                await asyncio.sleep(STOP_POLL_SECONDS)
            else:
                self._busy.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._sweep_seconds):
                        await self._busy.wait()
            try:
                if self._runs:
                    for turn_id in await self._journal.stops_requested(self._holder):
                        self.stop(turn_id)
                if loop.time() - swept >= self._sweep_seconds:
                    swept = loop.time()
                    await self._journal.renew(tuple(self._runs), self._lease())
                    await self._writer.pay()
                    await self._sweep()
            except StorageError as error:
                log.warning("cannot look after running answers", code=error.code, detail=error.detail)
            except Exception:  # the next round may do; without this task leases would run out
                log.exception("cannot look after running answers")

    async def _sweep(self) -> None:
        now = _now()
        for found in await self._journal.unfinished():
            if self._is_abandoned(found, now) and await self._journal.interrupt(found, now):
                log.warning("answer was interrupted", turn=found.turn_id)

    def _is_abandoned(self, found: Unfinished, now: datetime) -> bool:
        if found.turn_id in self._runs or self._writer.owing(found.turn_id):
            return False
        if found.lease is None:
            return found.created_at + timedelta(seconds=self._lease_seconds) < now
        return found.lease.until < now or found.lease.holder == self._holder or is_dead(found.lease.holder)

    def _lease(self) -> Lease:
        return Lease(self._holder, _now() + timedelta(seconds=self._lease_seconds))


def _again_at(error: AppError) -> datetime | None:
    """When asking again may help, where the error knows it."""
    match error:
        case QuotaExceeded(retry_after=float(seconds)) | SourceUnavailable(retry_after=float(seconds)):
            return _now() + timedelta(seconds=seconds)
        case _:
            return None


def _about(run: Run, code: str) -> dict[str, str]:
    return {"turn": run.turn_id, "code": code, "request_id": run.request_id}


def _now() -> datetime:
    return datetime.now(UTC)

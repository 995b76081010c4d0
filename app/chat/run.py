"""One answer being made in this process: what is written of it, what is not yet, and who is waiting for more.

Not a task and not a writer: those are live.py's. A follower is told only what the journal has, so that the numbers
that a browser has seen are good after a crash, too.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime

from app.domain.answers import EMPTY_ANSWER, Answer, AnswerEvent, AnswerFailed, TextDelta
from app.domain.conversations import Turn, TurnStatus
from app.storage.encoding import writable
from app.storage.journal import Ending, Entry, milliseconds_between


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The last thing that a follower is told: the turn's final status."""

    status: TurnStatus


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event and its number within the turn: 1, 2, 3 …; the end has the number after the last event's."""

    number: int
    event: AnswerEvent | TurnEnded


class Run:
    """The state of one running answer."""

    def __init__(self, turn_id: str, owner: str) -> None:
        self.turn_id = turn_id
        self.owner = owner
        self.status = TurnStatus.RUNNING
        self.claimed = False  # the turn is ours in the database
        self.answer: Answer = EMPTY_ANSWER  # the fold of all events, written or not
        self.request_id = ""
        self.task: asyncio.Task[None] | None = None
        self._written: list[AnswerEvent] = []
        self._in_flight: list[AnswerEvent] = []
        self._waiting: list[AnswerEvent] = []
        self.ended_at: datetime | None = None  # when the end was decided
        self.over = asyncio.Event()  # nothing more will be written here
        self._told = False  # and followers know the end from us; else the journal tells it
        self._changed = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Whether it is decided how the turn ends; it may not be written yet."""
        return self.ended_at is not None or self.over.is_set()

    @property
    def has_news(self) -> bool:
        """Whether there is something to write, and we may."""
        return self.claimed and not self.over.is_set() and bool(self._waiting or self.ended_at)

    def add(self, event: AnswerEvent) -> None:
        """Take one more event. Words that come while others wait join them; after the end nothing is taken."""
        if self.ended:
            return
        if isinstance(event, TextDelta):
            event = replace(event, text=writable(event.text))
        self.answer = self.answer.apply(event)
        last = self._waiting[-1] if self._waiting else None
        if isinstance(event, TextDelta) and isinstance(last, TextDelta) and not last.closes:
            self._waiting[-1] = replace(event, text=last.text + event.text)
        else:
            self._waiting.append(event)

    def end(self, status: TurnStatus, at: datetime) -> None:
        """Decide how the turn ends; the first decision holds."""
        if not self.ended:
            self.status, self.ended_at = status, at

    def cancel(self) -> None:
        """Have the answer's own task give way, wherever it waits."""
        if self.task is not None and self.task is not asyncio.current_task():
            self.task.cancel()

    def take(self) -> Entry:
        """What is to be written now."""
        self._in_flight, self._waiting = self._waiting, []
        ending = Ending(self.status, self.answer, self.ended_at) if self.ended_at else None
        return Entry(self.turn_id, len(self._written) + 1, tuple(self._in_flight), ending)

    def wrote(self, entry: Entry) -> None:
        """The entry is in the journal: followers may know."""
        self._written += self._in_flight
        self._in_flight = []
        if entry.ending is not None:
            self._told = True
            self.over.set()
        self._wake()

    def lose(self) -> None:
        """The turn is no longer ours: whoever follows reads on in the journal."""
        self.over.set()
        self._wake()

    def give_up(self, failed: AnswerFailed, at: datetime) -> Entry:
        """The journal could not be written. Followers are told so; answers what the journal still lacks."""
        number = len(self._written) + 1
        answer = EMPTY_ANSWER
        for event in (*self._written, failed):
            answer = answer.apply(event)
        self._written.append(failed)
        self._in_flight, self._waiting = [], []
        self.answer, self.status, self.ended_at = answer, TurnStatus.FAILED, at
        self._told = True
        self.over.set()
        self._wake()
        return Entry(self.turn_id, number, (failed,), Ending(TurnStatus.FAILED, answer, at))

    def seen_in(self, turn: Turn) -> Turn:
        """The turn as it is here, told to its followers or about to be."""
        took = milliseconds_between(turn.created_at, self.ended_at) if self.ended_at else None
        return replace(turn, status=self.status, answer=self.answer, finished_at=self.ended_at, milliseconds=took)

    async def ended_of(self, turn: Turn) -> Turn | None:
        """Wait for the end: the turn as the journal has it then. None where it was lost: the journal tells."""
        await self.over.wait()
        return self.seen_in(turn) if self._told else None

    async def follow(self, after: int) -> AsyncIterator[Numbered]:
        """Written events above `after`, then what comes. Stops without TurnEnded where the turn was lost."""
        while True:
            changed = self._changed
            while after < len(self._written):
                after += 1
                yield Numbered(after, self._written[after - 1])
            if self.over.is_set():
                if self._told:
                    yield Numbered(len(self._written) + 1, TurnEnded(self.status))
                return
            await changed.wait()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

"""A conversation and its turns: who asked what, and how far the answer is. Not how they are kept."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.answers import EMPTY_ANSWER, Answer
from app.domain.documents import EVERYWHERE, Scope


class TurnStatus(StrEnum):
    """A turn's life: pending → running → one of the others. Only the last six are final."""

    PENDING = "pending"
    RUNNING = "running"
    ANSWERED = "answered"
    WEAK = "weak"
    NOT_FOUND = "not_found"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"

    @property
    def final(self) -> bool:
        return self not in (TurnStatus.PENDING, TurnStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer as far as it is stored.

    Times are aware and in UTC; `milliseconds` run from asked to ended.
    """

    id: str
    conversation_id: str
    position: int
    question: str
    status: TurnStatus
    created_at: datetime
    finished_at: datetime | None = None
    language: str = ""
    scope: Scope = EVERYWHERE
    answer: Answer = EMPTY_ANSWER
    milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A reader's conversation. `title` is made from the first question. `turns` may be left out in listings."""

    id: str
    owner: str
    title: str
    created_at: datetime
    updated_at: datetime
    turns: tuple[Turn, ...] = ()

"""A question, the events of its answer, and the answer as their fold. Pure values: no ids, no storage, no markup."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from app.domain.documents import EVERYWHERE, Page, Passage, Scope


class Outcome(StrEnum):
    """How an answer ended when nothing went wrong. WEAK: these pages may help, without the claim of an answer."""

    ANSWERED = "answered"
    WEAK = "weak"
    NOT_FOUND = "not_found"


class Step(StrEnum):
    """What is being done now. GATHERING stands in for WRITING when the answer will be weak: pages, no prose.

    ASKING: another service is asked for its own answer.
    """

    ASKING = "asking"
    SEARCHING = "searching"
    READING = "reading"
    WRITING = "writing"
    GATHERING = "gathering"


class Origin(StrEnum):
    """Who wrote an answer: the source itself, our language model, or nobody (its words are quoted)."""

    ANSWER_QUERY = "answer_query"
    MODEL = "model"
    QUOTED = "quoted"


class FallbackReason(StrEnum):
    """Why a source's own answer was not to be had. REFUSED: a filter of the source turned the question away."""

    QUOTA_MINUTE = "quota_minute"
    QUOTA_DAY = "quota_day"
    UNAVAILABLE = "unavailable"
    NOT_OFFERED = "not_offered"
    MALFORMED = "malformed"
    NO_ANSWER = "no_answer"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of the conversation and the text that answered it."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Question:
    """What a reader asked, with what was said before (oldest first). `language` is a BCP 47 tag; empty: not known.

    Where `text` was made to stand alone, or into English, `asked` has the reader's own words; else it is empty.
    """

    text: str
    language: str = ""
    scope: Scope = EVERYWHERE
    history: tuple[Exchange, ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited document. `number` is its ordinal, by first use in the text; one number a document."""

    number: int
    name: str
    uri: str
    title: str
    collection: str = ""
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the answer's Markdown and the citation numbers that stand at its end. No numbers: no source (yet).

    `unsupported`: the piece claims something that no document was found to support; it has no numbers then.
    Numbers never stand in `text` itself: a document's own "[1]" stays text.
    """

    text: str
    numbers: tuple[int, ...] = ()
    unsupported: bool = False

    @property
    def closed(self) -> bool:
        """Whether further text begins a segment of its own."""
        return bool(self.numbers) or self.unsupported


@dataclass(frozen=True, slots=True)
class StepStarted:
    """`count`: documents being read, collections being searched; 0 where it says nothing."""

    step: Step
    count: int = 0


@dataclass(frozen=True, slots=True)
class FellBack:
    """The source's own answer was not to be had; what was written before it is void. `until`: when to try again."""

    reason: FallbackReason
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ModelGaveUp:
    """The language model failed; what it wrote is void, and passages are quoted instead. `code`: the error's."""

    code: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More Markdown. `numbers` are set behind it and close its sentence or block. `text` may be empty.

    `unsupported` closes it, too: what it says has no source.
    """

    text: str
    numbers: tuple[int, ...] = ()
    unsupported: bool = False

    @property
    def closes(self) -> bool:
        """Whether the sentence or block ends here."""
        return bool(self.numbers) or self.unsupported


@dataclass(frozen=True, slots=True)
class CitationsFound:
    """All citations known by now, in the order of their numbers; replaces the former list."""

    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class AnswerCompleted:
    """The end when nothing went wrong. `retrieved`: pages in the order of their rank, cited or not.

    `searched_for` is the stand-alone question where it differs from the one asked; else empty. `unreachable` names
    the sources that could not be asked, where others could.
    """

    outcome: Outcome
    retrieved: tuple[Page, ...] = ()
    searched_for: str = ""
    origin: Origin = Origin.QUOTED
    unreachable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerFailed:
    """The end when something went wrong: the error's code and the request id under which the log tells more.

    `until`: when asking again may help, where that is known.
    """

    code: str
    request_id: str = ""
    until: datetime | None = None


AnswerEvent = StepStarted | FellBack | ModelGaveUp | TextDelta | CitationsFound | AnswerCompleted | AnswerFailed


@dataclass(frozen=True, slots=True)
class AnswerWritten:
    """A source's own answer, whole: Markdown and the names of the documents it refers to, which may be none.

    Which sentence rests on which document is not told. `outcome` is what the source thinks of it. Never journalled:
    attribution turns it into the events that readers see.
    """

    text: str
    references: tuple[str, ...] = ()
    outcome: Outcome = Outcome.ANSWERED


SourceEvent = AnswerEvent | AnswerWritten


@dataclass(frozen=True, slots=True)
class Answer:
    """The fold of an answer's events: what browser, terminal, database and API read alike."""

    steps: tuple[StepStarted, ...] = ()
    fell_back: FellBack | None = None
    gave_up: ModelGaveUp | None = None
    segments: tuple[Segment, ...] = ()
    citations: tuple[Citation, ...] = ()
    retrieved: tuple[Page, ...] = ()
    searched_for: str = ""
    origin: Origin = Origin.QUOTED
    unreachable: tuple[str, ...] = ()
    outcome: Outcome | None = None
    failure: AnswerFailed | None = None

    def apply(self, event: AnswerEvent) -> "Answer":
        """The answer after one more event."""
        match event:
            case StepStarted():
                return replace(self, steps=(*self.steps, event))
            case FellBack():
                return replace(self, fell_back=event, segments=(), citations=())
            case ModelGaveUp():
                return replace(self, gave_up=event, segments=(), citations=())
            case TextDelta():
                return replace(self, segments=_joined(self.segments, event))
            case CitationsFound():
                return replace(self, citations=event.citations)
            case AnswerCompleted():
                return replace(
                    self,
                    outcome=event.outcome,
                    retrieved=event.retrieved,
                    searched_for=event.searched_for,
                    origin=event.origin,
                    unreachable=event.unreachable,
                )
            case AnswerFailed():
                return replace(self, failure=event)
            case _:
                assert_never(event)

    @property
    def text(self) -> str:
        """The Markdown without citation numbers."""
        return "".join(segment.text for segment in self.segments).strip()

    @property
    def also_found(self) -> tuple[Page, ...]:
        """Pages that were found but not cited."""
        cited = {citation.name for citation in self.citations}
        return tuple(page for page in self.retrieved if page.name not in cited)

    @property
    def ended(self) -> bool:
        return self.outcome is not None or self.failure is not None


EMPTY_ANSWER = Answer()


def _joined(segments: tuple[Segment, ...], delta: TextDelta) -> tuple[Segment, ...]:
    """Text goes on in the open segment; numbers close it, and so does that nothing supports it."""
    if segments and not segments[-1].closed:
        return (*segments[:-1], Segment(segments[-1].text + delta.text, delta.numbers, delta.unsupported))
    if segments and not delta.text:  # a second mark at the same place
        last = segments[-1]
        numbers = tuple(dict.fromkeys((*last.numbers, *delta.numbers)))
        return (*segments[:-1], Segment(last.text, numbers, not numbers and (last.unsupported or delta.unsupported)))
    return (*segments, Segment(delta.text, delta.numbers, delta.unsupported))

"""Domain values as JSON and back, checked on the way in. Not where they are kept.

A field that a later version adds has a default, so what is stored today can be read then. Fields and kinds that
this version does not know are a newer version's: the former are left out, the latter are StorageCorrupt.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from app.domain.answers import (
    Answer,
    AnswerCompleted,
    AnswerEvent,
    AnswerFailed,
    Citation,
    CitationsFound,
    FellBack,
    ModelGaveUp,
    StepStarted,
    TextDelta,
)
from app.domain.documents import Passage, Scope
from app.domain.errors import StorageCorrupt

Value = TypeVar("Value")
Kept = dict[str, object]  # what json.dumps takes

KINDS: dict[str, type[AnswerEvent]] = {
    "step": StepStarted,
    "fell_back": FellBack,
    "gave_up": ModelGaveUp,
    "text": TextDelta,
    "citations": CitationsFound,
    "completed": AnswerCompleted,
    "failed": AnswerFailed,
}
KIND_OF = {event: kind for kind, event in KINDS.items()}

ADAPTERS: Mapping[str, TypeAdapter[AnswerEvent]] = {kind: TypeAdapter(event) for kind, event in KINDS.items()}
ANSWER = TypeAdapter(Answer)
PASSAGES = TypeAdapter(tuple[Passage, ...])
SCOPE = TypeAdapter(Scope)

UNWRITABLE = {0: "�", **dict.fromkeys(range(0xD800, 0xE000), "�")}


def encode_event(event: AnswerEvent) -> Kept:
    """An event with its kind beside its fields; defaults are left out."""
    kind = KIND_OF[type(event)]
    return {"kind": kind, **ADAPTERS[kind].dump_python(event, mode="json", exclude_defaults=True)}


def decode_event(kept: object) -> AnswerEvent:
    """The event that encode_event was given."""
    kind = kept.get("kind") if isinstance(kept, dict) else None
    if not isinstance(kind, str) or kind not in ADAPTERS:
        raise StorageCorrupt(f"an event of unknown kind {kind!r}")
    return _checked(ADAPTERS[kind], kept)


def encode_answer(answer: Answer) -> Kept:
    """An answer without its citations, which have rows of their own."""
    kept: Kept = ANSWER.dump_python(replace(answer, citations=()), mode="json", exclude_defaults=True)
    return kept


def decode_answer(kept: object, citations: tuple[Citation, ...]) -> Answer:
    """The answer that encode_answer was given, with its citations."""
    return replace(_checked(ANSWER, kept), citations=citations)


def encode_passages(passages: tuple[Passage, ...]) -> list[Kept]:
    kept: list[Kept] = PASSAGES.dump_python(passages, mode="json", exclude_defaults=True)
    return kept


def decode_passages(kept: object) -> tuple[Passage, ...]:
    return _checked(PASSAGES, kept)


def encode_scope(scope: Scope) -> Kept:
    """Names in order, so that equal scopes are equal text."""
    kept = SCOPE.dump_python(scope, mode="json", exclude_defaults=True)
    return {side: sorted(names) for side, names in kept.items()}


def decode_scope(kept: object) -> Scope:
    return _checked(SCOPE, kept)


def writable(text: str) -> str:
    """Text as every database takes it: NUL and lone surrogates, which are no characters, become U+FFFD."""
    return text.translate(UNWRITABLE)


def as_utc(time: datetime) -> datetime:
    """A stored time. SQLite keeps no zone: what is stored is UTC."""
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _checked(adapter: TypeAdapter[Value], kept: object) -> Value:
    try:
        return adapter.validate_python(kept)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"]))
        raise StorageCorrupt(f"a stored value cannot be read: {where}: {problem['msg']}") from error

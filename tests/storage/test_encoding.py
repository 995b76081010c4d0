"""Domain values as JSON and back."""

import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import get_args

import pytest

from app.domain.answers import (
    EMPTY_ANSWER,
    Answer,
    AnswerCompleted,
    AnswerEvent,
    AnswerFailed,
    Citation,
    CitationsFound,
    FallbackReason,
    FellBack,
    ModelGaveUp,
    Origin,
    Outcome,
    Segment,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.documents import EVERYWHERE, Page, Passage, Scope
from app.domain.errors import StorageCorrupt
from app.storage.encoding import (
    decode_answer,
    decode_event,
    decode_passages,
    decode_scope,
    encode_answer,
    encode_event,
    encode_passages,
    encode_scope,
    writable,
)

PASSAGE = Passage('a "b"\n</script> Ünï 😀', ("Top", "Süß"), 0, ((0, 2), (5, 9)))
CITATION = Citation(2, "documents/a%20b", "https://a/b?c=(d)#e", "[1] T", "docs", (PASSAGE, Passage("x", (), None)))
PAGE = Page("documents/a", "https://a", "A", "docs", ("Top",), "…")
EVENTS: tuple[AnswerEvent, ...] = (
    StepStarted(Step.SEARCHING),
    StepStarted(Step.READING, 3),
    FellBack(FallbackReason.UNAVAILABLE),
    FellBack(FallbackReason.QUOTA_DAY, datetime(2026, 5, 1, 12, 30, 1, 5, tzinfo=UTC)),
    TextDelta(""),
    TextDelta("  spaces kept \n\n\t", ()),
    TextDelta("x\x00\u2028", (1, 12)),
    TextDelta("no source", unsupported=True),
    ModelGaveUp("model"),
    CitationsFound(()),
    CitationsFound((CITATION, replace(CITATION, number=3, passages=()))),
    AnswerCompleted(Outcome.WEAK),
    AnswerCompleted(Outcome.NOT_FOUND, (PAGE,), "the stand-alone question"),
    AnswerCompleted(Outcome.ANSWERED, (PAGE,), "", Origin.MODEL, ("wiki",)),
    AnswerFailed("answer_timeout"),
    AnswerFailed("internal", "abc"),
    AnswerFailed("quota_exceeded", "abc", datetime(2026, 5, 1, tzinfo=UTC)),
)
ANSWER = Answer(
    steps=(StepStarted(Step.SEARCHING, 1),),
    fell_back=FellBack(FallbackReason.NO_ANSWER),
    gave_up=ModelGaveUp("model"),
    segments=(Segment("a", (1,)), Segment("c", unsupported=True), Segment("b")),
    citations=(CITATION,),
    retrieved=(PAGE,),
    searched_for="q",
    origin=Origin.ANSWER_QUERY,
    unreachable=("wiki",),
    outcome=Outcome.ANSWERED,
    failure=AnswerFailed("x"),
)


def through_json(value: object) -> object:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was(event: AnswerEvent) -> None:
    back = decode_event(through_json(encode_event(event)))
    assert back == event
    assert type(back) is type(event)


def test_every_kind_of_event_is_among_the_examples() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(AnswerEvent))


@pytest.mark.parametrize("answer", [EMPTY_ANSWER, ANSWER], ids=["empty", "full"])
def test_an_answer_comes_back_as_it_was(answer: Answer) -> None:
    assert decode_answer(through_json(encode_answer(answer)), answer.citations) == answer


def test_the_full_example_uses_every_field_of_an_answer() -> None:
    unset = [each.name for each in fields(Answer) if getattr(ANSWER, each.name) == getattr(EMPTY_ANSWER, each.name)]
    assert unset == []


def test_citations_are_kept_beside_an_answer_not_in_it() -> None:
    assert "documents/a%20b" not in json.dumps(encode_answer(ANSWER))


def test_passages_and_scopes_come_back_as_they_were() -> None:
    passages = (PASSAGE, Passage("x"))
    assert decode_passages(through_json(encode_passages(passages))) == passages
    scope = Scope(frozenset({"b", "a"}), frozenset({"p"}), frozenset({"1"}), frozenset({"g"}))
    assert decode_scope(through_json(encode_scope(scope))) == scope
    assert decode_scope(through_json(encode_scope(EVERYWHERE))) == EVERYWHERE


def test_equal_scopes_are_equal_text() -> None:
    names = [f"n{number}" for number in range(20)]
    one, other = Scope(frozenset(names)), Scope(frozenset(reversed(names)))
    assert json.dumps(encode_scope(one)) == json.dumps(encode_scope(other))


def test_a_field_of_a_newer_version_is_left_out() -> None:
    kept = {**encode_event(TextDelta("x")), "tone": "warm"}
    assert decode_event(kept) == TextDelta("x")


@pytest.mark.parametrize(
    "kept", [None, [], {}, {"kind": "song"}, {"kind": "text"}, {"kind": "text", "text": 5}, {"kind": ["text"]}]
)
def test_what_cannot_be_read_is_corrupt_and_never_guessed(kept: object) -> None:
    with pytest.raises(StorageCorrupt):
        decode_event(kept)


def test_only_what_is_no_character_is_replaced() -> None:
    assert writable("a\x00b\ud83d") == "a�b�"
    assert writable("😀 ü\n\t\x01") == "😀 ü\n\t\x01"

"""An answer is the fold of its events."""

from functools import reduce

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
    Outcome,
    Segment,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.documents import Page

CITATION = Citation(1, "documents/a", "https://a", "A")


def fold(*events: AnswerEvent) -> Answer:
    return reduce(Answer.apply, events, EMPTY_ANSWER)


def test_text_goes_on_until_numbers_close_it() -> None:
    answer = fold(TextDelta("One "), TextDelta("sentence.", (1,)), TextDelta(" Two."))
    assert answer.segments == (Segment("One sentence.", (1,)), Segment(" Two."))
    assert answer.text == "One sentence. Two."


def test_a_second_mark_at_the_same_place_joins_the_first() -> None:
    answer = fold(TextDelta("One.", (1,)), TextDelta("", (2, 1)))
    assert answer.segments == (Segment("One.", (1, 2)),)


def test_marks_before_any_text_make_a_segment_of_their_own() -> None:
    assert fold(TextDelta("", (1,))).segments == (Segment("", (1,)),)


def test_the_last_list_of_citations_counts() -> None:
    other = Citation(2, "documents/b", "https://b", "B")
    assert fold(CitationsFound((CITATION,)), CitationsFound((CITATION, other))).citations == (CITATION, other)


def test_falling_back_voids_what_was_written() -> None:
    fell = FellBack(FallbackReason.QUOTA_DAY)
    answer = fold(TextDelta("Half"), CitationsFound((CITATION,)), fell, TextDelta("Anew."))
    assert (answer.text, answer.citations, answer.fell_back) == ("Anew.", (), fell)


def test_steps_are_kept_as_a_trail() -> None:
    trail = (StepStarted(Step.SEARCHING, 3), StepStarted(Step.READING, 4))
    assert fold(*trail).steps == trail


def test_an_answer_ends_by_completion_or_by_failure() -> None:
    assert not fold(TextDelta("x")).ended
    assert fold(AnswerCompleted(Outcome.WEAK)).ended
    assert fold(AnswerFailed("internal", "r1")).failure == AnswerFailed("internal", "r1")


def test_pages_that_were_found_but_not_cited_are_told_apart() -> None:
    pages = (Page("documents/a", "https://a", "A"), Page("documents/b", "https://b", "B"))
    answer = fold(CitationsFound((CITATION,)), AnswerCompleted(Outcome.ANSWERED, pages, "stand-alone"))
    assert answer.also_found == pages[1:]
    assert answer.searched_for == "stand-alone"


def test_a_sentence_without_a_source_ends_its_segment_and_never_takes_a_later_ones_number() -> None:
    answer = EMPTY_ANSWER
    for delta in (TextDelta("Nobody says so.", unsupported=True), TextDelta(" It is amber."), TextDelta("", (1,))):
        answer = answer.apply(delta)
    assert answer.segments == (Segment("Nobody says so.", unsupported=True), Segment(" It is amber.", (1,)))


def test_a_second_word_on_the_same_sentence_keeps_what_was_said_of_it() -> None:
    doubted = EMPTY_ANSWER.apply(TextDelta("So.", unsupported=True)).apply(TextDelta("", unsupported=True))
    assert doubted.segments == (Segment("So.", unsupported=True),)
    assert doubted.apply(TextDelta("", (2,))).segments == (Segment("So.", (2,)),)


def test_a_model_that_gives_up_leaves_nothing_of_what_it_wrote() -> None:
    written = EMPTY_ANSWER.apply(CitationsFound((Citation(1, "documents/a", "https://a", "A"),)))
    given_up = written.apply(TextDelta("Half a sen", (1,))).apply(ModelGaveUp("model"))
    assert (given_up.segments, given_up.citations, given_up.gave_up) == ((), (), ModelGaveUp("model"))

"""The one table of errors: complete, in the documents word for word, and never repeating what was sent."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from app.domain.answers import AnswerFailed
from app.domain.errors import (
    AppError,
    DayQuotaExceeded,
    QuestionTooLong,
    QuotaExceeded,
    SettingsError,
    SourceUnavailable,
    TooManyQuestions,
)
from app.web.errors import CODES, FACES, HTTP_FACES, OF_ANSWERS, Face, told, told_of_failure, told_of_status
from tests.support.pages import NOW, presented

DOCUMENT = (Path(__file__).parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")
ENGLISH = presented()[0].language


def tree(parent: type[AppError] = AppError) -> Iterator[type[AppError]]:
    yield parent
    for child in parent.__subclasses__():
        yield from tree(child)


# A class that only one floor tells apart keeps its parent's code, and is told like it.
ERRORS = sorted({kind for kind in tree() if "code" in vars(kind)}, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_has_a_row_of_its_own(kind: type[AppError]) -> None:
    assert kind in FACES
    assert 400 <= FACES[kind].status < 600


def test_no_two_errors_share_a_code() -> None:
    assert len({kind.code for kind in ERRORS}) == len(ERRORS)


@pytest.mark.parametrize("code", CODES)
def test_the_documents_say_what_a_reader_is_told(code: str) -> None:
    if code == "internal":  # told like `error`, and explained above the tables
        assert f"`{code}`" in DOCUMENT
        return
    [row] = [line for line in DOCUMENT.splitlines() if line.startswith(f"| `{code}` |")]
    _, _, status, said, _ = (cell.strip() for cell in row.split("|", 4))
    face = CODES[code]
    assert status == str(face.status)
    assert said == re.sub(r"%\(\w+\)s", "…", f"{face.title} {face.text}")


@pytest.mark.parametrize("code", CODES)
def test_a_time_in_a_text_has_words_to_stand_in_for_it(code: str) -> None:
    face = CODES[code]
    assert bool(face.untimed) == bool(re.search(r"%\((wait|until)\)s", face.text))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "Try again in 1 second."),
        (39.6, "Try again in 40 seconds."),
        (90, "Try again in 2 minutes."),
        (5_000, "Try again in 84 minutes."),
        (7_201, "Try again in 3 hours."),
        (0, "Try again."),
        (-5, "Try again."),
        (float("inf"), "Try again in 12 months."),
        (None, "Try again in a moment."),
    ],
)
def test_a_wait_is_told_in_the_largest_unit_that_is_still_true(seconds: float | None, said: str) -> None:
    assert told(QuotaExceeded(retry_after=seconds), ENGLISH, NOW).text.endswith(said)


def test_the_day_s_quota_tells_when_it_comes_back() -> None:
    assert "again from 15:30 UTC. Until" in told(DayQuotaExceeded(retry_after=3_600), ENGLISH, NOW).text
    assert "again from December 1, 14:30 UTC. Until" in told(DayQuotaExceeded(retry_after=86_400), ENGLISH, NOW).text
    assert "again tomorrow" in told(DayQuotaExceeded(), ENGLISH, NOW).text


def test_what_failed_some_time_ago_may_be_asked_again_now() -> None:
    failed = AnswerFailed("quota_exceeded", "r", NOW - timedelta(seconds=1))
    assert told_of_failure(failed, ENGLISH, NOW).text == "Your question is kept. Try again."


def test_the_six_ways_in_which_a_service_fails_are_told_apart() -> None:
    codes = ("quota_exceeded", "day_quota_exceeded", "access_refused", "source_unavailable", "source_too_slow")
    faces = [CODES[code] for code in (*codes, "malformed_reply", "question_refused")]
    assert len({face.title for face in faces}) == len(faces)


def test_what_a_service_wrote_is_never_told() -> None:
    error = SourceUnavailable("<b>upstream says</b>")
    said = told(error, ENGLISH, NOW)
    assert "upstream" not in said.title + said.text


@pytest.mark.parametrize("face", [*FACES.values(), *OF_ANSWERS.values(), *HTTP_FACES.values()], ids=lambda f: f.title)
def test_an_error_says_what_happened_and_what_to_do(face: Face) -> None:
    assert face.title.endswith(".")
    assert face.text.rstrip(".") != ""
    assert not re.search(r"!|Oops|\bI\b|\bwe\b", f"{face.title} {face.text}")


def test_numbers_of_an_error_are_filled_in() -> None:
    assert "12,345 characters; at most 4,000" in told(QuestionTooLong(4000, 12345), ENGLISH).text
    assert "in 40 seconds" in told(TooManyQuestions(39.6), ENGLISH).text
    assert told(SettingsError("FOOTNOTE_PORT", "is no number.", "Give one."), ENGLISH).status == 500


@pytest.mark.parametrize("code", [*CODES, "nothing_that_we_know"])
def test_a_stored_failure_can_always_be_told(code: str) -> None:
    for until in (None, NOW - timedelta(hours=1), NOW + timedelta(hours=30)):
        said = told_of_failure(AnswerFailed(code, "r", until), ENGLISH, NOW)
        assert "%(" not in said.title + said.text


@pytest.mark.parametrize(("status", "shown"), [(404, 404), (418, 418), (500, 500), (503, 503)])
def test_a_failure_of_http_keeps_its_status(status: int, shown: int) -> None:
    assert told_of_status(status, ENGLISH).status == shown

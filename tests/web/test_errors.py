"""The one table of errors: complete, in the documents word for word, and never repeating what was sent."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.errors import AppError, QuestionTooLong, SettingsError, TooManyQuestions
from app.web.errors import CODES, FACES, HTTP_FACES, OF_ANSWERS, Face, told, told_of_code, told_of_status
from tests.support.pages import presented

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
    assert "%(" not in told_of_code(code, ENGLISH).title + told_of_code(code, ENGLISH).text


@pytest.mark.parametrize(("status", "shown"), [(404, 404), (418, 418), (500, 500), (503, 503)])
def test_a_failure_of_http_keeps_its_status(status: int, shown: int) -> None:
    assert told_of_status(status, ENGLISH).status == shown

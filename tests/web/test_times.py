"""Times as a reader is told them: by the clock, with a date where it is another day, and as a length."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from babel import Locale

from app.web.times import Line, clock, length, line, wait
from tests.support.pages import NOW, presented

ENGLISH = presented()[0].language
GERMAN, TURKISH = (replace(ENGLISH, locale=Locale.parse(tag)) for tag in ("de", "tr"))


def test_a_time_of_today_is_told_without_its_date() -> None:
    told = clock(NOW + timedelta(hours=2), NOW, ENGLISH)
    assert (told.text, told.iso, told.form) == ("16:30 UTC", "2026-11-30T16:30:00+00:00", "clock")


def test_a_time_of_another_day_is_told_with_its_date_in_the_language() -> None:
    later = NOW + timedelta(hours=12)
    assert clock(later, NOW, ENGLISH).text == "December 1, 02:30 UTC"
    assert clock(later, NOW, GERMAN).text == "1. Dezember, 02:30 UTC"
    assert clock(later, NOW, TURKISH).text == "1 Aralık, 02:30 UTC"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-3, "in 1 second"),
        (0.2, "in 1 second"),
        (89, "in 89 seconds"),
        (89.5, "in 2 minutes"),
        (121, "in 3 minutes"),
        (5_340, "in 89 minutes"),
        (5_341, "in 2 hours"),
        (126_000, "in 35 hours"),
        (126_001, "in 2 days"),
    ],
)
def test_a_length_is_never_told_too_short(seconds: float, said: str) -> None:
    assert length(seconds, ENGLISH) == said


def test_a_length_has_the_forms_of_its_language() -> None:
    assert length(172_800, GERMAN) == "in 2 Tagen"
    assert wait(NOW + timedelta(seconds=40), NOW, TURKISH).text == "40 saniye sonra"


def test_a_line_is_parted_at_its_time_wherever_the_language_puts_it() -> None:
    told = clock(NOW, NOW, ENGLISH)
    assert line("%(time)s: again. 100%%", told, "time") == Line("", told, ": again. 100%")
    assert line("Again at %(time)s", told, "time").text == "Again at 14:30 UTC"
    assert line("Again.", told, "time").followed_by("So.").before == "Again."
    assert Line("One.").followed_by("Two.").text == "One. Two."
    assert Line("One.").followed_by("") == Line("One.")


def test_a_time_by_the_clock_is_rounded_up_to_the_minute_that_is_shown() -> None:
    told = clock(datetime(2026, 11, 30, 23, 59, 1, tzinfo=UTC), NOW, ENGLISH)
    assert (told.text, told.iso) == ("December 1, 00:00 UTC", "2026-12-01T00:00:00+00:00")

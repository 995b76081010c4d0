"""Languages: which one a reader gets, and how it writes. The catalogue holds every text of the interface."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from app.web.i18n import Languages, text_direction
from tests.support.catalogue import CATALOGUE, extracted, written

NOW = datetime(2026, 11, 30, 14, 30, tzinfo=UTC)
GERMAN = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "%(number)s document"
msgid_plural "%(number)s documents"
msgstr[0] "%(number)s Dokument"
msgstr[1] "%(number)s Dokumente"

msgid "Today"
msgstr "Heute"
"""


@pytest.fixture
def languages(tmp_path: Path) -> Languages:
    (tmp_path / "de.po").write_text(GERMAN.lstrip(), encoding="utf-8")
    return Languages.load(tmp_path)


@pytest.mark.parametrize(
    ("header", "tag"),
    [
        ("", "en"),
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("en;q=0.4, de;q=0.8", "de"),
        ("fr, tr;q=0.9", "en"),
        ("de;q=0, en", "en"),
        (";;;q=x,,de;q=nan" * 200, "en"),
        ("*", "en"),
    ],
)
def test_a_reader_gets_the_first_language_that_is_known(languages: Languages, header: str, tag: str) -> None:
    assert languages.preferred(header).tag == tag


def test_a_po_file_is_enough_for_a_language(languages: Languages) -> None:
    german = languages.preferred("de")
    assert german.ngettext("%(number)s document", "%(number)s documents", 1) == "1 Dokument"
    assert german.ngettext("%(number)s document", "%(number)s documents", 4479) == "4.479 Dokumente"
    assert german.gettext("Not in the catalogue") == "Not in the catalogue"
    assert german.direction == "ltr"


def test_times_are_said_as_one_says_them(languages: Languages) -> None:
    english = languages.default
    assert english.ago(NOW - timedelta(seconds=20), NOW) == "just now"
    assert english.ago(NOW - timedelta(minutes=12), NOW) == "12 minutes ago"
    assert english.seconds(6150) == "6.2 s"
    assert english.seconds(42) == "0.04 s"
    assert english.clock(NOW) == "14:30 UTC"


@pytest.mark.parametrize(
    ("days", "label"),
    [(0, "Today"), (1, "Yesterday"), (2, "Last week"), (7, "Last week"), (20, "Last month"), (90, "September 2026")],
)
def test_conversations_stand_under_their_day(languages: Languages, days: int, label: str) -> None:
    today = date(2026, 11, 30)
    assert languages.default.day(today - timedelta(days=days), today) == label


@pytest.mark.parametrize(
    ("tag", "direction"), [("ar", "rtl"), ("he-IL", "rtl"), ("en", "ltr"), ("", "ltr"), ("?", "ltr")]
)
def test_a_document_runs_in_its_own_direction(tag: str, direction: str) -> None:
    assert text_direction(tag) == direction


def test_the_catalogue_holds_every_text_of_the_interface() -> None:
    assert CATALOGUE.read_text(encoding="utf-8") == written(extracted()), "run: python -m tests.support.catalogue"

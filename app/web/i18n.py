"""Which language a page speaks, and how that language writes words, dates and numbers. Not the words themselves.

English is the msgid; every other language is one `.po` file in `app/locales`, read at start without a compiled file.
"""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Self

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_datetime, format_timedelta
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from babel.support import NullTranslations, Translations

SOURCE_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its texts and its forms. Times are shown in UTC; scripts make them local where they run."""

    locale: Locale
    translations: NullTranslations

    @property
    def tag(self) -> str:
        """The BCP 47 tag, as `lang` wants it."""
        return str(self.locale).replace("_", "-")

    @property
    def direction(self) -> str:
        """`ltr` or `rtl`."""
        return str(self.locale.text_direction)

    def gettext(self, text: str, **values: object) -> str:
        """The text in this language, with `%(name)s` filled in."""
        return str(self.translations.gettext(text)) % values if values else str(self.translations.gettext(text))

    def ngettext(self, one: str, many: str, number: int, **values: object) -> str:
        """The text in the plural form of `number`, which the text may name as `%(number)s`."""
        return str(self.translations.ngettext(one, many, number)) % {"number": self.number(number), **values}

    def number(self, number: float) -> str:
        return str(format_decimal(number, locale=self.locale))

    def seconds(self, milliseconds: int) -> str:
        """A length of time as `6.2 s`."""
        figure = format_decimal(
            milliseconds / 1000, format="#,##0.0" if milliseconds >= 100 else "0.00", locale=self.locale
        )
        return self.gettext("%(figure)s s", figure=figure)

    def moment(self, moment: datetime) -> str:
        """The exact time, for those who point at a relative one."""
        return str(format_datetime(moment.astimezone(UTC), "long", locale=self.locale))

    def clock(self, moment: datetime) -> str:
        return str(format_datetime(moment.astimezone(UTC), "HH:mm 'UTC'", locale=self.locale))

    def ago(self, moment: datetime, now: datetime) -> str:
        """`12 minutes ago`; `just now` within a minute."""
        if now - moment < timedelta(minutes=1):
            return self.gettext("just now")
        return str(format_timedelta(moment - now, add_direction=True, locale=self.locale))

    def day(self, day: date, today: date) -> str:
        """The heading under which a day's conversations stand; one heading for several older days."""
        match (today - day).days:
            case 0:
                return self.gettext("Today")
            case 1:
                return self.gettext("Yesterday")
            case days if 1 < days <= 7:
                return self.gettext("Last week")
            case days if 7 < days <= 31:
                return self.gettext("Last month")
            case _:
                return str(format_date(day, "LLLL y", locale=self.locale))


@dataclass(frozen=True, slots=True)
class Languages:
    """All languages that the interface speaks, English first."""

    known: tuple[Language, ...]

    @classmethod
    def load(cls, folder: Path) -> Self:
        """English, and one language for each `.po` file in `folder`."""
        english = Language(Locale.parse(SOURCE_LANGUAGE), NullTranslations())
        return cls((english, *(_read(path) for path in sorted(folder.glob("*.po")))))

    @property
    def default(self) -> Language:
        return self.known[0]

    def preferred(self, accept_language: str) -> Language:
        """The first known language of an Accept-Language header, by the reader's weight; else English."""
        for wanted in _by_weight(accept_language):
            for language in self.known:
                if wanted == language.tag.lower() or wanted.partition("-")[0] == language.locale.language:
                    return language
        return self.default


def _read(path: Path) -> Language:
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.stem)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Language(Locale.parse(path.stem), Translations(compiled))


def _by_weight(accept_language: str) -> Iterable[str]:
    """The tags of the header, lower-cased, heaviest first; what cannot be read is passed over."""
    weighted: list[tuple[float, str]] = []
    for part in accept_language[:500].split(","):
        tag, _, parameter = part.strip().partition(";")
        try:
            weight = float(parameter.strip().removeprefix("q=")) if parameter else 1.0
        except ValueError:
            continue
        if tag and weight > 0:
            weighted.append((weight, tag.strip().lower()))
    return [tag for _, tag in sorted(weighted, key=lambda pair: -pair[0])]


def text_direction(tag: str) -> str:
    """The direction of a document's language; left to right where the language is not known."""
    try:
        return str(Locale.parse(tag, sep="-").text_direction)
    except (UnknownLocaleError, ValueError, TypeError):
        return "ltr"

"""Times as a reader is told them: until when, and how long yet. Not the sentences that they stand in.

The server knows no reader's clock: it writes UTC and the exact time, and scripts make that local where they run.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import ceil

from babel.dates import format_skeleton, format_timedelta

from app.web.i18n import Language

CLOCK, WAIT = "clock", "wait"  # forms that static/js/local-time.js knows beside its own, "ago"
NEXT_UNIT = 1.5  # of the next unit: up to here a length is told in the smaller one ("80 seconds", "30 hours")
_PLACE = "\0"


@dataclass(frozen=True, slots=True)
class Moment:
    """A time: for machines, exact, and as one says it. `form` tells scripts how to say it: empty, `clock` or `wait`."""

    iso: str
    exact: str
    text: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or two with a time in it, or without one."""

    before: str
    moment: Moment | None = None
    after: str = ""

    @property
    def text(self) -> str:
        """The whole as plain words."""
        return f"{self.before}{self.moment.text if self.moment else ''}{self.after}"

    def followed_by(self, sentence: str) -> "Line":
        """This and another sentence, which may be empty."""
        if not sentence:
            return self
        if self.moment is None:
            return replace(self, before=f"{self.before} {sentence}")
        return replace(self, after=f"{self.after} {sentence}")


def moment(time: datetime, text: str, language: Language, form: str = "") -> Moment:
    """`time` as a Moment that says `text`."""
    return Moment(time.astimezone(UTC).isoformat(timespec="seconds"), language.moment(time), text, form)


def clock(time: datetime, now: datetime, language: Language) -> Moment:
    """`09:00 UTC`; with the date where it is another day's: `December 2, 09:00 UTC`. To the minute that follows."""
    if over := timedelta(seconds=time.second, microseconds=time.microsecond):
        time += timedelta(minutes=1) - over  # whoever comes at the minute that is shown must not be too early
    text = language.clock(time)
    if time.astimezone(UTC).date() != now.astimezone(UTC).date():
        day = format_skeleton("MMMMd", time.astimezone(UTC), locale=language.locale)
        text = language.gettext("%(day)s, %(time)s", day=day, time=text)
    return moment(time, text, language, CLOCK)


def wait(time: datetime, now: datetime, language: Language) -> Moment:
    """How long it is yet until `time`: `in 40 seconds`."""
    return moment(time, length((time - now).total_seconds(), language), language, WAIT)


def length(seconds: float, language: Language) -> str:
    """A time to come: `in 40 seconds`, `in 3 minutes`. Rounded up, so that nobody comes too early."""
    whole = max(1, ceil(seconds))
    for unit, larger in ((1, 60), (60, 3_600), (3_600, 86_400)):
        counted = ceil(whole / unit) * unit
        if counted < NEXT_UNIT * larger:
            break
    else:
        counted = ceil(whole / 86_400) * 86_400
    return str(
        format_timedelta(timedelta(seconds=counted), threshold=NEXT_UNIT, add_direction=True, locale=language.locale)
    )


def line(text: str, told: Moment, name: str) -> Line:
    """A translated text with its `%(name)s` made that time."""
    before, _, after = (text % {name: _PLACE}).partition(_PLACE)
    return Line(before, told, after)

"""The spans of time over which a quota counts: any minute, and the day of California. Not what is allowed in them."""

from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from datetime import time as time_of_day
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

MINUTE = 60.0
MARGIN = 1.0  # seconds: two calls a minute apart here may arrive there a little closer


class MinuteWindow:
    """At most `limit` in any minute. A token bucket would let almost twice as many pass in the first one.

    `now` is monotonic. Should it go back, what was taken later than now counts as taken now.
    """

    def __init__(self, limit: int | None, now: Callable[[], float]) -> None:
        self._limit = limit
        self._now = now
        self._taken: deque[float] = deque()

    def wait(self) -> float:
        """Seconds until one may be taken; 0: now."""
        if self._limit is None:
            return 0.0
        if self._limit <= 0:
            return MINUTE
        now = self._now()
        if self._taken and self._taken[-1] > now:
            self._taken = deque(min(each, now) for each in self._taken)
        while self._taken and self._taken[0] <= now - MINUTE - MARGIN:
            self._taken.popleft()
        return 0.0 if len(self._taken) < self._limit else self._taken[0] + MINUTE + MARGIN - now

    def take(self) -> None:
        if self._limit is not None:
            self._taken.append(self._now())

    def give_back(self) -> None:
        """The last one was not used after all: the source was not asked."""
        if self._taken:
            self._taken.pop()


def _pacific() -> tzinfo:
    """The quota's day ends at midnight there. Without time zone data: winter time, so in summer an hour late."""
    try:
        return ZoneInfo("America/Los_Angeles")
    except ZoneInfoNotFoundError:
        return timezone(timedelta(hours=-8))


PACIFIC = _pacific()


def quota_day(at: datetime, zone: tzinfo = PACIFIC) -> str:
    """The day to which a call counts, as YYYY-MM-DD. After the clock was set back: that day again, with its count."""
    return at.astimezone(zone).date().isoformat()


def until_reset(at: datetime, zone: tzinfo = PACIFIC) -> float:
    """Seconds until the next day begins there."""
    tomorrow = at.astimezone(zone).date() + timedelta(days=1)
    return (datetime.combine(tomorrow, time_of_day.min, zone).astimezone(UTC) - at).total_seconds()

"""How often a program may call: a bucket of tokens for each caller. Not who calls, and not how much an answer costs."""

import time
from collections import OrderedDict
from collections.abc import Callable

from app.domain.errors import TooManyQuestions

CALLERS = 10_000  # buckets kept; the one not used for longest goes first, and was most likely full again


class RateLimit:
    """`a_minute` calls on the average, `burst` at once. `now` in seconds."""

    def __init__(
        self,
        a_minute: float = 60,
        burst: int = 20,
        *,
        now: Callable[[], float] = time.monotonic,
        callers: int = CALLERS,
    ) -> None:
        self._per_second = a_minute / 60
        self._burst = burst
        self._now = now
        self._callers = callers
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and since when

    def take(self, caller: str) -> None:
        """Count one call. Raises TooManyQuestions with the time until the next one may come."""
        now = self._now()
        left, since = self._left.pop(caller, (float(self._burst), now))
        left = min(float(self._burst), left + max(0.0, now - since) * self._per_second)
        self._left[caller] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > self._callers:
            self._left.popitem(last=False)
        if left < 1:
            raise TooManyQuestions((1 - left) / self._per_second)

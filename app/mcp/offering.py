"""Which tools a server offers, and which of them serves what we need. Not how a tool is called."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

from app.domain.errors import ToolNotOffered

# What we need, and the tools that serve it, the best first: get_documents also tells titles.
SEARCH = ("search_documents",)
ANSWER = ("answer_query",)
ONE_DOCUMENT = ("get_documents", "get_document", "batch_get_documents")
DOCUMENTS = ("get_documents", "batch_get_documents", "get_document")

LOOK_AGAIN_SECONDS = 60.0  # a tool that was not there is looked for again; nothing stays dead


class Offering:
    """The tools offered, as `read` told them last. Read when first needed, and again when it proves wrong."""

    def __init__(self, read: Callable[[], Awaitable[tuple[str, ...]]], clock: Callable[[], float] = monotonic) -> None:
        self._read = read
        self._clock = clock
        self._reading = asyncio.Lock()
        self._names: tuple[str, ...] | None = None
        self._at = 0.0

    async def pick(self, wanted: tuple[str, ...]) -> str:
        """The best tool for it. Raises ToolNotOffered, and what reading raises."""
        names = self._names if self._names is not None else await self.anew(None)
        found = _best(wanted, names)
        if found is None and self._clock() - self._at >= LOOK_AGAIN_SECONDS:
            found = _best(wanted, await self.anew(names))
        if found is None:
            raise ToolNotOffered(f"{wanted[0]}: not among {len(self._names or ())} tools")
        return found

    async def pick_instead(self, wanted: tuple[str, ...], unknown: str) -> str:
        """The tool to try after the server did not know `unknown`. Raises ToolNotOffered."""
        if self._names is None or unknown in self._names:
            await self.anew(self._names)
        found = _best(wanted, self._names or ())
        if found is None or found == unknown:
            raise ToolNotOffered(f"{unknown}: unknown to the server")
        return found

    async def anew(self, known: tuple[str, ...] | None) -> tuple[str, ...]:
        """The tools as the server tells them now, read once for all who found `known` wrong."""
        async with self._reading:
            if self._names is None or self._names is known:
                self._names = await self._read()
                self._at = self._clock()
            return self._names

    def forget(self) -> None:
        """The list proved wrong: it is read again when next needed."""
        self._names = None

    @property
    def known(self) -> tuple[str, ...] | None:
        """What was read last; None before the first time."""
        return self._names


def _best(wanted: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    return next((tool for tool in wanted if tool in names), None)

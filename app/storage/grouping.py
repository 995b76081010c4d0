"""Calls that come while another is under way are done together by the next one. Not what they do.

So that many small writes at once cost few transactions, and one alone waits for nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from app.domain.errors import StorageError

AT_MOST = 100  # a transaction stays short, and a statement's parameters below what databases take

Item = TypeVar("Item")
Result = TypeVar("Result")


class Grouped(Generic[Item, Result]):
    """Turns `do(items)`, which answers one result for each item in order, into a call for one item.

    `do` is all or nothing. Where it fails for a reason that may lie in one item, each item is done alone; a
    StorageError lies in none, so all are told. Whoever is cancelled before the group begins is left out of it.
    """

    def __init__(self, do: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]]) -> None:
        self._do = do
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._work: asyncio.Task[None] | None = None

    async def __call__(self, item: Item) -> Result:
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._work_off())
        return await future

    async def _work_off(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:AT_MOST], self._waiting[AT_MOST:]
            if group := [each for each in group if not each[1].done()]:
                await self._together(group)

    async def _together(self, group: list[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            results = await self._do([item for item, _ in group])
        except asyncio.CancelledError:  # the loop ends
            for _, future in group:
                future.cancel()
            raise
        except Exception as error:  # noqa: BLE001  # told to whoever asked
            await self._spare_the_others(group, error)
        else:
            for (_, future), result in zip(group, results, strict=True):
                if not future.done():
                    future.set_result(result)

    async def _spare_the_others(self, group: list[tuple[Item, asyncio.Future[Result]]], error: Exception) -> None:
        if len(group) > 1 and not isinstance(error, StorageError):
            for each in group:
                await self._together([each])
            return
        for _, future in group:
            if not future.done():
                future.set_exception(error)

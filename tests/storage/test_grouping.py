"""Calls that are done together, each told its own result."""

import asyncio
from collections.abc import Sequence

import pytest

from app.domain.errors import StorageFull
from app.storage.grouping import AT_MOST, Grouped


class Doubling:
    """Doubles numbers; the first group waits until the gate opens. A negative number is refused with all beside it."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.under_way, self.gate = asyncio.Event(), asyncio.Event()
        self.full = False

    async def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.groups.append(list(numbers))
        self.under_way.set()
        await self.gate.wait()
        if self.full:
            raise StorageFull("database or disk is full")
        if any(number < 0 for number in numbers):
            raise ValueError("negative")
        return [2 * number for number in numbers]


async def under_way(doubling: Doubling, *numbers: int) -> tuple[asyncio.Task[int], list[asyncio.Task[int]]]:
    """One call that is under way, and those that came meanwhile."""
    doubled = Grouped(doubling)
    first = asyncio.create_task(doubled(0))
    await doubling.under_way.wait()
    others = [asyncio.create_task(doubled(number)) for number in numbers]
    await asyncio.sleep(0)
    return first, others


async def test_what_comes_meanwhile_is_done_together_and_in_order() -> None:
    doubling = Doubling()
    first, others = await under_way(doubling, 1, 2, 3)
    doubling.gate.set()
    assert await asyncio.gather(first, *others) == [0, 2, 4, 6]
    assert doubling.groups == [[0], [1, 2, 3]]


async def test_a_call_after_the_last_group_is_done_as_well() -> None:
    doubling = Doubling()
    doubling.gate.set()
    doubled = Grouped(doubling)
    assert [await doubled(number) for number in (1, 2)] == [2, 4]
    assert doubling.groups == [[1], [2]]


async def test_a_group_has_its_greatest_size() -> None:
    doubling = Doubling()
    first, others = await under_way(doubling, *range(AT_MOST + 1))
    doubling.gate.set()
    assert await asyncio.gather(first, *others) == [0, *range(0, 2 * AT_MOST + 1, 2)]
    assert [len(group) for group in doubling.groups] == [1, AT_MOST, 1]


async def test_one_that_cannot_be_done_does_not_harm_the_others() -> None:
    doubling = Doubling()
    first, others = await under_way(doubling, 1, -1, 3)
    doubling.gate.set()
    results = await asyncio.gather(first, *others, return_exceptions=True)
    assert isinstance(results.pop(2), ValueError)
    assert results == [0, 2, 6]


async def test_a_storage_that_fails_is_told_to_all_and_asked_once() -> None:
    doubling = Doubling()
    first, others = await under_way(doubling, 1, 2)
    doubling.full = True
    doubling.gate.set()
    results = await asyncio.gather(first, *others, return_exceptions=True)
    assert [type(result) for result in results] == [StorageFull] * 3
    assert doubling.groups == [[0], [1, 2]]


async def test_who_leaves_before_the_group_begins_is_left_out() -> None:
    doubling = Doubling()
    first, others = await under_way(doubling, 1, 2)
    others[0].cancel()
    await asyncio.sleep(0)
    doubling.gate.set()
    assert [await first, await others[1]] == [0, 4]
    assert doubling.groups == [[0], [2]]
    with pytest.raises(asyncio.CancelledError):
        await others[0]


async def test_who_leaves_while_the_group_is_done_disturbs_nobody() -> None:
    doubling = Doubling()
    first, others = await under_way(doubling, 1)
    first.cancel()
    await asyncio.sleep(0)
    doubling.gate.set()
    assert await others[0] == 2

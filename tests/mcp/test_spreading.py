"""Requests fill small pools one after the other, and give their places back however they end."""

import asyncio

import httpx
import pytest

from app.mcp.spreading import IN_A_POOL, SpreadTransport
from tests.support.remote import remote


class Pool(httpx.AsyncBaseTransport):
    """Answers at once; requests to /down fail, those to /never wait."""

    def __init__(self) -> None:
        self.requests = 0
        self.closed = False
        self.arrived = asyncio.Semaphore(0)  # a release for each that waits

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        if request.url.path == "/down":
            raise httpx.ConnectError("down")
        if request.url.path == "/never":
            self.arrived.release()
            await asyncio.Event().wait()
        return httpx.Response(200, stream=httpx.ByteStream(b"ok"))

    async def aclose(self) -> None:
        self.closed = True


@pytest.fixture
def pools() -> list[Pool]:
    return []


@pytest.fixture
def transport(pools: list[Pool]) -> SpreadTransport:
    def make() -> Pool:
        pools.append(Pool())
        return pools[-1]

    return SpreadTransport(2, make)


async def test_one_after_the_other_use_one_pool(transport: SpreadTransport, pools: list[Pool]) -> None:
    async with httpx.AsyncClient(transport=transport) as client:
        for _ in range(3 * IN_A_POOL):
            assert (await client.get("http://a.dev/")).text == "ok"
    assert [pool.requests for pool in pools] == [3 * IN_A_POOL]
    assert pools[0].closed


async def test_those_at_once_use_the_next_pool_and_at_last_the_least_busy(
    transport: SpreadTransport, pools: list[Pool]
) -> None:
    async with httpx.AsyncClient(transport=transport) as client:
        held = [await client.send(client.build_request("GET", "http://a.dev/"), stream=True) for _ in range(18)]
        assert [pool.requests for pool in pools] == [9, 9]
        for response in held:
            await response.aclose()
            await response.aclose()  # twice is once
        await client.get("http://a.dev/")
        assert [pool.requests for pool in pools] == [10, 9]


async def test_a_place_is_free_again_after_a_failure_or_a_stop(transport: SpreadTransport, pools: list[Pool]) -> None:
    async with httpx.AsyncClient(transport=transport) as client:
        for _ in range(2 * IN_A_POOL):
            with pytest.raises(httpx.ConnectError):
                await client.get("http://a.dev/down")
        waiting = [asyncio.create_task(client.get("http://a.dev/never")) for _ in range(IN_A_POOL)]
        for _ in waiting:
            await pools[0].arrived.acquire()
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await client.get("http://a.dev/")
    assert [pool.requests for pool in pools] == [3 * IN_A_POOL + 1]


async def test_a_hundred_at_once_are_all_answered_over_real_connections() -> None:
    async with remote(answer_seconds=0.2) as (source, upstream):
        for _ in range(2):
            found = await asyncio.gather(*(source.search_documents("token") for _ in range(100)))
            assert all(found)
        assert upstream.calls == {"search_documents": 200}

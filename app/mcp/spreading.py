"""Many small connection pools as one transport, since httpx's own grows slow when it is large. Not a limit of rates."""

import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import cast

import httpx

# For each request httpcore goes through all connections of its pool, and for each idle one through all again: 200
# requests at once in one pool add a second of work, in pools of 8 next to none.
IN_A_POOL = 8


@dataclass(slots=True)
class _Pool:
    transport: httpx.AsyncBaseTransport
    busy: int = 0


class SpreadTransport(httpx.AsyncBaseTransport):
    """Fills one pool before it opens the next, so that few requests share few connections.

    Beyond `pools` times eight requests at once, a request waits for a connection of the least busy pool.
    """

    def __init__(self, pools: int, make: Callable[[], httpx.AsyncBaseTransport]) -> None:
        self._most = max(1, pools)
        self._make = make
        self._pools: list[_Pool] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        pool = self._free()
        pool.busy += 1
        try:
            response = await pool.transport.handle_async_request(request)
        except BaseException:
            pool.busy -= 1
            raise
        response.stream = _Counted(cast("httpx.AsyncByteStream", response.stream), pool)
        return response

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.transport.aclose()

    def _free(self) -> _Pool:
        for pool in self._pools:
            if pool.busy < IN_A_POOL:
                return pool
        if len(self._pools) < self._most:
            self._pools.append(_Pool(self._make()))
            return self._pools[-1]
        return min(self._pools, key=lambda pool: pool.busy)


class _Counted(httpx.AsyncByteStream):
    """A reply's body; its pool counts as busy until it is closed."""

    def __init__(self, stream: httpx.AsyncByteStream, pool: _Pool) -> None:
        self._stream = stream
        self._pool: _Pool | None = pool

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece

    async def aclose(self) -> None:
        pool, self._pool = self._pool, None
        try:
            await self._stream.aclose()
        finally:
            if pool is not None:
                pool.busy -= 1


def spread_transport(connections: int, keep_seconds: float, proxy: str | None) -> SpreadTransport:
    """Real connections, with one TLS context for all pools: each takes 20 ms to make."""
    context: ssl.SSLContext = httpx.create_ssl_context(trust_env=False)
    limits = httpx.Limits(max_connections=IN_A_POOL, max_keepalive_connections=IN_A_POOL, keepalive_expiry=keep_seconds)

    def make() -> httpx.AsyncBaseTransport:
        return httpx.AsyncHTTPTransport(verify=context, limits=limits, trust_env=False, proxy=proxy)

    return SpreadTransport(-(-connections // IN_A_POOL), make)

"""What Footnote adds to a remote server and to a language model: alone, and two hundred questions at once.

Server and model are the tests' own, on loopback, in processes of their own. Nothing is asked of anybody else.
"""

import asyncio
import json
import re
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import httpx

from tests.bench.asking import percentile, until_ready
from tests.bench.processes import ROOT, Failed, serving
from tests.bench.silent import Silence, through_nginx

TOPICS = (
    "How do I create a queue?",
    "How long is a message kept?",
    "How large may a message be?",
    "What does a dead-letter queue take?",
    "How do I send a message again?",
)
AT_ONCE = 200
UPSTREAM_SECONDS = 2.0
WORD_SECONDS = 0.03
START_SECONDS = 30.0


def added_by_us(folder: Path) -> Iterator[tuple[str, float, float | None]]:
    """Figures as (name, milliseconds, goal)."""
    with (
        _helper("upstream", "--tools", "live") as upstream,
        _served(folder, "alone", {"FOOTNOTE_SOURCE_URL": f"{upstream}/mcp"}) as address,
    ):
        _asked(address, _questions(10))  # connections and code are warm
        direct = _direct(upstream, 100)
        ours = _asked(address, _questions(100, "alone"))
        yield "ready answer, added to the call, p50", _ms(percentile(ours, 0.5) - percentile(direct, 0.5)), 10
        yield "ready answer, added to the call, p95", _ms(percentile(ours, 0.95) - percentile(direct, 0.5)), 50
        _told(upstream, {"tool": "answer_query", "play": "A:quota_day"})
        _asked(address, _questions(20, "cold"))
        warm = _asked(address, _questions(100, "warm"))
        yield "fallback, documents in memory, p95", _ms(percentile(warm, 0.95)), 300
    with (
        _helper("upstream", "--tools", "live", "--answer-seconds", str(UPSTREAM_SECONDS)) as upstream,
        _served(folder, "many", {"FOOTNOTE_SOURCE_URL": f"{upstream}/mcp"}) as address,
    ):
        asyncio.run(_at_once(address, _questions(20, "first")))
        took = asyncio.run(_at_once(address, _questions(AT_ONCE, "many")))
        for share in (0.5, 0.95):
            name = f"{AT_ONCE} at once, {UPSTREAM_SECONDS:g} s upstream, added, p{share * 100:.0f}"
            yield name, _ms(percentile(took, share) - UPSTREAM_SECONDS), 300 if share == 0.95 else None
    with _helper("upstream", "--tools", "live") as upstream, _helper("model", "--delay", str(WORD_SECONDS)) as model:
        settings = {
            "FOOTNOTE_SOURCE_URL": f"{upstream}/mcp",
            "FOOTNOTE_MODEL_URL": f"{model}/v1",
            "FOOTNOTE_MODEL_NAME": "fake",
        }
        _told(upstream, {"tool": "answer_query", "play": "A:unknown_tool"})
        with _served(folder, "model", settings) as address:
            alone = asyncio.run(_at_once(address, _questions(1, "one")))
            took = asyncio.run(_at_once(address, _questions(AT_ONCE, "writing")))
            added = percentile(took, 0.95) - alone[0]
            yield f"{AT_ONCE} at once, a model writing, over one alone, p95", _ms(added), 300


def silence(folder: Path) -> Silence | None:
    """A reader behind nginx while the source says nothing; None where there is no nginx."""
    with (
        _helper("upstream", "--tools", "live") as upstream,
        _served(folder, "silent", {"FOOTNOTE_SOURCE_URL": f"{upstream}/mcp"}) as address,
    ):
        for tool in ("answer_query", "search_documents"):
            _told(upstream, {"tool": tool, "play": "silent"})
        return through_nginx(address, folder, TOPICS[0])


def _questions(count: int, about: str = "warming") -> list[str]:
    return [f"{TOPICS[number % len(TOPICS)]} ({about} {number})" for number in range(count)]


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(address: str, questions: Sequence[str]) -> list[float]:
    """Seconds of each, one after the other. Raises Failed where one is not answered."""
    took = []
    with httpx.Client(timeout=60) as client:
        for question in questions:
            began = perf_counter()
            reply = client.post(f"{address}/api/v1/ask", json={"question": question})
            took.append(perf_counter() - began)
            _check(reply.status_code, reply.text)
    return took


async def _at_once(address: str, questions: Sequence[str]) -> list[float]:
    """Over plain sockets: a client that works hard itself would be measured along."""
    return list(await asyncio.gather(*(_one(address, question) for question in questions)))


async def _one(address: str, question: str) -> float:
    body = json.dumps({"question": question}).encode()
    host = address.removeprefix("http://")
    head = (
        f"POST /api/v1/ask HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    began = perf_counter()
    reader, writer = await asyncio.open_connection(*host.split(":"))
    writer.write(head.encode() + body)
    reply = await reader.read()
    took = perf_counter() - began
    writer.close()
    status, _, content = reply.partition(b"\r\n\r\n")
    _check(int(status.split()[1]), content.decode())
    return took


def _check(status: int, content: str) -> None:
    if status != 200 or json.loads(content)["status"] in ("failed", "interrupted"):
        raise Failed(f"not answered: {status} {content[:300]}")


def _direct(upstream: str, count: int) -> list[float]:
    """Seconds of the same call without us."""
    took = []
    params = {"name": "answer_query", "arguments": {"query": TOPICS[0]}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    with httpx.Client(timeout=60) as client:
        for _ in range(count):
            began = perf_counter()
            client.post(f"{upstream}/mcp", json=body).raise_for_status()
            took.append(perf_counter() - began)
    return took


def _told(upstream: str, play: Mapping[str, object]) -> None:
    request = urllib.request.Request(f"{upstream}/play", json.dumps(play).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=START_SECONDS) as reply:
        if reply.status != 200:
            raise Failed(f"the upstream does not take {play}")


# --- programs --------------------------------------------------------------------------------------------------------


@contextmanager
def _helper(name: str, *arguments: str) -> Iterator[str]:
    """The address of one of the tests' own servers."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"tests.support.{name}", "--port", "0", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    watchdog = threading.Timer(START_SECONDS, process.kill)
    watchdog.start()
    with process:
        try:
            assert process.stdout is not None
            found = re.search(r"ready on (\d+)", process.stdout.readline())
            if not found:
                raise Failed(f"{name} does not start")
            watchdog.cancel()
            yield f"http://127.0.0.1:{found[1]}"
        finally:
            watchdog.cancel()
            process.terminate()


@contextmanager
def _served(folder: Path, name: str, settings: Mapping[str, str]) -> Iterator[str]:
    own = {"FOOTNOTE_DATA": str(folder / f"data-{name}"), "FOOTNOTE_LOG_LEVEL": "warning", **settings}
    with serving(own, folder / f"serve-{name}.log", until_ready) as server:
        yield server.address

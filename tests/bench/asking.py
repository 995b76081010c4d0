"""A running server from outside: when it is ready, how fast it answers, what a page weighs. Not its insides."""

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from time import perf_counter
from urllib.parse import urljoin, urlsplit

import httpx

TRIES = 3000  # at most so many looks at /readyz, each a request of its own
SECONDS = 30


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds from the question to the first event, and to `done`."""

    first: float
    whole: float


def until_ready(address: str) -> None:
    """Ask /readyz until it says 200."""
    with httpx.Client(timeout=SECONDS) as client:
        for _ in range(TRIES):
            if client.get(f"{address}/readyz").status_code == 200:
                return
    raise TimeoutError(f"{address} does not become ready")


def answers(address: str, questions: Sequence[str]) -> list[Timing]:
    """Ask one after the other over the API's stream."""
    timings = []
    with httpx.Client(timeout=SECONDS) as client:
        for question in questions:
            began = perf_counter()
            first = 0.0
            with client.stream(
                "POST", f"{address}/api/v1/ask", json={"question": question}, headers={"Accept": "text/event-stream"}
            ) as reply:
                reply.raise_for_status()
                for line in reply.iter_lines():
                    if not first and line.startswith("data:"):
                        first = perf_counter() - began
                    if line == "event: done":
                        timings.append(Timing(first, perf_counter() - began))
    return timings


def page_weight(address: str) -> tuple[int, tuple[str, ...]]:
    """Bytes of the first page and all that it loads, as sent with gzip; and what lies elsewhere and is not counted."""
    with httpx.Client(timeout=SECONDS, headers={"Accept-Encoding": "gzip"}) as client:
        page = client.get(address)
        waiting, seen, elsewhere, weight = _loaded(page.text, address), {address}, list[str](), _weight(page)
        while waiting:
            target = waiting.pop()
            if target in seen:
                continue
            seen.add(target)
            if urlsplit(target).netloc != urlsplit(address).netloc:
                elsewhere.append(target)
                continue
            part = client.get(target)
            part.raise_for_status()
            weight += _weight(part)
            if "javascript" in part.headers.get("content-type", ""):
                waiting |= {urljoin(target, name) for name in re.findall(r"""from\s*["'](\.[^"']+)["']""", part.text)}
    return weight, tuple(elsewhere)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def questions_of(text: str) -> list[str]:
    """The questions of a file in the form of docs/evaluate.md."""
    return [json.loads(line)["question"] for line in text.splitlines() if line.strip()]


def _loaded(html: str, address: str) -> set[str]:
    """What a browser fetches for the page: scripts, style, icons."""
    tags = re.findall(r"<(?:script|link|img)\b[^>]*>", html)
    found = set()
    for tag in tags:
        if tag.startswith("<link") and not re.search(r'rel="(?:stylesheet|icon|modulepreload|preload)"', tag):
            continue
        if source := re.search(r'\b(?:src|href)="([^"]+)"', tag):
            found.add(urljoin(address, unescape(source[1])).partition("#")[0])
    return found


def _weight(reply: httpx.Response) -> int:
    """Bytes on the wire. A reply that was sent plain is weighed as its proxy would compress it."""
    if reply.headers.get("content-encoding"):
        return int(reply.num_bytes_downloaded)
    return len(gzip.compress(reply.content, 6))

"""An OpenAI-compatible server on loopback that writes from the passages it is given. No intelligence, no test.

Run by hand, `python -m tests.support.model --port 0` prints `ready on PORT`. Which play it gives is told by `play=`, by
`--play`, or by "play:NAME" in the question; several are joined by "+".

Content: supported (the default), unsupported (one sentence has no source), silent, empty, markup, long, endless,
misnumbered.
Dialect: crlf, tight (no space behind "data:"), comments, multiline, nodone, usage, parts, nulls, reasoning, think,
tools, json, newlimit (only max_completion_tokens), notemperature, whole (one delta), letters (one delta a letter).
Failure: error (in mid-stream), cut, length, filter, hang (before the first word), stall (after three), badjson,
redirect, huge, or a status: 400, 401, 403, 404, 429, 500, 503.
"""

import argparse
import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

UNSUPPORTED = "Every reader also receives a blue bicycle from the purple walrus committee."
SENTINEL = "NO_ANSWER"
MARKUP = (
    '<img src="https://evil.example/x"> <div hx-get="/evil">x</div> {{7*7}} data: taken\r\nevent: end\x00\n\n'
    "![beacon](https://evil.example/beacon.png) [a link](https://evil.example/?q=secret) <https://evil.example/auto>\n\n"
)
STATUSES = {"400", "401", "403", "404", "429", "500", "503"}
BODY = "SECRET-BODY-OF-THE-MODEL"  # stands in every failure; must be seen nowhere
_BREAKING = {
    "error": json.dumps({"error": {"message": BODY, "code": 500}}),
    "badjson": f"{{{BODY}",
    "cut": "",
    "stall": "",
}
_PASSAGE = re.compile(r"^\[(\d{1,3})\][^\n]*\n(.*?)(?=^--- |^\[\d{1,3}\] |\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"[A-ZÄÖÜ][^\n.!?|`#]{25,240}[.!?](?=\s|$)")


@dataclass
class Asked:
    """One request as it came, and what became of it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    cancelled: bool = False
    finished: bool = False


@dataclass
class FakeModel:
    """Use as `async with FakeModel() as model:`; `model.url` then is what an operator would set."""

    play: str = "supported"
    delay: float = 0.0  # seconds before each word
    first: float = 0.0  # seconds before the first one
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    streams: int = 0
    most: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)  # set when a caller went away in mid-answer

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def __post_init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while (asked := await _request(reader)) is not None:
                self.asked.append(asked)
                self.arrived.set()
                if not await self._watched(asked, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _watched(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Plays the answer until its end or until the caller is gone. Whether the connection can be used again."""
        self.streams += 1
        self.most = max(self.most, self.streams)
        playing = asyncio.create_task(self._play(asked, writer))
        watching = asyncio.create_task(reader.read(1))  # nothing may come before the answer's end but the end itself
        try:
            await asyncio.wait((playing, watching), return_when=asyncio.FIRST_COMPLETED)
            if playing.done():
                asked.finished = True
                return playing.result()
            raise ConnectionResetError
        except ConnectionError:
            asked.cancelled = True
            self.left.set()
            return False
        finally:
            self.streams -= 1
            for task in (playing, watching):
                task.cancel()
            await asyncio.gather(playing, watching, return_exceptions=True)

    async def _play(self, asked: Asked, writer: asyncio.StreamWriter) -> bool:
        body = asked.body
        question = str(body["messages"][-1]["content"])
        named = re.search(r"play:([\w+]+)", question)
        plays = set((named[1] if named else self.play).split("+"))
        if (status := _refusal(plays, body)) is not None:
            return await _plain(writer, *status)
        if "hang" in plays:
            await asyncio.sleep(600)
        deltas = _deltas(_written(plays, body["messages"]), plays)
        if "json" in plays or not body.get("stream"):
            message = {"role": "assistant", "content": "".join(deltas)}
            reply = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
            return await _plain(writer, 200, json.dumps(reply))
        await self._head(writer)
        if self.first:
            await asyncio.sleep(self.first)
        async for line in self._lines(deltas, plays):
            end = "\r\n" if "crlf" in plays else "\n"
            await _chunk(writer, (line + "\n").replace("\n", end).encode())
        if "cut" in plays:
            return False
        await _chunk(writer, b"")
        return False  # as many servers do: one answer a connection

    async def _head(self, writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
            b"Connection: close\r\n\r\n"
        )
        await writer.drain()

    async def _lines(self, deltas: Sequence[str], plays: set[str]) -> AsyncIterator[str]:
        """The stream's events, each ended by a line end."""
        data = "data:" if "tight" in plays else "data: "
        if "comments" in plays:
            yield ": keep-alive\n"
        if "usage" in plays or "nulls" in plays:
            yield f"{data}{json.dumps({'choices': []})}\n"
        for extra in _before(plays):
            yield f"{data}{json.dumps(_event(extra))}\n"
        for place, text in enumerate(deltas):
            if self.delay:
                await asyncio.sleep(self.delay)
            if place == 3 and plays & set(_BREAKING):
                if "stall" in plays:
                    await asyncio.sleep(600)
                for breaking in sorted(plays & set(_BREAKING)):
                    yield f"{data}{_BREAKING[breaking]}\n"
                return
            content: Any = [{"type": "text", "text": text}] if "parts" in plays else text
            event = json.dumps(_event({"content": content}), indent=1 if "multiline" in plays else None)
            yield "".join(f"{data}{line}\n" for line in event.split("\n"))
        for line in _ending(plays):
            yield data + line


def _refusal(plays: set[str], body: dict[str, Any]) -> tuple[int, str] | None:
    for status in sorted(plays & STATUSES):
        return int(status), json.dumps({"error": {"message": BODY}})
    if "redirect" in plays:
        return 307, ""
    if "newlimit" in plays and "max_tokens" in body:
        text = f"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead. {BODY}"
        return 400, json.dumps({"error": {"message": text, "param": "max_tokens", "code": "unsupported_parameter"}})
    if "notemperature" in plays and "temperature" in body:
        text = f"Unsupported value: 'temperature' does not support 0 with this model. {BODY}"
        return 400, json.dumps({"error": {"message": text, "param": "temperature", "code": "unsupported_value"}})
    return None


def _ending(plays: set[str]) -> list[str]:
    reason = "length" if "length" in plays else "content_filter" if "filter" in plays else "stop"
    ended = [json.dumps(_event({}, reason))]
    if "usage" in plays:
        ended.append(json.dumps({"choices": [], "usage": {"total_tokens": 7}}))
    if "nodone" not in plays:
        ended.append("[DONE]")
    return [f"{line}\n" for line in ended]


def _before(plays: set[str]) -> list[dict[str, Any]]:
    """Deltas that have no text for readers."""
    found: list[dict[str, Any]] = []
    if "nulls" in plays:
        found.append({"role": "assistant", "content": None})
    if "reasoning" in plays:
        found += [{"reasoning_content": "SECRET THOUGHT"}, {"reasoning": "SECRET THOUGHT", "content": ""}]
    if "tools" in plays:
        found.append({"tool_calls": [{"index": 0, "function": {"name": "open", "arguments": "{}"}}]})
    return found


def _event(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _deltas(text: str, plays: set[str]) -> list[str]:
    if "think" in plays:
        text = f"<think>SECRET THOUGHT [1]</think>\n\n{text}"
    if "whole" in plays:
        return [text]
    return list(text) if "letters" in plays else re.findall(r"\s*\S+", text)


def _written(plays: set[str], messages: Sequence[dict[str, Any]]) -> str:
    """Two to four sentences out of the passages, each with the number of its own."""
    prompt = str(messages[-1]["content"])
    if "silent" in plays:
        return SENTINEL
    if "empty" in plays:
        return ""
    if "huge" in plays:
        return "All of it again and again. " * 4000
    if "endless" in plays:
        return " ".join(f"word{number}" for number in range(5000))
    passages = {int(number): text for number, text in _PASSAGE.findall(prompt)}
    found = [(number, hit[0]) for number, text in passages.items() for hit in list(_SENTENCE.finditer(text))[:2]]
    if not found:  # a short call: a question made to stand alone
        return prompt.strip().splitlines()[-1] if "Passages" not in prompt else SENTINEL
    if "long" in plays:
        return "\n\n".join(f"{sentence} [{number}]" for number, sentence in found * 20)
    told = [f"{sentence[:-1]} [{number}]{sentence[-1]}" for number, sentence in found[:4]]
    if "misnumbered" in plays:
        told = [re.sub(r"\[\d+\]", "[99]", sentence) for sentence in told]
    if "unsupported" in plays:
        told.insert(1, UNSUPPORTED)
    return (MARKUP if "markup" in plays else "") + " ".join(told)


async def _request(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:]) if name}
    content = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(head[0].split(" ")[1], headers, json.loads(content or b"{}"))


async def _plain(writer: asyncio.StreamWriter, status: int, text: str) -> bool:
    retry = "Retry-After: 7\r\n" if status in (429, 503) else ""
    where = "Location: http://127.0.0.1:9/\r\n" if status == 307 else ""
    body = text.encode()
    head = (
        f"HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\n{retry}{where}Content-Length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()
    return True


async def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def _run(port: int, play: str, delay: float) -> None:
    async with FakeModel(play=play, delay=delay, port=port) as model:
        print(f"ready on {model.port}", flush=True)  # noqa: T201
        await asyncio.Event().wait()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--play", default="supported")
    options.add_argument("--delay", type=float, default=0.03)
    given = options.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(_run(given.port, given.play, given.delay))

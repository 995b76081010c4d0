"""What an OpenAI-compatible endpoint sends, read as deltas of text: event streams, plain JSON. No network."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterable
from dataclasses import dataclass

from app.domain.errors import ModelError

LINE_LIMIT = 1_000_000  # characters of one event: far more than any honest one
LENGTH = "length"
DONE = "[DONE]"
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")  # a return at the very end may be half of a line end
_OPENING = ("<think>", "<thinking>")
_CLOSING = re.compile(r"</think(?:ing)?>")


@dataclass(frozen=True, slots=True)
class Delta:
    """A bit of a reply. Empty `text`: a sign of life only. `reason`: why it ended. `done`: nothing follows."""

    text: str = ""
    reason: str = ""
    done: bool = False


async def events_of(chunks: AsyncIterable[str]) -> AsyncGenerator[str, None]:
    """The data of each event of a stream. Lines may end in any of the three ways; comments and other fields go.

    Some servers forget the blank line between events: then an event ends where its data is whole.
    """
    rest = ""
    data: list[str] = []
    async for chunk in chunks:
        *lines, rest = _LINE_END.split(rest + chunk)
        if len(rest) > LINE_LIMIT or sum(map(len, data)) > LINE_LIMIT:
            raise ModelError(f"an event of more than {LINE_LIMIT} characters")
        for line in lines:
            if line.startswith("data:"):
                if data and _is_whole("\n".join(data)):
                    yield "\n".join(data)
                    data = []
                data.append(line[5:].removeprefix(" "))
            elif not line and data:
                yield "\n".join(data)
                data = []
    last = rest.rstrip("\r")
    if last.startswith("data:"):
        if data and _is_whole("\n".join(data)):
            yield "\n".join(data)
            data = []
        data.append(last[5:].removeprefix(" "))
    if data:
        yield "\n".join(data)


def delta_of(event: str) -> Delta:
    """What one event holds. Raises ModelError for an error object and for what is no JSON."""
    if event.strip() == DONE:
        return Delta(done=True)
    return _delta(_loaded(event), "delta")


def whole(body: str) -> Delta:
    """A plain JSON reply, though a stream was asked for."""
    return _delta(_loaded(body), "message")


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ModelError(f"{len(text)} characters that are no JSON") from None


def _is_whole(event: str) -> bool:
    try:
        json.loads(event)
    except (ValueError, RecursionError):
        return event.strip() == DONE
    return True


def _delta(found: object, key: str) -> Delta:
    if not isinstance(found, dict):
        raise ModelError("a reply that is no JSON object")
    if found.get("error"):
        error = found["error"]
        code = error.get("code") if isinstance(error, dict) else None
        raise ModelError(f"an error in the reply, code {code if isinstance(code, int) else 'not a number'}")
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return Delta()
    said = choice.get(key) or choice.get("delta") or choice.get("message")
    text = _text(said.get("content")) if isinstance(said, dict) else ""
    reason = choice.get("finish_reason")
    return Delta(text, reason if isinstance(reason, str) else "")


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # parts: only those of text are for readers
        parts = (part for part in content if isinstance(part, dict) and part.get("type", "text") == "text")
        return "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return ""


class Thoughts:
    """Leaves out what a model thinks aloud before its answer, `<think>…</think>`, however it is split."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, text: str) -> str:
        """What is for readers of the text so far and was not given before."""
        if self._state == "answer":
            return text
        if self._state == "between":
            return self._answer(text) if (text := text.lstrip()) else ""
        self._held += text
        if self._state == "start":
            begun = self._held.lstrip().lower()
            if any(mark.startswith(begun) for mark in _OPENING):
                return ""
            if not begun.startswith(_OPENING):
                return self._answer(self._held)
            self._state = "thinking"
        closed = _CLOSING.search(self._held)
        if closed is None:
            self._held = self._held[-12:]  # longer than the closing mark
            return ""
        self._state = "between"
        return self.feed(self._held[closed.end() :])

    def end(self) -> str:
        """What was held back and turned out to be text."""
        return self._held if self._state == "start" else ""

    def _answer(self, text: str) -> str:
        self._state, self._held = "answer", ""
        return text

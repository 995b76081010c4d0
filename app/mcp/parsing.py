"""JSON and event streams as others send them, read without trust. Not what they mean."""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BROKEN = re.compile("[\ud800-\udfff\x00]")


def parsed(body: bytes) -> object:
    """The JSON, or None where it is none: broken, too deep, with NaN or numbers of thousands of digits."""
    try:
        found: object = json.loads(body.decode("utf-8-sig", "replace"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return found


def clean(text: str) -> str:
    """The text with U+FFFD for NUL and for halves of letters, which no database and no browser takes."""
    return _BROKEN.sub("\ufffd", text)


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


class EventLines:
    """Puts an event stream together from its pieces: the data of each event, whatever its name."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The data of the events that end in this piece."""
        self._rest += piece
        if b"\n" not in piece and b"\r" not in piece:
            return
        held = b"\r" if self._rest.endswith(b"\r") else b""  # its LF may be in the next piece
        *whole, rest = _LINE_END.split(self._rest[: len(self._rest) - len(held)])
        self._rest = bytearray(rest + held)
        yield from self._events(whole)

    def end(self) -> Iterator[bytes]:
        """The data of the last event, where the stream ended without a blank line."""
        rest, self._rest = bytes(self._rest), bytearray()
        yield from self._events([*_LINE_END.split(rest), b""])

    def _events(self, lines: list[bytes] | list[bytearray]) -> Iterator[bytes]:
        for line in lines:
            if not line:
                if self._data:
                    data, self._data = b"\n".join(self._data), []
                    yield data
            elif line.startswith(b"data:"):
                self._data.append(bytes(line[5:]).removeprefix(b" "))

"""Requests as the fake upstream reads them from a connection. Not what is answered."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any


@dataclass
class Requested:
    """One request as it came, and what became of it. `method` is that of JSON-RPC, `tool` empty but for tools/call."""

    path: str
    verb: str
    headers: dict[str, str]
    body: dict[str, Any]
    status: int = 0
    cancelled: bool = False
    finished: bool = False

    @property
    def method(self) -> str:
        return str(self.body.get("method", ""))

    @property
    def params(self) -> dict[str, Any]:
        found = self.body.get("params")
        return found if isinstance(found, dict) else {}

    @property
    def tool(self) -> str:
        return str(self.params.get("name", "")) if self.method == "tools/call" else ""

    @property
    def arguments(self) -> dict[str, Any]:
        found = self.params.get("arguments")
        return found if isinstance(found, dict) else {}


async def request_from(reader: asyncio.StreamReader) -> Requested | None:
    """The next request, or None where the caller is gone."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    verb, path, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:]) if name}
    content = await reader.readexactly(int(headers.get("content-length", "0")))
    return Requested(path, verb, headers, json.loads(content or b"{}"))

"""Event streams as a browser reads them: messages, and a page whose named parts they fill. Not a browser."""

import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

PARTIAL = re.compile(r'<hx-partial hx-target="#([^"]+)" hx-swap="([^"]+)">(.*?)</hx-partial>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `name` is empty for an unnamed one."""

    data: str
    name: str = ""
    id: str = ""


def read(text: str) -> list[Message]:
    """The messages of a whole stream; comments are passed over. Only LF ends a line here, as we promise."""
    assert "\r" not in text
    found = []
    for block in text.split("\n\n"):
        fields: dict[str, list[str]] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
        if "data" in fields:
            data = "\n".join(fields["data"])
            found.append(Message(data, fields.get("event", [""])[-1], fields.get("id", [""])[-1]))
    return found


async def messages(pieces: AsyncIterator[bytes]) -> AsyncIterator[Message]:
    """The messages of a stream in flight, each as soon as it is whole."""
    waiting = ""
    async for piece in pieces:
        waiting += piece.decode()
        *whole, waiting = waiting.split("\n\n")
        for block in whole:
            for message in read(block + "\n\n"):
                yield message


@dataclass(slots=True)
class Parts:
    """The named parts of a page, as htmx fills them: what is outside of a partial would be seen in `stray`."""

    parts: dict[str, str] = field(default_factory=dict)
    stray: str = ""
    done: str = ""

    def take(self, told: Iterable[Message]) -> "Parts":
        for message in told:
            if message.name:
                self.done = message.data
                continue
            self.stray += PARTIAL.sub("", message.data)
            for target, swap, html in PARTIAL.findall(message.data):
                self.parts[target] = self.parts.get(target, "") + html if swap == "beforeend" else html
        return self

"""The addresses of our own pages, below a proxy's prefix, each part encoded once. Not the documents' own."""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote, urlencode

from app.domain.documents import NAME_PREFIX
from app.web.links import followable

PASSAGE = re.compile(r"(\d{1,9})-(\d{1,9})-([0-9a-f]{8})")


class Routes(Protocol):
    """What knows the app's routes by name."""

    def url_path_for(self, name: str, /, **path_params: str) -> str: ...


@dataclass(frozen=True, slots=True)
class PassageMark:
    """Where a passage stands, `content[start:end]`, and a sum over its text that tells whether it still does.

    The sum guards against a document that has changed since the link was made; it is no secret and no signature.
    """

    start: int
    end: int
    sum: str

    @classmethod
    def of(cls, text: str, start: int) -> "PassageMark":
        return cls(start, start + len(text), checksum(text))

    @classmethod
    def read(cls, written: str) -> "PassageMark | None":
        """The mark of a link's `passage=`, or None where it is no such thing."""
        found = PASSAGE.fullmatch(written)
        return cls(int(found[1]), int(found[2]), found[3]) if found else None

    def __str__(self) -> str:
        return f"{self.start}-{self.end}-{self.sum}"

    def found_in(self, content: str) -> bool:
        return self.start < self.end <= len(content) and checksum(content[self.start : self.end]) == self.sum


def checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses by the names of the routes. `root` is the prefix without a final slash, or empty."""

    routes: Routes
    root: str = ""

    def __call__(self, name: str, /, **parts: str) -> str:
        """The path of a route; parts are encoded here, and a slash in them stays one."""
        encoded = {part: quote(value, safe="/:@!$'()*,;=&+~") for part, value in parts.items()}
        return self.root + str(self.routes.url_path_for(name, **encoded))

    def asked(self, name: str, parts: dict[str, str], query: dict[str, str], fragment: str = "") -> str:
        """The same with a query and a fragment; what is empty is left out."""
        pairs = urlencode({key: value for key, value in query.items() if value})
        return self(name, **parts) + (f"?{pairs}" if pairs else "") + (f"#{fragment}" if fragment else "")

    def turn_in_conversation(self, conversation: str, turn: str, *, wait: bool = False) -> str:
        """The page of a conversation at a turn; with `wait` it waits (not for ever) until the answer is whole."""
        query = {"wait": "1" if wait else ""}
        return self.asked("conversation", {"conversation_id": conversation}, query, f"turn-{turn}")

    def reader(self, name: str, passages: Iterable[PassageMark] = ()) -> str:
        """Our page of a document, at its first passage of those to be marked."""
        path = self("document", name=name.removeprefix(NAME_PREFIX))
        query = "&".join(f"passage={passage}" for passage in passages)
        return f"{path}?{query}#passage-1" if query else path


def outside(uri: str) -> str:
    """The address where a document is read outside this app; empty where it has none or none that may be followed."""
    address = followable(uri)
    return address if address and not address.startswith("mailto:") else ""

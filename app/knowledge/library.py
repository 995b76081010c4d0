"""What there is to ask about, over remote servers: their names, and whether they answer. Not the own documents."""

from collections.abc import Sequence
from typing import Protocol

from app.domain.documents import Collection, Readiness


class Shelf(Protocol):
    """Something with collections that can be asked, or not."""

    async def collections(self) -> tuple[Collection, ...]: ...

    async def readiness(self) -> Readiness: ...


class Answering(Protocol):
    """A source that remembers how its last call ended."""

    async def readiness(self) -> Readiness: ...


class RemoteShelf:
    """A remote server as one collection of its name; how many documents it has nobody tells."""

    def __init__(self, name: str, source: Answering) -> None:
        self._name = name
        self._source = source

    async def collections(self) -> tuple[Collection, ...]:
        return (Collection(self._name, documents=None),)

    async def readiness(self) -> Readiness:
        return await self._source.readiness()


class JoinedShelves:
    """Several as one: all collections, and ready as long as one of them is."""

    def __init__(self, shelves: Sequence[Shelf]) -> None:
        self._shelves = shelves

    async def collections(self) -> tuple[Collection, ...]:
        return tuple([each for shelf in self._shelves for each in await shelf.collections()])

    async def readiness(self) -> Readiness:
        """The first problem where nothing is ready."""
        found = [await shelf.readiness() for shelf in self._shelves]
        return next((each for each in found if each.ready), found[0])

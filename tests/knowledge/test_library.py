"""What there is to ask about, over several shelves."""

from dataclasses import dataclass

from app.domain.documents import Collection, Readiness
from app.knowledge.library import JoinedShelves, RemoteShelf

DOWN = Readiness(ready=False, problem="source_unavailable")
EMPTY = Readiness(ready=False, problem="index_missing")
READY = Readiness(ready=True)


@dataclass
class Scripted:
    state: Readiness
    names: tuple[str, ...] = ()

    async def readiness(self) -> Readiness:
        return self.state

    async def collections(self) -> tuple[Collection, ...]:
        return tuple(Collection(name, 3) for name in self.names)


async def test_a_remote_server_is_one_collection_whose_size_nobody_tells() -> None:
    shelf = RemoteShelf("google", Scripted(DOWN))
    assert await shelf.collections() == (Collection("google", None),)
    assert await shelf.readiness() == DOWN


async def test_several_shelves_have_all_collections_in_their_order() -> None:
    joined = JoinedShelves([Scripted(READY, ("wiki", "plant")), RemoteShelf("google", Scripted(READY))])
    assert [each.name for each in await joined.collections()] == ["wiki", "plant", "google"]


async def test_several_shelves_are_ready_as_long_as_one_of_them_is() -> None:
    assert await JoinedShelves([Scripted(EMPTY), Scripted(READY)]).readiness() == READY
    assert await JoinedShelves([Scripted(EMPTY), Scripted(DOWN)]).readiness() == EMPTY

"""Which tool serves what, and when the list of tools is read again."""

import asyncio

import pytest

from app.domain.errors import SourceUnavailable, ToolNotOffered
from app.mcp.offering import ANSWER, DOCUMENTS, LOOK_AGAIN_SECONDS, ONE_DOCUMENT, SEARCH, Offering


class Server:
    """Offers `tools`; `now` is the time."""

    def __init__(self, *tools: str) -> None:
        self.tools = tools
        self.reads = 0
        self.now = 1000.0
        self.down = False

    async def read(self) -> tuple[str, ...]:
        self.reads += 1
        await asyncio.sleep(0)
        if self.down:
            raise SourceUnavailable
        return self.tools


def offering(server: Server) -> Offering:
    return Offering(server.read, lambda: server.now)


@pytest.mark.parametrize(
    ("tools", "one", "many"),
    [
        (("get_documents",), "get_documents", "get_documents"),
        (("get_document", "batch_get_documents"), "get_document", "batch_get_documents"),
        (("get_document",), "get_document", "get_document"),
        (("batch_get_documents",), "batch_get_documents", "batch_get_documents"),
        (("get_document", "batch_get_documents", "get_documents"), "get_documents", "get_documents"),
    ],
)
async def test_a_fetch_is_served_by_the_best_tool_there_is(tools: tuple[str, ...], one: str, many: str) -> None:
    found = offering(Server(*tools))
    assert await found.pick(ONE_DOCUMENT) == one
    assert await found.pick(DOCUMENTS) == many


async def test_many_who_ask_at_once_read_the_list_once() -> None:
    server = Server(*SEARCH)
    found = offering(server)
    assert set(await asyncio.gather(*(found.pick(SEARCH) for _ in range(20)))) == set(SEARCH)
    assert server.reads == 1


async def test_a_tool_that_was_missing_is_looked_for_again_but_not_all_the_time() -> None:
    server = Server(*SEARCH)
    found = offering(server)
    for _ in range(3):
        with pytest.raises(ToolNotOffered):
            await found.pick(ANSWER)
    assert server.reads == 1
    server.tools += ANSWER
    server.now += LOOK_AGAIN_SECONDS
    assert await found.pick(ANSWER) == "answer_query"
    assert server.reads == 2


async def test_a_list_that_could_not_be_read_is_read_at_the_next_call() -> None:
    server = Server(*SEARCH)
    server.down = True
    found = offering(server)
    with pytest.raises(SourceUnavailable):
        await found.pick(SEARCH)
    server.down = False
    assert await found.pick(SEARCH) == "search_documents"


async def test_a_tool_that_the_server_lists_but_does_not_know_is_not_offered() -> None:
    server = Server("get_documents")
    found = offering(server)
    with pytest.raises(ToolNotOffered):
        await found.pick_instead(DOCUMENTS, await found.pick(DOCUMENTS))
    assert server.reads == 2

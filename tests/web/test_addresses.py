"""Our own addresses: each part encoded once, below any prefix, and passages that are found again or told."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from app.domain.answers import AnswerCompleted, AnswerEvent, Outcome, Question
from app.domain.documents import Document, name_of
from app.main import create_app
from app.web.addresses import Addresses, PassageMark, outside
from tests.support.asgi import Client, served
from tests.support.corpus import settings_for
from tests.support.pages import presented
from tests.support.scripted import ScriptedSource

ADDRESSES = presented()[0].addresses
ODD = [
    "https://docs.example.com/with spaces",
    "https://docs.example.com/with%20spaces%20encoded",
    "https://docs.example.com/percent%2Fencoded",
    "https://docs.example.com/a%252Fb",
    "https://docs.example.com/page?id=3&part=#x",
    "https://docs.example.com/what?",
    "https://docs.example.com/plus+and&ampersand=1;2",
    "https://docs.example.com/ümläut/日本語",
    "https://docs.example.com/(round)/[square]/{curly}",
    "https://docs.example.com/a//b",
    "https://docs.example.com/documents/again",
    "footnote://handbook/ask",
]


async def _nothing(_: Question) -> AsyncIterator[AnswerEvent]:
    yield AnswerCompleted(Outcome.NOT_FOUND)


LIBRARY = ScriptedSource(_nothing, [Document(name_of(uri), uri, f"# {uri}\n\nThe words.", title=uri) for uri in ODD])


@pytest.fixture(params=["", "/chat", "/documents"])
def root(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def client(tmp_path: Path, root: str) -> AsyncIterator[Client]:
    async with served(create_app(settings_for(tmp_path / "data", root_path=root), source=LIBRARY)) as opened:
        yield opened


async def test_every_document_is_opened_by_the_address_that_we_give_it(client: Client, root: str) -> None:
    addresses = Addresses(ADDRESSES.routes, root)
    for uri in ODD:
        reply = await client.get(addresses.reader(name_of(uri)))
        assert reply.status == 200, uri
        link = LexborHTMLParser(reply.text).css_first(".address a.button")
        assert (link.attributes["href"] if link else "") == outside(uri)


@pytest.mark.parametrize("root", ["", "/chat"], indirect=True)
async def test_an_address_written_by_hand_after_the_documents_own_opens_it_too(client: Client) -> None:
    for uri in ODD[:4]:
        path = uri.removeprefix("https://").replace(" ", "%20")
        assert (await client.get(f"/documents/{path}")).status == 200, uri


@pytest.mark.parametrize("root", ["", "/chat"], indirect=True)
@pytest.mark.parametrize(
    "path", ["/documents/%FF", "/documents/", "/documents/a%00b", "/documents/%", "/documents/%0Ax"]
)
async def test_an_address_that_names_nothing_is_not_found(client: Client, path: str) -> None:
    assert (await client.get(path)).status == 404


@pytest.mark.parametrize("root", ["/chat"], indirect=True)
async def test_a_proxy_may_keep_the_prefix_or_strip_it(client: Client) -> None:
    """Behaviour 48: what a page links to is found with the prefix and without it."""
    for path in ("/", "/search", "/healthz", "/c/none"):
        kept, stripped = await client.get(f"/chat{path}"), await client.get(path)
        assert kept.status == stripped.status
    start = LexborHTMLParser((await client.get("/chat/")).text)
    links = [
        value
        for node in start.css("[href], [src], [action], [hx-post]")
        for name in ("href", "src", "action", "hx-post")
        if (value := node.attributes.get(name)) and value.startswith("/")
    ]
    assert len(links) > 5
    assert all(link.startswith("/chat/") for link in links)
    for link in {link for link in links if "/static/" in link}:
        assert (await client.get(link)).status == 200
    asked = await client.post("/chat/conversations", {"question": "What is this?"})
    assert asked.status == 303
    assert asked.headers["location"].startswith("/chat/c/")
    assert (await client.get(asked.headers["location"])).status == 200
    problem = await client.post("/chat/api/v1/ask", body=b"{", headers={"content-type": "application/json"})
    assert problem.headers["content-type"] == "application/problem+json"


def test_a_passage_is_known_again_as_long_as_it_stands_there() -> None:
    content = "Before. The pump is slow. After."
    mark = PassageMark.of("The pump is slow.", 8)
    assert PassageMark.read(str(mark)) == mark
    assert mark.found_in(content)
    assert not mark.found_in("Before! " + content)
    assert not mark.found_in("")


@pytest.mark.parametrize(
    "written", ["", "1-2", "1-2-xyz", "-1-2-00000000", "1-2-00000000-3", "９-9-00000000", "a" * 999]
)
def test_what_is_no_passage_is_passed_over(written: str) -> None:
    mark = PassageMark.read(written)
    assert mark is None or not mark.found_in("some content that is long enough")


@pytest.mark.parametrize(
    "uri", ["footnote://handbook/ask", "javascript:alert(1)", "mailto:a@example.com", "https://a@b.example/", "", "//x"]
)
def test_a_document_without_a_web_address_has_no_link_outside(uri: str) -> None:
    assert outside(uri) == ""

"""How requests are put: headers, the forms of the protocol, sessions, and where the key goes."""

import asyncio

import pytest

from app.domain.errors import AccessRefused, SettingsError, SourceUnavailable, ToolRejected
from app.mcp.connecting import http_client
from app.mcp.parsing import EventLines, parsed
from app.mcp.wire import Form
from tests.support.remote import KEY, remote, written
from tests.support.upstream_pages import PAGES

ASKED = "How long is a token valid?"
META = "io.modelcontextprotocol/"


async def test_the_first_form_is_bare_and_has_its_headers() -> None:
    async with remote() as (source, upstream):
        await written(source, ASKED)
        listing, asking = upstream.requests
        assert (listing.method, asking.method) == ("tools/list", "tools/call")
        assert asking.headers["mcp-protocol-version"] == "2025-11-25"
        assert asking.headers["mcp-method"] == "tools/call"
        assert asking.headers["mcp-name"] == "answer_query"
        assert asking.headers["accept"] == "application/json, text/event-stream"
        assert asking.headers["content-type"] == "application/json"
        assert asking.body == {
            "jsonrpc": "2.0",
            "id": asking.body["id"],
            "method": "tools/call",
            "params": {"name": "answer_query", "arguments": {"query": ASKED}},
        }
        assert "mcp-name" not in listing.headers
        assert "params" not in listing.body
        assert source.form is Form.BARE


async def test_the_form_of_2026_is_taken_up_when_asked_for_and_kept() -> None:
    async with remote(protocol="2026") as (source, upstream):
        await written(source, ASKED)
        await written(source, ASKED)
        assert source.form is Form.MODERN
        assert [each.method for each in upstream.requests] == ["tools/list", "tools/list", "tools/call", "tools/call"]
        asking = upstream.requests[-1]
        meta = asking.params["_meta"]
        assert asking.headers["mcp-protocol-version"] == meta[META + "protocolVersion"] == "2026-07-28"
        assert meta[META + "clientCapabilities"] == {}


async def test_a_session_is_begun_when_asked_for_and_kept() -> None:
    async with remote(protocol="session") as (source, upstream):
        await written(source, ASKED)
        assert source.form is Form.SESSION
        methods = ["tools/list", "initialize", "notifications/initialized", "tools/list", "tools/call"]
        assert [each.method for each in upstream.requests] == methods
        assert "mcp-protocol-version" not in upstream.requests[1].headers
        assert "id" not in upstream.requests[2].body
        assert upstream.requests[-1].headers["mcp-session-id"] == "session-2"
        assert upstream.requests[-1].headers["mcp-protocol-version"] == "2025-11-25"


async def test_a_forgotten_session_is_begun_again_once_for_all_who_ask() -> None:
    async with remote(protocol="session") as (source, upstream):
        await source.offered()
        upstream.forget_sessions()
        assert len(await asyncio.gather(*(source.search_documents("token") for _ in range(5)))) == 5
        assert [each.method for each in upstream.requests].count("initialize") == 2
        upstream.play("tools/call", "")
        upstream.play("search_documents", "endpoint_missing")
        with pytest.raises(SourceUnavailable):
            await source.search_documents("token")
        assert [each.method for each in upstream.requests].count("initialize") == 3


async def test_a_document_that_is_not_there_is_no_lost_session() -> None:
    async with remote(protocol="session") as (source, upstream):
        assert (await source.batch_get_documents(["documents/none", PAGES[0].name])).unknown == ("documents/none",)
        assert [each.method for each in upstream.requests].count("initialize") == 1


async def test_wrong_arguments_are_not_mistaken_for_a_wrong_form() -> None:
    async with remote() as (source, upstream):
        await source.search_documents("token")
        upstream.play("search_documents", "DH:invalid")
        with pytest.raises(ToolRejected):
            await source.search_documents("token")
        assert upstream.calls == {"search_documents": 2}
        assert source.form is Form.BARE


async def test_a_form_that_does_not_help_is_not_kept() -> None:
    async with remote() as (source, upstream):
        await source.offered()
        upstream.play("search_documents", "DH:invalid")  # before any search went well: may be the form
        with pytest.raises(ToolRejected):
            await source.search_documents("token")
        assert source.form is Form.BARE
        upstream.play("search_documents", "")
        assert await source.search_documents("token")


async def test_a_server_that_changes_its_form_is_followed() -> None:
    async with remote() as (source, upstream):
        for protocol, form in (("any", Form.BARE), ("session", Form.SESSION)):
            upstream.protocol = protocol
            await source.search_documents("token")
            assert source.form is form


# --- the key --------------------------------------------------------------------------------------------------------


async def test_the_key_is_sent_in_its_header_and_nowhere_else() -> None:
    async with remote(key=KEY) as (source, upstream):
        await written(source, ASKED)
        for each in upstream.requests:
            assert [name for name, value in each.headers.items() if KEY in value] == ["x-goog-api-key"]
            assert KEY not in each.path
            assert KEY not in str(each.body)
            assert "authorization" not in each.headers
            assert "x-goog-user-project" not in each.headers


async def test_a_token_is_sent_as_a_bearer() -> None:
    async with remote({"api_key": None, "token": "t0ken"}) as (source, upstream):
        await source.offered()
        assert upstream.requests[0].headers["authorization"] == "Bearer t0ken"
        assert "x-goog-api-key" not in upstream.requests[0].headers


async def test_a_wrong_key_is_refused() -> None:
    async with remote(key="another") as (source, _):
        assert await source.offered()  # the handshake needs none
        with pytest.raises(AccessRefused):
            await written(source, ASKED)


@pytest.mark.parametrize("key", ["a\nb", "a b ", "schlüssel", "a\0b"])
async def test_a_key_that_is_no_header_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(SettingsError) as caught:
        async with remote({"api_key": key}):
            pass
    assert key not in str(caught.value)


async def test_no_redirect_is_followed_and_no_environment_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with remote() as (source, upstream):
        assert await source.search_documents("token")
        upstream.play("search_documents", "redirect")
        with pytest.raises(SourceUnavailable):
            await source.search_documents("token")
    async with http_client() as client:
        assert not client.follow_redirects
        assert client.timeout.connect == 5.0
        assert client.timeout.read == 30.0


# --- reading --------------------------------------------------------------------------------------------------------

STREAM = b": c\r\ndata: one\r\n\r\nevent: x\rdata:two\rdata: lines\r\rid: 1\n\ndata\ndata: \xc3\xa9\n\ndata: last"
EVENTS = [b"one", b"two\nlines", b"\xc3\xa9", b"last"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_put_together_however_the_pieces_fall(size: int) -> None:
    lines = EventLines()
    found = [data for start in range(0, len(STREAM), size) for data in lines.feed(STREAM[start : start + size])]
    assert found + list(lines.end()) == EVENTS


@pytest.mark.parametrize(
    "body", [b"", b"{", b"NaN", b"[Infinity]", b"[" * 200_000, b"9" * 5000, b"\xff\xfe\x00", b"{}{}"]
)
def test_what_is_no_json_is_nothing(body: bytes) -> None:
    assert parsed(body) is None


def test_letters_that_are_none_do_not_lose_the_rest() -> None:
    assert parsed(b'\xef\xbb\xbf{"a": "b\xff"}') == {"a": "b\ufffd"}

"""Headers, foreign origins, foreign names, long bodies."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.security import BODY_LIMIT, BodyLimit, CrossOriginGuard, HostCheck, SecurityHeaders, allowed_hosts

CDN = "https://cdn.jsdelivr.net/npm/htmx.org@4.0.1/"


class RouteBroke(Exception):
    """What a route of the application lets out."""


@dataclass
class Reply:
    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    pieces: int = 0

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name]

    def one(self, name: str) -> str:
        (value,) = self.all(name)
        return value


async def ask(
    app: ASGIApp,
    method: str = "GET",
    path: str = "/",
    headers: Sequence[tuple[str, str]] = (),
    chunks: Sequence[bytes] = (b"",),
) -> Reply:
    """One request, its body in chunks; an error that the application lets out after its reply is its own affair."""
    reply = Reply()
    waiting = list(chunks)
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()  # the sender stays
        body = waiting.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(waiting)}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            assert reply.status == 0, "a second reply"
            reply.status = message["status"]
            reply.headers = [(name.decode(), value.decode()) for name, value in message["headers"]]
        elif message.get("body"):
            reply.body += message["body"]
            reply.pieces += 1

    with suppress(RouteBroke):
        await app(scope, receive, send)
    return reply


async def home(request: Request) -> PlainTextResponse:
    return PlainTextResponse(request.state.nonce)


async def breaks(request: Request) -> PlainTextResponse:
    raise RouteBroke


async def refuses(request: Request) -> PlainTextResponse:
    raise HTTPException(418)


async def moves(request: Request) -> RedirectResponse:
    return RedirectResponse("/", 303)


async def keeps(request: Request) -> PlainTextResponse:
    return PlainTextResponse("", headers={"Cache-Control": "max-age=60", "Vary": "Accept-Language"})


async def streams(request: Request) -> StreamingResponse:
    async def words() -> AsyncIterator[bytes]:
        for word in (b"one ", b"two ", b"three"):
            yield word
            await asyncio.sleep(0)

    return StreamingResponse(words(), media_type="text/event-stream")


async def reads(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def reads_form(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str((await request.form())["question"]))


async def ignores(request: Request) -> PlainTextResponse:
    return PlainTextResponse("not read")


PAGES = ("/", "/breaks", "/refuses", "/moves", "/keeps", "/streams", "/missing")
INNER = Starlette(
    routes=[
        Route("/", home),
        Route("/breaks", breaks),
        Route("/refuses", refuses),
        Route("/moves", moves),
        Route("/keeps", keeps),
        Route("/streams", streams),
        Route("/reads", reads, methods=["POST"]),
        Route("/form", reads_form, methods=["POST"]),
        Route("/ignores", ignores, methods=["POST"]),
    ]
)


def dressed(*, https: bool = False, ancestors: str = "'none'", scripts: tuple[str, ...] = (CDN,)) -> ASGIApp:
    return SecurityHeaders(INNER, script_sources=scripts, https=https, frame_ancestors=ancestors, app_name="footnote")


# --- headers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
async def test_every_reply_is_dressed_errors_and_streams_too(path: str) -> None:
    reply = await ask(dressed(), path=path)
    assert reply.one("x-app") == "footnote"
    assert reply.one("x-content-type-options") == "nosniff"
    assert reply.one("referrer-policy") == "same-origin"
    assert reply.one("cross-origin-opener-policy") == "same-origin"
    assert reply.one("x-frame-options") == "DENY"
    assert "camera=()" in reply.one("permissions-policy")
    assert "HX-Request" in reply.one("vary")
    assert reply.one("content-security-policy").startswith("default-src 'none'; script-src 'nonce-")


async def test_the_policy_is_exactly_this_one() -> None:
    reply = await ask(dressed())
    nonce = reply.body.decode()
    assert reply.one("content-security-policy") == (
        f"default-src 'none'; script-src 'nonce-{nonce}' {CDN}; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; "
        "frame-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types htmx"
    )


async def test_nothing_weakens_the_policy() -> None:
    policy = (await ask(dressed(https=True))).one("content-security-policy")
    for word in ("unsafe-inline", "unsafe-eval", "strict-dynamic", "*", "http:"):
        assert word not in policy


async def test_scripts_served_by_ourselves_need_no_other_source() -> None:
    reply = await ask(dressed(scripts=()))
    assert f"script-src 'nonce-{reply.body.decode()}'; style-src" in reply.one("content-security-policy")


async def test_a_nonce_is_long_and_never_comes_twice() -> None:
    nonces = {(await ask(dressed())).body.decode() for _ in range(200)}
    assert len(nonces) == 200
    assert min(map(len, nonces)) >= 22, "128 bits in base64"


async def test_only_https_promises_https() -> None:
    plain, safe = await ask(dressed()), await ask(dressed(https=True))
    assert plain.all("strict-transport-security") == []
    assert "upgrade-insecure-requests" not in plain.one("content-security-policy")
    assert safe.one("strict-transport-security") == "max-age=31536000"
    assert safe.one("content-security-policy").endswith("; upgrade-insecure-requests")


async def test_listed_frames_are_not_shut_out_by_an_older_header() -> None:
    reply = await ask(dressed(ancestors="https://wiki.example"))
    assert "frame-ancestors https://wiki.example;" in reply.one("content-security-policy")
    assert reply.all("x-frame-options") == []


async def test_pages_are_not_stored_unless_they_say_so() -> None:
    assert (await ask(dressed())).one("cache-control") == "no-store"
    kept = await ask(dressed(), path="/keeps")
    assert kept.one("cache-control") == "max-age=60"
    assert kept.one("vary") == "Accept-Language, HX-Request"


async def test_a_stream_stays_a_stream() -> None:
    reply = await ask(BodyLimit(dressed()), path="/streams")
    assert (reply.body, reply.pieces) == (b"one two three", 3)


# --- foreign origins --------------------------------------------------------------------------------------------------

HERE = ("Host", "wiki-host:8000")
FORM = ("Content-Type", "application/x-www-form-urlencoded")
JSON = ("Content-Type", "application/json; charset=utf-8")


def guarded(public: str | None = None) -> ASGIApp:
    return CrossOriginGuard(INNER, public_origin=public)


async def status(headers: Sequence[tuple[str, str]], public: str | None = None, method: str = "POST") -> int:
    return (await ask(guarded(public), method, "/ignores", headers)).status


@pytest.mark.parametrize(
    ("site", "expected"), [("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403), ("x", 403)]
)
@pytest.mark.parametrize("kind", [FORM, JSON])
async def test_the_browsers_word_decides(site: str, expected: int, kind: tuple[str, str]) -> None:
    for origin in ("http://wiki-host:8000", "https://evil.example", "null"):
        assert await status([HERE, kind, ("Sec-Fetch-Site", site), ("Origin", origin)]) == expected


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://wiki-host:8000", 200),
        ("http://WIKI-HOST:8000", 200),
        ("https://wiki-host:8000", 200),  # a proxy took https away
        ("http://wiki-host", 403),
        ("http://wiki-host:8001", 403),
        ("http://wiki-host:8000.evil.example", 403),
        ("http://wiki-host:8000@evil.example", 403),
        ("http://evil.example#wiki-host:8000", 403),
        ("https://evil.example", 403),
        ("null", 403),
        ("", 403),
        ("http://[", 403),
        ("file://", 403),
    ],
)
async def test_without_the_browsers_word_the_page_must_be_ours(origin: str, expected: int) -> None:
    assert await status([HERE, FORM, ("Origin", origin)]) == expected


async def test_the_page_may_be_at_the_public_address_although_a_proxy_asks_by_another_name() -> None:
    headers = [("Host", "10.0.0.7:8000"), FORM]
    assert await status([*headers, ("Origin", "https://ask.example")], "https://ask.example/chat") == 200
    assert await status([*headers, ("Origin", "http://ask.example")], "https://ask.example/chat") == 403
    assert await status([*headers, ("Origin", "https://evil.example")], "https://ask.example/chat") == 403


async def test_an_old_browser_names_its_page_as_referer() -> None:
    assert await status([HERE, FORM, ("Referer", "http://wiki-host:8000/c/1?x=y")]) == 200
    assert await status([HERE, FORM, ("Referer", "http://evil.example/http://wiki-host:8000/")]) == 403
    assert await status([HERE, FORM, ("Referer", "http://wiki-host:8000/"), ("Origin", "http://evil.example")]) == 403


async def test_a_program_may_ask_in_json_and_in_nothing_that_a_form_can_send() -> None:
    assert await status([HERE, JSON]) == 200
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""):
        assert await status([HERE, ("Content-Type", kind)]) == 403
    assert await status([HERE, ("Content-Type", "text/plain; application/json")]) == 403
    assert await status([HERE]) == 403


@pytest.mark.parametrize("name", ["Sec-Fetch-Site", "Origin", "Referer", "Host"])
async def test_a_doubled_header_is_refused(name: str) -> None:
    value = {"Sec-Fetch-Site": "same-origin", "Host": "wiki-host:8000"}.get(name, "http://wiki-host:8000")
    assert await status([HERE, JSON, (name, value), (name, value)]) == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "ODD"])
async def test_every_unsafe_method_is_guarded(method: str) -> None:
    assert await status([HERE, JSON, ("Sec-Fetch-Site", "cross-site")], method=method) == 403


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_link_from_elsewhere_may_be_followed(method: str) -> None:
    reply = await ask(guarded(), method, "/keeps", [HERE, ("Sec-Fetch-Site", "cross-site")])
    assert reply.status == 200


async def test_the_refusal_can_be_a_page_of_ours_and_echoes_nothing() -> None:
    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("ours", 403)(scope, receive, send)

    reply = await ask(
        CrossOriginGuard(INNER, public_origin=None, refusal=page), "POST", "/ignores", [("Origin", "http://<script>")]
    )
    assert (reply.status, reply.body) == (403, b"ours")
    assert b"script" not in (await ask(guarded(), "POST", "/ignores", [("Origin", "http://<script>")])).body


# --- foreign names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:8000", 200),
        ("ask.example", 200),
        ("ASK.example:443", 200),
        ("evil.example", 421),
        ("ask.example.evil.example", 421),
        ("ask.example@evil.example", 421),
        ("localhost/x", 200),  # no path reaches anything by it
        ("", 421),
        ("[", 421),
        ("localhost:port", 421),
    ],
)
async def test_only_our_names_are_served_where_we_know_them(host: str, expected: int) -> None:
    check = HostCheck(INNER, allowed=allowed_hosts(loopback_only=True, public_url="https://ask.example/chat"))
    assert (await ask(check, path="/keeps", headers=[("Host", host)])).status == expected


async def test_an_intranet_may_call_us_what_it_likes() -> None:
    check = HostCheck(INNER, allowed=allowed_hosts(loopback_only=False, public_url="https://ask.example"))
    assert (await ask(check, path="/keeps", headers=[("Host", "srv-17.intern")])).status == 200


async def test_two_names_are_none() -> None:
    check = HostCheck(INNER, allowed=allowed_hosts(loopback_only=True, public_url=""))
    assert (await ask(check, path="/keeps", headers=[("Host", "localhost"), ("Host", "localhost")])).status == 421


# --- long bodies ------------------------------------------------------------------------------------------------------

KIB = b"x" * 1024


@pytest.mark.parametrize("size", [0, 1, BODY_LIMIT])
async def test_a_body_up_to_the_limit_arrives_whole(size: int) -> None:
    body = b"x" * size
    chunks = [body[start : start + 1000] for start in range(0, size, 1000)] or [b""]
    reply = await ask(BodyLimit(INNER), "POST", "/reads", [("Content-Length", str(size))], chunks)
    assert (reply.status, reply.body) == (200, str(size).encode())


async def test_an_announced_long_body_is_refused_before_it_is_read() -> None:
    reached: list[str] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope["path"])

    reply = await ask(BodyLimit(inner), "POST", "/reads", [("Content-Length", str(BODY_LIMIT + 1))])
    assert reply.status == 413
    assert reply.one("connection") == "close"
    assert reached == []


@pytest.mark.parametrize("path", ["/reads", "/form"])
@pytest.mark.parametrize(
    "length", [(), (("Content-Length", "10"),), (("Content-Length", "-1"),), (("Content-Length", "9" * 99),)]
)
async def test_a_body_that_does_not_tell_its_length_is_cut_off_at_the_limit(
    path: str, length: tuple[tuple[str, str], ...]
) -> None:
    chunks = [b"question=", *[KIB] * 10_000]
    reply = await ask(BodyLimit(dressed()), "POST", path, [*length, FORM], chunks)
    assert reply.status == 413
    assert reply.body == b"This is too long.\n"


async def test_a_body_that_nobody_reads_harms_nobody() -> None:
    reply = await ask(BodyLimit(INNER), "POST", "/ignores", [], [KIB] * 1000)
    assert (reply.status, reply.body) == (200, b"not read")


async def test_an_error_of_the_route_itself_is_not_hidden() -> None:
    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await ask(BodyLimit(inner), "POST", "/reads", [], [b"x"])


async def test_other_scopes_pass_untouched() -> None:
    seen: list[str] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    async def nothing() -> Message:
        return {"type": "lifespan.startup"}

    async def nowhere(message: Message) -> None:
        raise AssertionError(message)

    app: ASGIApp = SecurityHeaders(inner, script_sources=(), https=False, app_name="footnote")
    app = HostCheck(BodyLimit(CrossOriginGuard(app, public_origin=None)), allowed=frozenset())
    await app({"type": "lifespan", "state": {}}, nothing, nowhere)
    assert seen == ["lifespan"]

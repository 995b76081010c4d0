"""What guards every request and reply: headers, foreign origins, foreign host names, the size of bodies. Not who asks.

All four are plain ASGI and know streams. SecurityHeaders goes outermost, round the application itself: what Starlette
says when everything fails is then dressed like any other reply.
"""

import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 64 * 1024  # bytes; a question of 20,000 characters fits, whatever its script
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})

_PERMISSIONS = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-write=(self)"
_YEAR = 365 * 24 * 3600
_DEFAULT_PORTS = {"http": 80, "https": 443}


class SecurityHeaders:
    """Sets the headers of every reply, and a fresh nonce of 192 bits in `scope["state"]["nonce"]`.

    `script_sources`: addresses of scripts beside our own, all of which carry the nonce. `https`: the public address
    is https; over plain http `upgrade-insecure-requests` would take styles and scripts away.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        script_sources: tuple[str, ...],
        https: bool,
        app_name: str,
        frame_ancestors: str = "'none'",
    ) -> None:
        self._app = app
        self._script_sources = script_sources
        self._https = https
        self._app_name = app_name
        self._frame_ancestors = frame_ancestors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(24)
        scope.setdefault("state", {})["nonce"] = nonce

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                self._dress(MutableHeaders(scope=message), nonce)
            await send(message)

        await self._app(scope, receive, dressed)

    def _dress(self, headers: MutableHeaders, nonce: str) -> None:
        headers["X-App"] = self._app_name
        headers["Content-Security-Policy"] = self.policy(nonce)
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Permissions-Policy"] = _PERMISSIONS
        headers.setdefault("Cache-Control", "no-store")
        headers.add_vary_header("HX-Request")
        if self._frame_ancestors == "'none'":
            headers["X-Frame-Options"] = "DENY"
        if self._https:
            headers["Strict-Transport-Security"] = f"max-age={_YEAR}"

    def policy(self, nonce: str) -> str:
        """The Content-Security-Policy of one reply."""
        parts = (
            "default-src 'none'",
            " ".join(("script-src", f"'nonce-{nonce}'", *self._script_sources)),
            "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "object-src 'none'",
            "frame-src 'none'",
            f"frame-ancestors {self._frame_ancestors}",
            "require-trusted-types-for 'script'",
            "trusted-types htmx",
            *(("upgrade-insecure-requests",) if self._https else ()),
        )
        return "; ".join(parts)


class CrossOriginGuard:
    """Refuses what another site makes a reader's browser send. It needs no token and no cookie.

    An unsafe method passes when the browser says that the page is of this very origin (Sec-Fetch-Site: same-origin,
    or none: typed by the reader). Where it does not say, as over plain http, the page is named by Origin, else by
    Referer, and must be `public_origin` or the host that was asked. Who names no page at all is no browser; then only
    JSON passes, which no form can send. `same-site` is refused: a neighbour is not us.

    `no_pages`: paths that no page of ours asks. There a page of another site is refused whatever its method, and who
    names no page passes: the endpoint itself takes nothing but JSON.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        public_origin: str | None,
        refusal: ASGIApp | None = None,
        no_pages: frozenset[str] = frozenset(),
    ) -> None:
        self._app = app
        self._no_pages = no_pages
        self._public = _origin(public_origin) if public_origin else None
        self._refusal = refusal or PlainTextResponse("This request came from another site.\n", 403)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._app if self._passes(scope) else self._refusal)(scope, receive, send)

    def _passes(self, scope: Scope) -> bool:
        if scope["type"] != "http":
            return True
        headers = Headers(scope=scope)
        if scope["path"].removeprefix(scope.get("root_path", "")).rstrip("/") in self._no_pages:
            named = any(name in headers for name in ("origin", "referer", "sec-fetch-site"))
            return not named or self._is_ours(headers)
        return scope["method"] in SAFE_METHODS or self._is_ours(headers)

    def _is_ours(self, headers: Headers) -> bool:
        named = {name: headers.getlist(name) for name in ("sec-fetch-site", "origin", "referer", "host")}
        if any(len(values) > 1 for values in named.values()):
            return False
        site, origin, referer, host = ("".join(values) for values in named.values())
        if site:
            return site in ("same-origin", "none")
        page = origin or referer
        if page:
            return self._is_our_page(page, host)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        return kind == "application/json"

    def _is_our_page(self, page: str, host: str) -> bool:
        """By host and port only where no public address is set: a proxy may have taken the scheme away."""
        asked = _origin(page)
        if asked is None:
            return False
        return asked == self._public or asked == _origin(f"{asked[0]}://{host}")


class HostCheck:
    """Refuses names that are not ours, where our names are known: another site's name may be led to this machine.

    With `allowed` None every name passes (an intranet knows machines by names that we cannot know).
    """

    def __init__(self, app: ASGIApp, *, allowed: frozenset[str] | None, refusal: ASGIApp | None = None) -> None:
        self._app = app
        self._allowed = allowed
        self._refusal = refusal or PlainTextResponse(
            "This name is not known here. Set FOOTNOTE_PUBLIC_URL to the address that readers use.\n", 421
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        passes = scope["type"] != "http" or self._allowed is None or self._is_known(Headers(scope=scope))
        await (self._app if passes else self._refusal)(scope, receive, send)

    def _is_known(self, headers: Headers) -> bool:
        hosts = headers.getlist("host")
        asked = _origin(f"http://{hosts[0]}") if len(hosts) == 1 else None
        return asked is not None and self._allowed is not None and asked[1] in self._allowed


def allowed_hosts(*, loopback_only: bool, public_url: str) -> frozenset[str] | None:
    """The names to be asked by: known while only this machine reaches us, or a proxy on it by our public name."""
    if not loopback_only:
        return None
    public = _origin(public_url) if public_url else None
    return LOOPBACK_HOSTS | ({public[1]} if public else frozenset())


class BodyLimit:
    """Refuses a body above `limit` bytes: by its announced length at once, else as soon as that much has come."""

    def __init__(self, app: ASGIApp, limit: int = BODY_LIMIT, *, refusal: ASGIApp | None = None) -> None:
        self._app = app
        self._limit = limit
        self._refusal = refusal or PlainTextResponse("This is too long.\n", 413)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif _announced(Headers(scope=scope)) > self._limit:
            await self._refusal(scope, receive, _closing(send))
        else:
            await self._counted(scope, receive, send)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        come = 0
        started = refused = False

        async def counting() -> Message:
            nonlocal come, refused
            message = await receive()
            come += len(message.get("body", b""))
            if come <= self._limit or started:
                return message
            if not refused:
                refused = True
                await self._refusal(scope, receive, _closing(send))
            return {"type": "http.disconnect"}  # to the application the sender has gone

        async def sending(message: Message) -> None:
            nonlocal started
            if not refused:
                started = True
                await send(message)

        try:
            await self._app(scope, counting, sending)
        except Exception:
            if not refused:  # else it is what the application made of the disconnect
                raise


def _announced(headers: Headers) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0


def _closing(send: Send) -> Send:
    """The rest of the body is not read, so the connection cannot be used again."""

    async def closing(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)["Connection"] = "close"
        await send(message)

    return closing


def _origin(address: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an address; None where it names none (`null`, a broken one)."""
    try:
        parts = urlsplit(address)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname or port is None or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, port

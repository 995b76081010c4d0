"""The web app put together: guards, routes, error handlers, lifespan. Not what any of them does."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.domain.errors import AppError, ScopeMissing, SignOnError, TokenInvalid
from app.identity.anonymous import CookieAttributes, cookie_attributes
from app.resources import PACKAGE, folder
from app.services import Services
from app.telemetry.logging import begin_request, request_id
from app.web.admission import MCP, for_programs
from app.web.assets import Assets
from app.web.dependencies import by_htmx, language_of, pages_of
from app.web.errors import Told, told, told_of_status
from app.web.i18n import Languages
from app.web.rate_limit import RateLimit
from app.web.routes import api, conversations, documents, operations, search, turns
from app.web.routes.mcp import McpEndpoint
from app.web.security import BodyLimit, CrossOriginGuard, HostCheck, SecurityHeaders, allowed_hosts
from app.web.templating import Templates, partial
from app.web.views import ErrorPage, Interface

APP_NAME = "footnote"  # what X-App says, and page.js looks for

log = structlog.get_logger(__name__)

ServicesFactory = Callable[[], AbstractAsyncContextManager[Services]]


def create_web_app(
    services: ServicesFactory,
    interface: Interface,
    *,
    loopback_only: bool = False,
    require_token: bool = False,
    calls: RateLimit | None = None,
) -> ASGIApp:
    """The app, ready to be served. `services` are opened when it starts and closed when it ends.

    `loopback_only`: nobody but this machine reaches it, so only this machine's names (and the public one) are ours.
    `require_token`: programs need a token. `calls`: how many tools each of them may call over MCP.
    Raises SettingsError where local assets are missing.
    """
    assets = Assets.load(folder("static"), interface.assets, interface.assets_folder)
    endpoint = McpEndpoint(calls or RateLimit())
    app = FastAPI(openapi_url=None, lifespan=_lifespan(services, endpoint, interface.question_limit))
    app.state.interface = interface
    app.state.require_token = require_token
    app.state.assets = assets
    app.state.languages = Languages.load(PACKAGE / "locales")
    app.state.templates = Templates(folder("templates"), app.state.languages)
    for routes in (operations, conversations, turns, documents, search, api):
        app.include_router(routes.router)
    app.include_router(api.description)
    app.router.routes += [Route(path, endpoint, name="mcp") for path in (MCP, f"{MCP}/")]  # with a slash: no redirect
    app.add_exception_handler(AppError, _app_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(Exception, _unforeseen)
    https = interface.public_url.startswith("https://")
    guarded: ASGIApp = BodyLimit(app, refusal=_Refusal(app, 413))
    guarded = CrossOriginGuard(
        guarded,
        public_origin=interface.public_url or None,
        refusal=_Refusal(app, 403),
        no_pages=frozenset({MCP}),
    )
    guarded = HostCheck(guarded, allowed=allowed_hosts(loopback_only=loopback_only, public_url=interface.public_url))
    guarded = _Request(guarded, cookie_attributes(secure=https, root_path=interface.root_path), interface.root_path)
    return SecurityHeaders(guarded, script_sources=assets.script_sources, https=https, app_name=APP_NAME)


class _Request:
    """Gives each request its number, which the reply and the log carry, and sends the cookie of a new reader.

    It also tells the routes which prefix a proxy may have left in the path: with it or without it they find the same.
    """

    def __init__(self, app: ASGIApp, cookie: CookieAttributes, root_path: str) -> None:
        self._app = app
        self._cookie = cookie
        self._root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number = begin_request()
        scope["root_path"] = self._root_path

        async def told_apart(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = number
                if cookie := scope["state"].get("cookie"):
                    headers.append("Set-Cookie", self._written(*cookie))
            await send(message)

        await self._app(scope, receive, told_apart)

    def _written(self, name: str, value: str) -> str:
        """Both are made of letters, digits and signs that need no quotes."""
        secure = "; Secure" if self._cookie.secure else ""
        lasting = f"Max-Age={self._cookie.max_age}; Path={self._cookie.path}"
        return f"{name}={value}; {lasting}; HttpOnly; SameSite=Lax{secure}"


class _Refusal:
    """What a guard says instead of the app: in the app's own words."""

    def __init__(self, app: FastAPI, status: int) -> None:
        self._app = app
        self._status = status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request({**scope, "app": self._app})
        await _told(request, told_of_status(self._status, language_of(request)))(scope, receive, send)


def _lifespan(
    services: ServicesFactory, endpoint: McpEndpoint, question_limit: int
) -> Callable[[FastAPI], AbstractAsyncContextManager[dict[str, Services]]]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[dict[str, Services]]:
        async with services() as opened, endpoint.running(opened, question_limit):
            yield {"services": opened}

    return lifespan


async def _app_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AppError)  # noqa: S101  # registered for nothing else
    said = told(error, language_of(request))
    if said.status >= 500:
        log.warning("request failed", code=error.code, detail=error.detail, path=request.url.path)
    headers = {}
    if (seconds := getattr(error, "retry_after", None)) is not None:
        headers["Retry-After"] = str(max(1, round(seconds)))
    if isinstance(error, SignOnError) and for_programs(request):
        headers["WWW-Authenticate"] = _challenge(error)
    return _told(request, said, headers)


def _challenge(error: SignOnError) -> str:
    """What a program lacks, as RFC 6750 (section 3) has it."""
    match error:
        case TokenInvalid():
            return 'Bearer error="invalid_token"'
        case ScopeMissing():
            return f'Bearer error="insufficient_scope", scope="{error.detail}"'
        case _:
            return "Bearer"


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  # registered for nothing else
    return _told(request, told_of_status(error.status_code, language_of(request)), error.headers)


async def _unreadable(request: Request, _error: Exception) -> Response:
    """What was sent is never sent back: it may hold anything."""
    return _told(request, told_of_status(422, language_of(request)))


async def _unforeseen(request: Request, error: Exception) -> Response:
    log.error("request failed", code="internal", path=request.url.path, exc_info=error)
    return _told(request, told_of_status(500, language_of(request)))


def _told(request: Request, said: Told, more: Mapping[str, str] | None = None) -> Response:
    """A page for people, a line on the page for its scripts, problem+json (RFC 9457) for programs."""
    headers = dict(more or {})
    if for_programs(request):
        problem = {
            "type": "about:blank",
            "title": said.title,
            "status": said.status,
            "detail": said.text,
            "code": said.code,
            "request_id": request_id(),
        }
        return JSONResponse(problem, said.status, headers, media_type="application/problem+json")
    pages, view = pages_of(request), ErrorPage(said, request_id())
    if by_htmx(request):
        trouble = partial("trouble", pages.component("trouble", view))
        return pages.fragment(trouble, status=said.status, headers=headers)
    return pages.page("error", view, said.status, headers=headers)

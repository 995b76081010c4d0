"""The real templates and addresses without an app, for tests of what is rendered. Not a request."""

from datetime import UTC, datetime
from functools import cache

from fastapi import FastAPI

from app.resources import PACKAGE, folder
from app.web.addresses import Addresses
from app.web.assets import Assets
from app.web.i18n import Languages
from app.web.presenting import Presenter
from app.web.routes import api, conversations, documents, operations, search, turns
from app.web.templating import Frame, Pages, Templates
from app.web.views import Interface

NOW = datetime(2026, 11, 30, 14, 30, tzinfo=UTC)


@cache
def _templates() -> tuple[Templates, Languages, Assets, FastAPI]:
    languages = Languages.load(PACKAGE / "locales")
    app = FastAPI(openapi_url=None)
    for routes in (operations, conversations, turns, documents, search, api):
        app.include_router(routes.router)
    return Templates(folder("templates"), languages), languages, Assets.load(folder("static"), "cdn", None), app


def presented(interface: Interface | None = None, root: str = "") -> tuple[Presenter, Pages]:
    """A presenter and its pages for one English reader at NOW."""
    templates, languages, assets, app = _templates()
    interface, language = interface or Interface(), languages.default
    addresses = Addresses(app, root)
    pages = Pages(templates.environment(language), Frame(interface, assets, language, "nonce-of-a-test", addresses))
    return Presenter(language, addresses, interface, pages.cite, NOW), pages

"""The web app from settings: what uvicorn is handed. Not what it is made of."""

from contextlib import AbstractAsyncContextManager

from starlette.types import ASGIApp

from app import __version__
from app.bootstrap.default_knowledge import starters
from app.bootstrap.services import open_services
from app.bootstrap.storage import data_folder
from app.knowledge.source import KnowledgeSource
from app.services import Services
from app.settings.reading import load
from app.settings.remotes import LOOPBACK
from app.settings.values import Settings
from app.web.app import create_web_app
from app.web.rate_limit import RateLimit
from app.web.views import Interface


def create_app(settings: Settings | None = None, *, source: KnowledgeSource | None = None) -> ASGIApp:
    """The app; `source` stands in for the own corpus where one is given. Raises SettingsError and StorageError."""
    settings = settings or load()
    folder = data_folder(settings)

    def services() -> AbstractAsyncContextManager[Services]:
        return open_services(settings, source=source)

    return create_web_app(
        services,
        Interface(
            product_name=settings.product_name,
            contact=settings.contact,
            starters=starters(settings),
            public_url=settings.public_url,
            root_path=settings.root_path,
            assets=settings.assets,
            assets_folder=folder.path / "assets",
            question_limit=settings.question_limit,
            version=__version__,
            remote=frozenset(remote.name for remote in settings.remotes),
        ),
        loopback_only=settings.host in LOOPBACK,
        require_token=settings.require_token,
        calls=RateLimit(settings.calls_a_minute, burst=max(1, settings.calls_a_minute // 3)),
    )

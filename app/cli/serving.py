"""`footnote serve`: the web app, ready to answer. Not what the app is made of."""

import asyncio
import errno
import socket
from pathlib import Path
from typing import Annotated

import typer

from app.bootstrap.corpus import open_corpus
from app.bootstrap.default_knowledge import build_default_knowledge
from app.bootstrap.storage import data_folder
from app.cli.output import IngestBar
from app.domain.errors import SettingsError
from app.settings.reading import load
from app.settings.values import PREFIX, Settings
from app.telemetry.logging import configure_logging


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = None,
    data: Annotated[Path | None, typer.Option(help="Data folder.")] = None,
) -> None:
    """Serve the web app. The first start builds the default knowledge."""
    given = {"host": host, "port": port, "data": data}
    settings = load(**{name: value for name, value in given.items() if value is not None})
    configure_logging(level=settings.log_level, form=settings.log_format)
    folder = data_folder(settings)
    with folder.held_by_server(), _listening(settings) as listener:
        asyncio.run(_prepare(settings))
        from app.cli.server import run  # noqa: PLC0415  # late: ingest's workers load this module, and need no web

        run(settings, listener)


async def _prepare(settings: Settings) -> None:
    """Everything that may take a while happens here, before the first request, with a progress line."""
    with IngestBar() as bar:
        async with open_corpus(settings, progress=bar.update) as corpus:
            await build_default_knowledge(corpus, settings, bar.update)


def _listening(settings: Settings) -> socket.socket:
    """The socket, bound before anything else is done: a port in use is told at once. Raises SettingsError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except socket.gaierror as error:
        raise SettingsError(f"{PREFIX}HOST", f"{settings.host} is no address.", "Take 127.0.0.1.") from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            problem, mend = f"{settings.port} is in use.", "Stop the other program, or choose another port."
        elif error.errno == errno.EACCES:
            problem, mend = f"{settings.port} may not be used by this account.", "Choose a port above 1023."
        else:
            problem, mend = f"cannot listen on {settings.host}:{settings.port}.", "Check host and port."
        raise SettingsError(f"{PREFIX}PORT", problem, mend) from error
    return listener

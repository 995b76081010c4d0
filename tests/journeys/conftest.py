"""One browser and one server for all journeys of a worker; each journey is another reader. Not the journeys."""

import os
import shutil
import subprocess
import tarfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from app.web.assets import HTMX, PACKAGE, VERSION, verified
from tests.support.browser import BrowserMissing, Reader, opened_browser
from tests.support.corpus import opened, taken, write_pages
from tests.support.server import Server

NewReader = Callable[..., Awaitable[Reader]]
NewServer = Callable[..., Server]


def missing(reason: str) -> None:
    """What a machine does not have skips its tests; in CI it fails them."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def htmx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pinned htmx files, as `footnote assets` makes it."""
    place = tmp_path_factory.mktemp("htmx")
    if shutil.which("npm") is None:
        missing("No npm here to fetch htmx with: install it.")
    packing = ["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"]
    packed = subprocess.run(packing, cwd=place, capture_output=True, text=True, check=False, timeout=60)
    if packed.returncode:
        missing(f"npm could not fetch htmx: {packed.stderr.strip()[-300:]}")
    with tarfile.open(place / packed.stdout.split()[-1]) as archive:
        for name in HTMX:
            member = archive.extractfile(f"package/{name}")
            assert member is not None
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(member.read())
    verified(place)
    return place


@pytest.fixture(scope="session")
def new_server(htmx: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewServer]:
    """Makes servers with a data folder each, and stops them at the end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FOOTNOTE_")}
    made: list[Server] = []

    def new(*, scripted: bool, started: bool = True) -> Server:
        data = tmp_path_factory.mktemp("server") / "data"
        for name in HTMX:
            (data / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(htmx / name, data / "assets" / name)
        server = Server(data, kept, scripted=scripted)
        made.append(server)
        if started:
            server.start()
        return server

    yield new
    for server in made:
        server.stop()


@pytest.fixture(scope="session")
def scripted(new_server: NewServer) -> Server:
    """A server whose answers are plays."""
    return new_server(scripted=True)


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def plant(new_server: NewServer, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A server over real documents."""
    server = new_server(scripted=False, started=False)
    async with opened(server.data) as corpus:
        await taken(corpus, write_pages(tmp_path_factory.mktemp("plant")))
    server.start()
    return server


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Browser]:
    try:
        async with opened_browser() as opened_one:
            yield opened_one
    except BrowserMissing as error:
        missing(str(error))


@pytest_asyncio.fixture(loop_scope="session")
async def new_reader(browser: Browser) -> AsyncIterator[NewReader]:
    """Makes readers. Whatever a journey did not expect to go wrong fails it."""
    made: list[Reader] = []

    async def new(server: Server, **options: object) -> Reader:
        reader = await Reader.of(browser, server.address, **options)
        made.append(reader)
        return reader

    yield new
    for reader in made:
        await reader.context.close()
    assert [problem for reader in made for problem in reader.unexpected] == []

"""A small corpus of its own for a test: real files, a real database, a real index."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from app.bootstrap.corpus import Corpus, ingest_paths, open_corpus
from app.bootstrap.storage import data_folder
from app.corpus.ingest import IngestReport
from app.settings.values import Settings

PAGES: Mapping[str, str] = {
    "pump.md": (
        "# Pump\n\nThe pump moves water from the well to the tank.\n\n## Start the pump\n\n1. Open the inlet valve.\n"
        "2. Set the speed to 40 percent.\n3. Press the green button.\n\n## Speed\n\nThe highest speed is 85 percent. "
        "Above it the seal wears quickly.\n\n```sh\npumpctl speed --percent 40\n```\n"
    ),
    "tank.md": (
        "# Tank\n\nThe tank holds 3000 litres.\n\n| Sensor | Range |\n| --- | --- |\n| float | 0 to 3000 litres |\n"
        "| pressure | 0 to 6 bar |\n\n## Cleaning\n\nClean the tank twice a year with vinegar, never with chlorine.\n"
    ),
    "valves/inlet.md": "# Inlet valve\n\nThe inlet valve is blue. Turn it left to open it.\n",
    "valves/index.md": "# Valves\n\nThere are two valves, the inlet valve and the outlet valve.\n",
}
BASE = "https://docs.example.com/plant"


def write_pages(folder: Path, pages: Mapping[str, str] = PAGES) -> Path:
    """The pages as files below `folder`."""
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def settings_for(data: Path, **given: object) -> Settings:
    return Settings(data=data, default_knowledge=False, **given)  # type: ignore[arg-type]


@asynccontextmanager
async def opened(data: Path) -> AsyncIterator[Corpus]:
    """The corpus of a data folder, which may be new."""
    settings = settings_for(data)
    data_folder(settings)
    async with open_corpus(settings) as corpus:
        yield corpus


async def taken(corpus: Corpus, folder: Path, collection: str = "plant", *, prune: bool = False) -> IngestReport:
    """The folder's pages, ingested under their address."""
    return await ingest_paths(corpus, [folder], collection=collection, base_uri=BASE, prune=prune)


@asynccontextmanager
async def plant(place: Path) -> AsyncIterator[Corpus]:
    """A corpus that holds `PAGES`."""
    async with opened(place / "data") as corpus:
        await taken(corpus, write_pages(place / "pages"))
        yield corpus

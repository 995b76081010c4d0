"""What can be asked about before the operator brings documents: the handbook and the Python library reference."""

import hashlib
import platform
from pathlib import Path

from app import __version__
from app.bootstrap.corpus import Corpus
from app.corpus.ingest import OnProgress, unobserved
from app.corpus.materials import Materials, materials_of
from app.corpus.stdlib import stdlib_materials
from app.resources import folder
from app.settings.values import Settings

HANDBOOK, PYTHON = "handbook", "python"
STARTERS = (
    "How do I read a JSON file into a dictionary?",
    "How do I run a command and capture its output?",
    "How do I ingest a folder of Markdown files?",
    "What does a number behind a sentence mean?",
)


async def build_default_knowledge(corpus: Corpus, settings: Settings, progress: OnProgress = unobserved) -> None:
    """The handbook and the Python library reference: built where there is nothing else, renewed with app and Python.

    A folder that holds only the operator's own collections is left alone.
    """
    stamp = _stamp(settings)
    newest = _default_knowledge_version()
    present = {collection.name for collection in await corpus.source.collections()}
    built = stamp.read_text(encoding="utf-8") if stamp.is_file() else ""
    if not settings.default_knowledge or not settings.asks_own_documents or (present and built in ("", newest)):
        return
    found = materials_of([folder("docs")], collection=HANDBOOK)
    handbook = Materials(tuple(page for page in found.found if "/" not in page.origin))  # not the records of decisions
    await corpus.ingest.run(handbook, collection=HANDBOOK, prune=True, progress=progress)
    await corpus.ingest.run(Materials(tuple(stdlib_materials())), collection=PYTHON, prune=True, progress=progress)
    stamp.write_text(newest, encoding="utf-8")


def starters(settings: Settings) -> tuple[str, ...]:
    """The questions to begin with: the operator's, else those of the default knowledge where that is asked."""
    built = settings.asks_own_documents and _stamp(settings).is_file()
    return settings.starters or (STARTERS if built else ())


def _stamp(settings: Settings) -> Path:
    return settings.data / "default-knowledge"


def _default_knowledge_version() -> str:
    pages = hashlib.sha256()
    for page in sorted(folder("docs").rglob("*.md")):
        pages.update(page.read_bytes())
    return f"{__version__} {platform.python_version()} {pages.hexdigest()}"

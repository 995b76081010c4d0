"""Settings in, services out: the only place that knows every adapter. Opened in order, closed in reverse."""

import hashlib
import platform
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app import __version__
from app.answering.answerer import Answerer
from app.answering.extractive import ExtractiveWriter
from app.answering.gate import Gate
from app.answering.grounded import Grounded
from app.answering.rewriting import Rewriter
from app.chat.live import LiveAnswers
from app.chat.service import Chat
from app.corpus.index.tantivy_index import TantivyIndex
from app.corpus.ingest import Ingest, IngestReport, OnProgress, unobserved
from app.corpus.materials import Materials, materials_of
from app.corpus.source import CorpusSource
from app.corpus.stdlib import stdlib_materials
from app.domain.documents import NAME_PREFIX, name_of
from app.domain.errors import AppError
from app.identity.anonymous import AnonymousReaders
from app.knowledge.source import KnowledgeSource
from app.resources import folder
from app.services import Services
from app.settings.remotes import LOOPBACK
from app.settings.values import Settings
from app.storage.conversations import Conversations
from app.storage.documents import DocumentStore
from app.storage.engine import Database
from app.storage.folder import DataFolder
from app.storage.journal import Journal

HANDBOOK, PYTHON = "handbook", "python"
STARTERS = (
    "How do I read a JSON file into a dictionary?",
    "How do I run a command and capture its output?",
    "How do I ingest a folder of Markdown files?",
    "What does a number behind a sentence mean?",
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """The operator's documents, open: to be asked, and to be added to."""

    source: CorpusSource
    answerer: Answerer
    ingest: Ingest

    def name_given(self, text: str) -> str:
        """A document's name from what somebody typed: the name itself, or an address."""
        return text if text.startswith(NAME_PREFIX) else name_of(text)


def data_folder(settings: Settings) -> DataFolder:
    """The data folder, there and writable; raises StorageReadOnly, StorageFull or StorageUnavailable."""
    made = DataFolder(settings.data)
    made.prepare()
    return made


@asynccontextmanager
async def open_services(settings: Settings, *, source: KnowledgeSource | None = None) -> AsyncIterator[Services]:
    """Everything that the web needs. `source` stands in for the own corpus where one is given."""
    data = data_folder(settings)
    async with _database(settings) as database:
        corpus = await _corpus(settings, database)
        answerer = corpus.answerer if source is None else _over(source)
        journal, conversations = Journal(database), Conversations(database)
        async with LiveAnswers(answerer.answer, journal, answer_seconds=settings.answer_seconds) as live:
            yield Services(
                chat=Chat(conversations, journal, live, question_limit=settings.question_limit),
                source=corpus.source if source is None else source,
                library=corpus.source,
                authenticator=AnonymousReaders(
                    settings.secret_key.get_secret_value() if settings.secret_key else data.secret_key(),
                    operator_on_loopback=settings.host in LOOPBACK,
                    secure=settings.public_url.startswith("https://"),
                ),
            )


@asynccontextmanager
async def open_corpus(settings: Settings, *, progress: OnProgress = unobserved) -> AsyncIterator[Corpus]:
    """The documents alone, for the command line. A missing or foreign index is rebuilt, with `progress`."""
    async with _database(settings) as database:
        yield await _corpus(settings, database, progress)


@asynccontextmanager
async def _database(settings: Settings) -> AsyncIterator[Database]:
    database = await Database.open(settings.database)
    try:
        yield database
    finally:
        await database.close()


async def _corpus(settings: Settings, database: Database, progress: OnProgress = unobserved) -> Corpus:
    store = DocumentStore(database)
    index = TantivyIndex(settings.data / "index")
    grounded = Grounded(ExtractiveWriter(index), Gate(index))
    source = CorpusSource(store, index, grounded)
    await source.open(progress)
    return Corpus(source, Answerer(source, grounded, Rewriter()), Ingest(store, index))


def _over(source: KnowledgeSource) -> Answerer:
    """Answers from a source that tells nothing of its words: they are weighed by what it finds."""
    return Answerer(source, Grounded(ExtractiveWriter(), Gate()), Rewriter())


async def ingest_paths(
    corpus: Corpus,
    paths: Sequence[Path],
    *,
    collection: str,
    base_uri: str | None = None,
    manifest: Path | None = None,
    prune: bool = False,
    progress: OnProgress = unobserved,
) -> IngestReport:
    """Take files and folders into a collection. Raises PathMissing, NothingToIngest, ManifestInvalid, IndexLocked."""
    found = materials_of(paths, collection=collection, base_uri=base_uri, manifest=manifest)
    return await corpus.ingest.run(found, collection=collection, prune=prune, progress=progress)


async def build_default_knowledge(corpus: Corpus, settings: Settings, progress: OnProgress = unobserved) -> None:
    """The handbook and the Python library reference: built where there is nothing else, renewed with app and Python.

    A folder that holds only the operator's own collections is left alone.
    """
    stamp = _stamp(settings)
    newest = _default_knowledge_version()
    present = {collection.name for collection in await corpus.source.collections()}
    built = stamp.read_text(encoding="utf-8") if stamp.is_file() else ""
    if not settings.default_knowledge or (present and built in ("", newest)):
        return
    found = materials_of([folder("docs")], collection=HANDBOOK)
    handbook = Materials(tuple(page for page in found.found if "/" not in page.origin))  # not the records of decisions
    await corpus.ingest.run(handbook, collection=HANDBOOK, prune=True, progress=progress)
    await corpus.ingest.run(Materials(tuple(stdlib_materials())), collection=PYTHON, prune=True, progress=progress)
    stamp.write_text(newest, encoding="utf-8")


def starters(settings: Settings) -> tuple[str, ...]:
    """The questions to begin with: the operator's, else those of the default knowledge where that was built."""
    return settings.starters or (STARTERS if _stamp(settings).is_file() else ())


def _stamp(settings: Settings) -> Path:
    return settings.data / "default-knowledge"


def _default_knowledge_version() -> str:
    pages = hashlib.sha256()
    for page in sorted(folder("docs").rglob("*.md")):
        pages.update(page.read_bytes())
    return f"{__version__} {platform.python_version()} {pages.hexdigest()}"


# --- what an operator asks -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """How one part of the installation is: `detail` says what was seen, or what to mend."""

    name: str
    ok: bool
    detail: str


async def check_neighbours(settings: Settings) -> tuple[Finding, ...]:
    """Try each part in turn; one that fails does not hide the others."""
    findings = [tried("data", lambda: str(data_folder(settings).path))]
    try:
        async with open_corpus(settings) as corpus:
            collections = await corpus.source.collections()
            documents = sum(collection.documents for collection in collections)
            findings.append(Finding("database", ok=True, detail="opened, schema up to date"))
            readiness = await corpus.source.readiness()
            counted = f"{documents} documents in {len(collections)} collections"
            findings.append(
                Finding("index", readiness.ready, counted if readiness.ready else "empty: ingest documents")
            )
    except AppError as error:
        findings.append(Finding("database", ok=False, detail=f"{error.code}: {error.detail}"))
    return tuple(findings)


async def migrate_database(settings: Settings) -> None:
    """Bring the schema up to date; opening does it."""
    async with _database(settings):
        pass


def tried(name: str, attempt: Callable[[], str]) -> Finding:
    """What came of trying one part: its own words, or the error's code and detail."""
    try:
        return Finding(name, ok=True, detail=attempt())
    except AppError as error:
        return Finding(name, ok=False, detail=f"{error.code}: {error.detail or error}")

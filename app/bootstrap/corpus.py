"""The operator's own documents, opened: to be asked, and to be added to. Not the remote servers beside them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.answering.answerer import Answerer
from app.answering.extractive import ExtractiveWriter
from app.answering.gate import Gate
from app.answering.grounded import Grounded
from app.answering.model.writer import ModelWriter
from app.answering.rewriting import Rewriter, Rewriting
from app.bootstrap.storage import opened_database
from app.corpus.index.tantivy_index import TantivyIndex
from app.corpus.ingest import Ingest, IngestReport, OnProgress, unobserved
from app.corpus.materials import materials_of
from app.corpus.source import CorpusSource
from app.corpus.upkeep import Upkeep
from app.settings.values import Settings
from app.storage.documents import DocumentStore
from app.storage.engine import Database


@dataclass(frozen=True, slots=True)
class Corpus:
    """The operator's documents, open: asked through `answerer`. `grounded` weighs words as their index does."""

    source: CorpusSource
    grounded: Grounded
    answerer: Answerer
    ingest: Ingest


@asynccontextmanager
async def open_corpus(settings: Settings, *, progress: OnProgress = unobserved) -> AsyncIterator[Corpus]:
    """The documents alone, for the command line. A missing or foreign index is rebuilt, with `progress`."""
    async with opened_database(settings) as database:
        yield await corpus_in(settings, database, progress=progress)


async def corpus_in(
    settings: Settings,
    database: Database,
    *,
    model: ModelWriter | None = None,
    rewriter: Rewriting | None = None,
    progress: OnProgress = unobserved,
) -> Corpus:
    """The documents of an open database; a `model` writes their answers where one is given."""
    store = DocumentStore(database)
    index = TantivyIndex(settings.data / "index")
    grounded = Grounded(ExtractiveWriter(index), Gate(index), model)
    source = CorpusSource(store, index, grounded)
    await source.open(progress)
    return Corpus(source, grounded, Answerer(source, grounded, rewriter or Rewriter()), Ingest(store, index))


@asynccontextmanager
async def open_upkeep(settings: Settings) -> AsyncIterator[Upkeep]:
    """The index and its database as they are: nothing is rebuilt by opening them."""
    async with opened_database(settings) as database:
        yield Upkeep(DocumentStore(database), TantivyIndex(settings.data / "index"))


async def ingest_paths(
    corpus: Corpus,
    paths: Sequence[Path],
    *,
    collection: str,
    base_uri: str | None = None,
    manifest: Path | None = None,
    product: str = "",
    version: str = "",
    prune: bool = False,
    progress: OnProgress = unobserved,
) -> IngestReport:
    """Take files and folders into a collection. Raises PathMissing, NothingToIngest, ManifestInvalid, IndexLocked."""
    found = materials_of(
        paths, collection=collection, base_uri=base_uri, manifest=manifest, product=product, version=version
    )
    return await corpus.ingest.run(found, collection=collection, prune=prune, progress=progress)

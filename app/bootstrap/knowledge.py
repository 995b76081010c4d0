"""All that can be asked: the own documents, remote servers, both; and who makes the answers. Not who asks."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from app.answering.answerer import Answerer
from app.answering.extractive import ExtractiveWriter
from app.answering.gate import Gate
from app.answering.grounded import Grounded
from app.answering.rewriting import Rewriter
from app.bootstrap.corpus import corpus_in
from app.bootstrap.storage import opened_database
from app.corpus.ingest import OnProgress, unobserved
from app.domain.documents import NAME_PREFIX, name_of
from app.knowledge.source import KnowledgeSource
from app.services import Library
from app.settings.values import Settings
from app.storage.engine import Database


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is asked, what there is to ask about, and who answers."""

    source: KnowledgeSource
    library: Library
    answerer: Answerer

    def name_given(self, text: str) -> str:
        """A document's name from what somebody typed: the name itself, or an address."""
        return text if text.startswith(NAME_PREFIX) else name_of(text)


@asynccontextmanager
async def open_knowledge(settings: Settings, *, progress: OnProgress = unobserved) -> AsyncIterator[Knowledge]:
    """Everything that can be asked, for the command line."""
    async with opened_database(settings) as database, knowledge_in(settings, database, progress=progress) as knowledge:
        yield knowledge


@asynccontextmanager
async def knowledge_in(
    settings: Settings,
    database: Database,
    *,
    source: KnowledgeSource | None = None,
    progress: OnProgress = unobserved,
) -> AsyncIterator[Knowledge]:
    """Everything that can be asked, over an open database. `source` stands in for all of it where one is given."""
    async with AsyncExitStack() as _stack:
        corpus = await corpus_in(settings, database, progress=progress)
        if source is None:
            yield Knowledge(corpus.source, corpus.source, corpus.answerer)
        else:  # it tells nothing of its words: they are weighed by what it finds
            yield Knowledge(source, corpus.source, Answerer(source, Grounded(ExtractiveWriter(), Gate()), Rewriter()))

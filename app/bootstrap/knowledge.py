"""All that can be asked: the own documents, remote servers, both; and who makes the answers. Not who asks."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from app.answering.answerer import Answerer
from app.answering.extractive import ExtractiveWriter
from app.answering.gate import Gate
from app.answering.grounded import Grounded
from app.answering.rewriting import Rewriting
from app.bootstrap.corpus import Corpus, corpus_in
from app.bootstrap.model import opened_model
from app.bootstrap.remotes import Remote, remote_source, timeouts_within
from app.bootstrap.storage import opened_database
from app.corpus.ingest import OnProgress, unobserved
from app.domain.documents import NAME_PREFIX, name_of
from app.knowledge.library import JoinedShelves, RemoteShelf, Shelf
from app.knowledge.several import Member, SeveralSources
from app.knowledge.source import KnowledgeSource
from app.mcp.connecting import http_client
from app.services import Library
from app.settings.values import Settings
from app.storage.engine import Database

OWN = "own documents"  # what is said where they cannot be asked


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
    async with opened_model(settings) as writing, http_client() as client:
        corpus = await corpus_in(settings, database, model=writing.writer, rewriter=writing.rewriter, progress=progress)
        # It tells nothing of its words: they are weighed by what it finds.
        bare = Grounded(ExtractiveWriter(), Gate(), writing.writer)
        if source is not None:
            yield Knowledge(source, corpus.source, Answerer(source, bare, writing.rewriter))
            return
        alone = len(settings.remotes) == 1 and not settings.asks_own_documents
        timeouts = timeouts_within(settings.answer_seconds, beside_others=not alone)
        remotes = [remote_source(remote, client, database, timeouts) for remote in settings.remotes]
        if not remotes:
            yield Knowledge(corpus.source, corpus.source, corpus.answerer)
        elif alone:
            (one,) = remotes
            yield Knowledge(one.source, RemoteShelf(one.name, one.health), Answerer(one.source, bare, writing.rewriter))
        else:
            yield _joined(corpus if settings.asks_own_documents else None, remotes, bare, writing.rewriter)


def _joined(corpus: Corpus | None, remotes: Sequence[Remote], bare: Grounded, rewriter: Rewriting) -> Knowledge:
    """Own documents and remote servers as one source; what the own index knows of words serves for all."""
    grounded = corpus.grounded if corpus else bare
    own = [Member(OWN, corpus.source)] if corpus else []
    others = [Member(remote.name, remote.source, frozenset({remote.name})) for remote in remotes]
    shelves: list[Shelf] = [corpus.source] if corpus else []
    shelves += [RemoteShelf(remote.name, remote.health) for remote in remotes]
    several = SeveralSources([*own, *others], grounded.answer)
    return Knowledge(several, JoinedShelves(shelves), Answerer(several, grounded, rewriter, composes=True))

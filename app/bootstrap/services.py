"""Settings in, services out: everything that the web needs, opened in order and closed in reverse."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.bootstrap.knowledge import knowledge_in
from app.bootstrap.storage import data_folder, opened_database
from app.chat.live import LiveAnswers
from app.chat.service import Chat
from app.identity.anonymous import AnonymousReaders
from app.identity.tokens import TokenAuthenticator, Tokens
from app.knowledge.source import KnowledgeSource
from app.services import Services
from app.settings.remotes import LOOPBACK
from app.settings.values import Settings
from app.storage.conversations import Conversations
from app.storage.journal import Journal
from app.storage.tokens import StoredTokens


@asynccontextmanager
async def open_services(settings: Settings, *, source: KnowledgeSource | None = None) -> AsyncIterator[Services]:
    """Everything that the web needs. `source` stands in for all knowledge where one is given."""
    data = data_folder(settings)
    async with opened_database(settings) as database, knowledge_in(settings, database, source=source) as knowledge:
        journal, conversations = Journal(database), Conversations(database)
        async with LiveAnswers(knowledge.answerer.answer, journal, answer_seconds=settings.answer_seconds) as live:
            yield Services(
                chat=Chat(conversations, journal, live, question_limit=settings.question_limit),
                source=knowledge.source,
                library=knowledge.library,
                authenticator=TokenAuthenticator(
                    AnonymousReaders(
                        settings.secret_key.get_secret_value() if settings.secret_key else data.secret_key(),
                        operator_on_loopback=settings.host in LOOPBACK,
                        secure=settings.public_url.startswith("https://"),
                    ),
                    Tokens(StoredTokens(database)),
                ),
                answer=knowledge.answerer.answer,
                answer_seconds=settings.answer_seconds,
            )

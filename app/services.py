"""What the app is made of, once built: the one value that web and command line are handed. Not how it is built."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol

from app.chat.service import Chat
from app.domain.answers import AnswerEvent, Question
from app.domain.documents import Collection, Readiness
from app.identity.authenticator import Authenticator
from app.knowledge.source import KnowledgeSource


class Library(Protocol):
    """What there is to ask about: the collections, and whether they can be asked."""

    async def collections(self) -> tuple[Collection, ...]:
        """Collections with their counts, by name."""
        ...

    async def readiness(self) -> Readiness: ...


@dataclass(frozen=True, slots=True)
class Services:
    """`answer` answers without a conversation, for programs."""

    chat: Chat
    source: KnowledgeSource
    library: Library
    authenticator: Authenticator
    answer: Callable[[Question], AsyncIterator[AnswerEvent]]
    answer_seconds: float = 120  # after which an answer without a conversation is given up

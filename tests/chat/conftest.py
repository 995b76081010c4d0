"""A chat over a real database, with answers that do as they are told."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from app.chat.live import LiveAnswers, Numbered
from app.chat.service import Chat
from app.domain.answers import AnswerEvent, Question
from app.domain.conversations import Turn, TurnStatus
from app.domain.users import User
from app.storage.conversations import Conversations
from app.storage.engine import Database
from app.storage.journal import Journal
from tests.support.postgres import cluster

ANN = User("ann")
BOB = User("bob")
BOUND = 10  # seconds that no wait of these tests comes near, if all is well


class Script:
    """An answerer that yields events, waits where an asyncio.Event stands, and raises where an error stands."""

    def __init__(self, *steps: AnswerEvent | asyncio.Event | Exception) -> None:
        self.steps = steps
        self.questions: list[Question] = []
        self.closed = 0
        self.left = asyncio.Event()

    async def answer(self, question: Question) -> AsyncIterator[AnswerEvent]:
        self.questions.append(question)
        try:
            for step in self.steps:
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
        finally:
            self.closed += 1
            self.left.set()


class House:
    """One database and as many servers over it as a test wants."""

    def __init__(self, database: Database, stack: AsyncExitStack) -> None:
        self.database = database
        self.journal = Journal(database)
        self.conversations = Conversations(database)
        self._stack = stack

    async def chat(self, script: Script, *, journal: Journal | None = None, **times: float) -> Chat:
        kept = journal or self.journal
        live = await self._stack.enter_async_context(LiveAnswers(script.answer, kept, **times))
        return Chat(self.conversations, kept, live)

    async def stored(self, turn: Turn, status: TurnStatus) -> None:
        """Wait until the database says so. Nobody follows meanwhile, so nobody takes the turn up."""
        while (await self.conversations.turn(ANN.id, turn.id)).status is not status:  # noqa: ASYNC110
            await asyncio.sleep(0.02)  # the database calls nobody


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """SQLite, unless a test asks for PostgreSQL by its parameter."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'footnote.sqlite3'}"
    else:
        with cluster().database() as address:
            yield address


@pytest.fixture
async def house(url: str) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        database = await Database.open(url)
        stack.push_async_callback(database.close)
        yield House(database, stack)


async def followed(chat: Chat, turn_id: str, after: int = 0, *, user: User = ANN) -> list[Numbered]:
    """Everything that a reader who stays to the end is told."""
    async with asyncio.timeout(BOUND):
        return [numbered async for numbered in chat.follow(user, turn_id, after)]

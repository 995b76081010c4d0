"""What a reader does with questions: ask, follow, wait, stop, ask again, look back, delete. Not how answers are made.

Every method takes the user and finds only what is that user's.
"""

import asyncio
import re
import secrets
import unicodedata
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from app.chat.limits import Limits
from app.chat.live import LiveAnswers
from app.chat.run import Numbered
from app.domain.answers import Question
from app.domain.conversations import Conversation, Turn, TurnStatus
from app.domain.documents import EVERYWHERE, Scope
from app.domain.errors import (
    ConversationNotFound,
    QuestionEmpty,
    QuestionTooLong,
    QuestionUnreadable,
    TooManyQuestions,
    TurnNotFound,
)
from app.domain.users import User
from app.storage.conversations import Conversations, NewTurn
from app.storage.journal import Journal

STOP_SECONDS = 1.0
LANGUAGE_LENGTH = 35  # RFC 5646, 4.4.1: no registered tag is longer
ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
INVISIBLE = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp", "Mn", "Me"))  # nothing to be seen by themselves


class Store(Protocol):
    """How a question is stored: in a new conversation, or in one that is there."""

    async def __call__(self, owner: str, new: NewTurn, *, unfinished_limit: int) -> Turn | None: ...


class Chat:
    """The readers' side of conversations."""

    def __init__(
        self,
        conversations: Conversations,
        journal: Journal,
        live: LiveAnswers,
        *,
        question_limit: int = 4000,
        limits: Limits | None = None,
    ) -> None:
        self._conversations = conversations
        self._journal = journal
        self._live = live
        self._limits = limits or Limits(question=question_limit)
        self._asking: set[asyncio.Task[Turn | None]] = set()

    async def ask(
        self,
        user: User,
        text: str,
        conversation_id: str | None = None,
        *,
        language: str = "",
        scope: Scope = EVERYWHERE,
    ) -> Turn:
        """Store a question and start its answer; without `conversation_id` in a new conversation.

        Raises QuestionEmpty, QuestionTooLong, QuestionUnreadable, TooManyQuestions, ConversationNotFound.
        """
        question = question_text(text, self._limits.question)
        if conversation_id is not None and not ID.fullmatch(conversation_id):
            raise ConversationNotFound(conversation_id)
        new = NewTurn(
            id=secrets.token_urlsafe(16),
            conversation_id=conversation_id or secrets.token_urlsafe(16),
            question=question,
            title=title_of(question, self._limits.title),
            language=language if len(language) <= LANGUAGE_LENGTH else "",
            scope=replace(scope, groups=user.groups) if user.groups else scope,
            created_at=datetime.now(UTC),
        )
        store = self._conversations.begin if conversation_id is None else self._conversations.go_on
        asking = asyncio.create_task(self._stored_and_started(user, new, store))
        self._asking.add(asking)
        asking.add_done_callback(self._asked)
        turn = await asyncio.shield(asking)  # what is stored is answered, though its asker has left meanwhile
        if turn is None:
            raise TooManyQuestions(self._limits.retry_after)
        return turn

    async def answered(
        self,
        user: User,
        text: str,
        conversation_id: str | None = None,
        *,
        language: str = "",
        scope: Scope = EVERYWHERE,
    ) -> Turn:
        """Ask, and wait for the end, which is told from memory where the answer is made here. Raises what `ask` does.

        The turn is final, unless this process shuts down while another one makes the answer.
        """
        turn = await self.ask(user, text, conversation_id, language=language, scope=scope)
        if (ended := await self._live.ended(turn)) is not None:
            return ended
        async with aclosing(self.follow(user, turn.id)) as events:
            async for _ in events:
                pass
        return await self.turn(user, turn.id)

    async def ask_again(self, user: User, turn_id: str) -> Turn:
        """The same question, with the same scope, as a new turn at the end of its conversation."""
        former = await self.turn(user, turn_id)
        return await self.ask(
            user, former.question, former.conversation_id, language=former.language, scope=former.scope
        )

    async def conversation(self, user: User, conversation_id: str) -> Conversation:
        """A conversation with its turns. Raises ConversationNotFound, also when it is someone else's."""
        if not ID.fullmatch(conversation_id):
            raise ConversationNotFound(conversation_id)
        found = await self._conversations.conversation(user.id, conversation_id)
        return replace(found, turns=tuple(self._live.known(turn) for turn in found.turns))

    async def conversations(self, user: User, limit: int = 100) -> tuple[Conversation, ...]:
        """The user's conversations without their turns, the one asked in last first."""
        return await self._conversations.conversations(user.id, limit)

    async def turn(self, user: User, turn_id: str) -> Turn:
        """A turn with its answer as far as it is stored. Raises TurnNotFound, also when it is someone else's."""
        if not ID.fullmatch(turn_id):
            raise TurnNotFound(turn_id)
        return self._live.known(await self._conversations.turn(user.id, turn_id))

    async def follow(self, user: User, turn_id: str, after: int = 0) -> AsyncGenerator[Numbered, None]:
        """Events above `after`, then what comes, at last TurnEnded, however often and late it is asked for.

        Whoever leaves changes nothing. Raises TurnNotFound at the first step.
        """
        if not self._live.makes(turn_id, user.id):
            turn = await self.turn(user, turn_id)
            if turn.status is TurnStatus.PENDING:  # perhaps the process that was asked is gone
                await self._start(user, turn)
        async with aclosing(self._live.follow(turn_id, after)) as events:
            async for numbered in events:
                yield numbered

    async def wait(self, user: User, turn_id: str, seconds: float) -> Turn:
        """The turn as soon as it is final, or as it is after `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), aclosing(self.follow(user, turn_id)) as events:
                async for _ in events:
                    pass
        return await self.turn(user, turn_id)

    async def stop(self, user: User, turn_id: str) -> Turn:
        """Stop an answer; what was written stays. A turn that is final already stays as it is."""
        turn = await self.turn(user, turn_id)
        if turn.status.final:
            return turn
        if not self._live.stop(turn.id):
            await self._journal.request_stop(turn.id, datetime.now(UTC))
        return await self.wait(user, turn.id, STOP_SECONDS)

    async def delete(self, user: User, conversation_id: str) -> None:
        """Delete a conversation with its answers; one that is being made is stopped."""
        conversation = await self.conversation(user, conversation_id)
        for turn in conversation.turns:
            if not turn.status.final:
                self._live.stop(turn.id)  # in another process it ends with its next word, which finds no turn
        await self._conversations.delete(user.id, conversation.id)

    async def interrupt_all(self) -> None:
        """The server is about to go: end what runs and tell those who follow, while their streams are open."""
        await self._live.interrupt_all()

    async def _stored_and_started(self, user: User, new: NewTurn, store: Store) -> Turn | None:
        lease = self._live.expect(new.id, user.id)
        try:
            turn = await store(user.id, replace(new, lease=lease), unfinished_limit=self._limits.unfinished)
            if turn is not None and lease is not None:
                await self._start(user, turn)
        finally:
            self._live.drop(new.id)  # where it was not started
        return turn

    async def _start(self, user: User, turn: Turn) -> None:
        history = await self._conversations.exchanges(turn, self._limits.history) if turn.position > 1 else ()
        self._live.start(turn.id, user.id, Question(turn.question, turn.language, turn.scope, history))

    def _asked(self, asking: asyncio.Task[Turn | None]) -> None:
        self._asking.discard(asking)
        if not asking.cancelled():
            asking.exception()  # its asker has it, or has left


def question_text(text: str, limit: int) -> str:
    """A question as it is stored and searched: NFC, line ends as LF, without control characters and outer blanks.

    Raises QuestionUnreadable, QuestionTooLong (more than `limit` characters), QuestionEmpty (nothing to be seen).
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise QuestionUnreadable("the text holds half a character")
    if len(text) > 4 * limit:  # before any work: no cleaning makes that short enough
        raise QuestionTooLong(limit, len(text))
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(character for character in lines if character in "\n\t" or unicodedata.category(character) != "Cc")
    cleaned = unicodedata.normalize("NFC", kept).strip()
    if all(unicodedata.category(character) in INVISIBLE for character in cleaned):
        raise QuestionEmpty
    if len(cleaned) > limit:
        raise QuestionTooLong(limit, len(cleaned))
    return cleaned


def title_of(question: str, limit: int) -> str:
    """A conversation's title: its first question on one line, cut between words where it is longer than `limit`."""
    line = " ".join(question.split())
    if len(line) <= limit:
        return line
    words = line[: limit - 1]
    if " " in words and line[limit - 1] != " ":
        words = words.rpartition(" ")[0]
    return words.rstrip() + "…"

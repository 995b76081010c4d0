"""Conversations and their turns as rows. Not how a turn comes to its answer: that is written by the journal."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, Select, delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.domain.answers import EMPTY_ANSWER, Answer, Citation, Exchange
from app.domain.conversations import Conversation, Turn, TurnStatus
from app.domain.documents import Scope
from app.domain.errors import ConversationNotFound, TurnNotFound
from app.storage.encoding import (
    as_utc,
    decode_answer,
    decode_event,
    decode_passages,
    decode_scope,
    encode_scope,
    writable,
)
from app.storage.engine import Database
from app.storage.grouping import Grouped
from app.storage.journal import Lease
from app.storage.tables import answers, citations, conversations, events, turns

UNFINISHED = (TurnStatus.PENDING, TurnStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A question about to be stored. `title` names the conversation if this is its first.

    With `lease` it is stored as running already, in the hands of the lease's holder; without as pending.
    """

    id: str
    conversation_id: str
    question: str
    title: str
    language: str
    scope: Scope
    created_at: datetime
    lease: Lease | None = None


@dataclass(frozen=True, slots=True)
class _Beginning:
    owner: str
    new: NewTurn
    unfinished_limit: int


class Conversations:
    """Every reading and change is by owner: what belongs to somebody else is not found."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._begin = Grouped(self._begin_together)

    async def begin(self, owner: str, new: NewTurn, *, unfinished_limit: int) -> Turn | None:
        """Store a new conversation with its first turn; None where the owner has too many unfinished turns.

        Questions that come at the same time share a transaction; each is on disk when its caller goes on.
        """
        return await self._begin(_Beginning(owner, new, unfinished_limit))

    async def _begin_together(self, asked: Sequence[_Beginning]) -> list[Turn | None]:
        async with self._database.writing() as connection:
            unfinished = await self._unfinished(connection, {each.owner for each in asked})
            accepted: list[_Beginning] = []
            turns_or_none: list[Turn | None] = []
            for each in asked:
                if unfinished[each.owner] >= each.unfinished_limit:
                    turns_or_none.append(None)
                    continue
                unfinished[each.owner] += 1
                accepted.append(each)
                turns_or_none.append(_new_turn(each.new, position=1))
            if accepted:
                await connection.execute(insert(conversations), [_conversation_row(each) for each in accepted])
                await connection.execute(insert(turns), [_turn_row(each.new, position=1) for each in accepted])
        return turns_or_none

    async def go_on(self, owner: str, new: NewTurn, *, unfinished_limit: int) -> Turn | None:
        """Store a further turn at the end of its conversation. Raises ConversationNotFound; None as in `begin`."""
        async with self._database.writing() as connection:
            # The update also holds the row, so that two turns at once do not take the same position.
            touched = await connection.execute(
                update(conversations)
                .where(conversations.c.id == new.conversation_id, conversations.c.owner == owner)
                .values(updated_at=new.created_at)
            )
            if touched.rowcount == 0:
                raise ConversationNotFound(new.conversation_id)
            if (await self._unfinished(connection, {owner}))[owner] >= unfinished_limit:
                return None
            last = await connection.scalar(
                select(func.max(turns.c.position)).where(turns.c.conversation_id == new.conversation_id)
            )
            position = (last or 0) + 1
            await connection.execute(insert(turns), [_turn_row(new, position)])
        return _new_turn(new, position)

    async def conversation(self, owner: str, conversation_id: str) -> Conversation:
        """A conversation with all its turns in order. Raises ConversationNotFound."""
        async with self._database.reading() as connection:
            query = select(conversations).where(conversations.c.id == conversation_id, conversations.c.owner == owner)
            found = (await connection.execute(query)).one_or_none()
            if found is None:
                raise ConversationNotFound(conversation_id)
            of_it = select(turns).where(turns.c.conversation_id == conversation_id).order_by(turns.c.position)
            return _conversation(found, await _turns(connection, of_it))

    async def conversations(self, owner: str, limit: int) -> tuple[Conversation, ...]:
        """The owner's conversations without their turns, the one asked in last first."""
        query = (
            select(conversations)
            .where(conversations.c.owner == owner)
            .order_by(conversations.c.updated_at.desc(), conversations.c.id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return tuple(_conversation(row) for row in await connection.execute(query))

    async def turn(self, owner: str, turn_id: str) -> Turn:
        """A turn with its answer as far as it is stored. Raises TurnNotFound."""
        query = select(turns).join(conversations).where(turns.c.id == turn_id, conversations.c.owner == owner)
        async with self._database.reading() as connection:
            found = await _turns(connection, query)
        if not found:
            raise TurnNotFound(turn_id)
        return found[0]

    async def exchanges(self, turn: Turn, limit: int) -> tuple[Exchange, ...]:
        """The last answered questions before a turn, oldest first, without the turn's own question asked before."""
        query = (
            select(turns.c.question, answers.c.text)
            .join(answers, answers.c.turn_id == turns.c.id)
            .where(
                turns.c.conversation_id == turn.conversation_id,
                turns.c.position < turn.position,
                turns.c.question != turn.question,
                answers.c.text != "",
            )
            .order_by(turns.c.position.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).all()
        return tuple(Exchange(question, answer) for question, answer in reversed(found))

    async def delete(self, owner: str, conversation_id: str) -> None:
        """Delete a conversation with all that hangs on it. Raises ConversationNotFound."""
        async with self._database.writing() as connection:
            gone = await connection.execute(
                delete(conversations).where(conversations.c.id == conversation_id, conversations.c.owner == owner)
            )
            if gone.rowcount == 0:
                raise ConversationNotFound(conversation_id)

    async def _unfinished(self, connection: AsyncConnection, owners: Collection[str]) -> Counter[str]:
        """How many unfinished turns each owner has; none of them gets another before this transaction ends."""
        if self._database.dialect == "postgresql":  # where writers run side by side, one owner's questions queue
            await connection.execute(
                text("SELECT pg_advisory_xact_lock(hashtextextended(:owner, 0))"),
                [{"owner": owner} for owner in sorted(owners)],  # in one order everywhere: no deadlock
            )
        query = (
            select(conversations.c.owner, func.count().label("unfinished"))
            .select_from(turns.join(conversations))
            .where(turns.c.status.in_(UNFINISHED), conversations.c.owner.in_(owners))
            .group_by(conversations.c.owner)
        )
        return Counter({row.owner: row.unfinished for row in await connection.execute(query)})


def _conversation_row(beginning: _Beginning) -> dict[str, object]:
    new = beginning.new
    return {
        "id": new.conversation_id,
        "owner": beginning.owner,
        "title": writable(new.title),
        "created_at": new.created_at,
        "updated_at": new.created_at,
    }


def _turn_row(new: NewTurn, position: int) -> dict[str, object]:
    return {
        "id": new.id,
        "conversation_id": new.conversation_id,
        "position": position,
        "question": writable(new.question),
        "language": new.language,
        "scope": encode_scope(new.scope),
        "status": TurnStatus.PENDING if new.lease is None else TurnStatus.RUNNING,
        "created_at": new.created_at,
        "lease_holder": new.lease.holder if new.lease else None,
        "lease_until": new.lease.until if new.lease else None,
    }


def _new_turn(new: NewTurn, position: int) -> Turn:
    """The turn as its asker is told it: nothing is answered yet, whoever has it."""
    return Turn(
        id=new.id,
        conversation_id=new.conversation_id,
        position=position,
        question=new.question,
        status=TurnStatus.PENDING,
        created_at=new.created_at,
        language=new.language,
        scope=new.scope,
    )


async def _turns(connection: AsyncConnection, query: Select[tuple[object, ...]]) -> tuple[Turn, ...]:
    rows = (await connection.execute(query)).all()
    kept = await _answers(connection, [row.id for row in rows])
    return tuple(_turn(row, kept.get(row.id, EMPTY_ANSWER)) for row in rows)


async def _answers(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, Answer]:
    """The stored answers; for a turn that has none (yet) the fold of the events written so far."""
    if not ids:
        return {}
    cited: defaultdict[str, list[Citation]] = defaultdict(list)
    query = select(citations).where(citations.c.turn_id.in_(ids)).order_by(citations.c.turn_id, citations.c.number)
    for row in await connection.execute(query):
        passages = decode_passages(row.passages)
        cited[row.turn_id].append(Citation(row.number, row.name, row.uri, row.title, row.collection, passages))
    found = await connection.execute(select(answers.c.turn_id, answers.c.body).where(answers.c.turn_id.in_(ids)))
    kept = {row.turn_id: decode_answer(row.body, tuple(cited[row.turn_id])) for row in found}
    if without := [turn_id for turn_id in ids if turn_id not in kept]:
        written = select(events).where(events.c.turn_id.in_(without)).order_by(events.c.turn_id, events.c.number)
        for row in await connection.execute(written):
            kept[row.turn_id] = kept.get(row.turn_id, EMPTY_ANSWER).apply(decode_event(row.event))
    return kept


def _turn(row: Row[tuple[object, ...]], answer: Answer) -> Turn:
    return Turn(
        id=row.id,
        conversation_id=row.conversation_id,
        position=row.position,
        question=row.question,
        status=TurnStatus(row.status),
        created_at=as_utc(row.created_at),
        finished_at=as_utc(row.finished_at) if row.finished_at else None,
        language=row.language,
        scope=decode_scope(row.scope),
        answer=answer,
        milliseconds=row.milliseconds,
    )


def _conversation(row: Row[tuple[object, ...]], its_turns: tuple[Turn, ...] = ()) -> Conversation:
    return Conversation(
        id=row.id,
        owner=row.owner,
        title=row.title,
        created_at=as_utc(row.created_at),
        updated_at=as_utc(row.updated_at),
        turns=its_turns,
    )

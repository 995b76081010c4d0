"""A running answer's events, its lease and its end, as rows. Not who runs it: that is the chat's affair.

Every write names the holder of the lease and touches only turns that this holder still has: whoever has lost a turn
(a lease run out, a conversation deleted) writes nothing more.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.domain.answers import Answer, AnswerEvent
from app.domain.conversations import TurnStatus
from app.domain.errors import TurnNotFound
from app.storage.encoding import as_utc, decode_event, encode_answer, encode_event, encode_passages, writable
from app.storage.engine import Database
from app.storage.tables import answers, citations, events, turns


@dataclass(frozen=True, slots=True)
class Lease:
    """Who writes an answer, and until when without a word more (aware, UTC). `holder` has at most 80 characters."""

    holder: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Ending:
    """A turn's final status and answer, and when it ended."""

    status: TurnStatus
    answer: Answer
    at: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """What is to be written of one turn: events numbered from `first` on, and its end where it has one."""

    turn_id: str
    first: int
    events: tuple[AnswerEvent, ...]
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What stands in the journal of a turn after some number: events as (number, event), and the present status.

    `last` is the highest number of all, 0 where nothing is written yet.
    """

    events: tuple[tuple[int, AnswerEvent], ...]
    last: int
    status: TurnStatus


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A turn that is not final: its lease (None while nobody has taken it) and when it was asked."""

    turn_id: str
    lease: Lease | None
    created_at: datetime


class Journal:
    """The journal of all turns, for whichever process writes or follows them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, turn_id: str, lease: Lease) -> bool:
        """Take a pending turn. False where another was quicker, or there is no such turn any more."""
        async with self._database.writing() as connection:
            taken = await connection.execute(
                update(turns)
                .where(turns.c.id == turn_id, turns.c.status == TurnStatus.PENDING)
                .values(status=TurnStatus.RUNNING, lease_holder=lease.holder, lease_until=lease.until)
            )
            return taken.rowcount == 1

    async def write(self, entries: Sequence[Entry], lease: Lease) -> frozenset[str]:
        """Write all entries in one transaction and renew their leases; answers the turns that are still ours."""
        async with self._database.writing() as connection:
            asked = await self._still_ours(connection, [entry.turn_id for entry in entries], lease)
            ours = [entry for entry in entries if entry.turn_id in asked]
            rows = [
                {"turn_id": entry.turn_id, "number": number, "event": encode_event(event)}
                for entry in ours
                for number, event in enumerate(entry.events, entry.first)
            ]
            if rows:
                await connection.execute(insert(events), rows)
            endings = {entry.turn_id: entry.ending for entry in ours if entry.ending is not None}
            if endings:
                await _write_endings(connection, endings, asked)
        return frozenset(asked)

    async def renew(self, turn_ids: Collection[str], lease: Lease) -> None:
        """Renew the leases of turns that their holder still runs."""
        async with self._database.writing() as connection:
            await connection.execute(
                update(turns)
                .where(
                    turns.c.id.in_(turn_ids),
                    turns.c.lease_holder == lease.holder,
                    turns.c.status == TurnStatus.RUNNING,
                )
                .values(lease_until=lease.until)
            )

    async def request_stop(self, turn_id: str, at: datetime) -> None:
        """Ask the holder to stop a running turn; a pending one, which nobody runs, is stopped at once."""
        async with self._database.writing() as connection:
            await connection.execute(
                update(turns)
                .where(turns.c.id == turn_id, turns.c.status == TurnStatus.PENDING)
                .values(status=TurnStatus.STOPPED, finished_at=at)
            )
            await connection.execute(
                update(turns)
                .where(turns.c.id == turn_id, turns.c.status == TurnStatus.RUNNING)
                .values(stop_requested=1)
            )

    async def stops_requested(self, holder: str) -> frozenset[str]:
        """The turns of a holder that somebody wants stopped."""
        query = select(turns.c.id).where(
            turns.c.status == TurnStatus.RUNNING, turns.c.lease_holder == holder, turns.c.stop_requested == 1
        )
        async with self._database.reading() as connection:
            return frozenset((await connection.scalars(query)).all())

    async def since(self, turn_id: str, after: int) -> Written:
        """Events with a number above `after`, and the status at the same moment. Raises TurnNotFound."""
        written = (
            select(events.c.number, events.c.event)
            .where(events.c.turn_id == turn_id, events.c.number > after)
            .order_by(events.c.number)
        )
        async with self._database.reading() as connection:
            status = await connection.scalar(select(turns.c.status).where(turns.c.id == turn_id))
            if status is None:
                raise TurnNotFound(turn_id)
            rows = (await connection.execute(written)).all()
            last = await connection.scalar(select(func.max(events.c.number)).where(events.c.turn_id == turn_id))
        return Written(tuple((row.number, decode_event(row.event)) for row in rows), last or 0, TurnStatus(status))

    async def unfinished(self) -> tuple[Unfinished, ...]:
        """All turns that are pending or running, in whatever process."""
        query = select(turns.c.id, turns.c.lease_holder, turns.c.lease_until, turns.c.created_at).where(
            turns.c.status.in_((TurnStatus.PENDING, TurnStatus.RUNNING))
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(
            Unfinished(
                row.id,
                Lease(row.lease_holder, as_utc(row.lease_until)) if row.lease_holder and row.lease_until else None,
                as_utc(row.created_at),
            )
            for row in rows
        )

    async def interrupt(self, abandoned: Unfinished, at: datetime) -> bool:
        """Mark a turn interrupted; False where it moved on meanwhile (its lease renewed, its end written)."""
        same_lease = (
            (turns.c.lease_holder.is_(None), turns.c.status == TurnStatus.PENDING)
            if abandoned.lease is None
            else (
                turns.c.lease_holder == abandoned.lease.holder,
                turns.c.lease_until == abandoned.lease.until,
                turns.c.status == TurnStatus.RUNNING,
            )
        )
        async with self._database.writing() as connection:
            marked = await connection.execute(
                update(turns)
                .where(turns.c.id == abandoned.turn_id, *same_lease)
                .values(status=TurnStatus.INTERRUPTED, finished_at=at, lease_holder=None, lease_until=None)
            )
            return marked.rowcount == 1

    async def _still_ours(self, connection: AsyncConnection, ids: Sequence[str], lease: Lease) -> dict[str, datetime]:
        """Those of the turns that the holder still has, with the time they were asked; their leases are renewed."""
        ours = (turns.c.id.in_(ids), turns.c.lease_holder == lease.holder, turns.c.status == TurnStatus.RUNNING)
        await connection.execute(update(turns).where(*ours).values(lease_until=lease.until))
        found = await connection.execute(select(turns.c.id, turns.c.created_at).where(*ours))
        return {row.id: as_utc(row.created_at) for row in found}


async def _write_endings(
    connection: AsyncConnection, endings: Mapping[str, Ending], asked: Mapping[str, datetime]
) -> None:
    """One statement for each table, however many turns end."""
    await connection.execute(
        update(turns)
        .where(turns.c.id == bindparam("ended"))
        .values(
            status=bindparam("final"),
            finished_at=bindparam("at"),
            milliseconds=bindparam("took"),
            lease_holder=None,
            lease_until=None,
        ),
        [
            {
                "ended": turn_id,
                "final": ending.status,
                "at": ending.at,
                "took": milliseconds_between(asked[turn_id], ending.at),
            }
            for turn_id, ending in endings.items()
        ],
    )
    await connection.execute(
        insert(answers),
        [
            {"turn_id": turn_id, "text": writable(ending.answer.text), "body": encode_answer(ending.answer)}
            for turn_id, ending in endings.items()
        ],
    )
    cited = [
        {
            "turn_id": turn_id,
            "number": citation.number,
            "name": writable(citation.name),
            "uri": writable(citation.uri),
            "title": writable(citation.title),
            "collection": writable(citation.collection),
            "passages": encode_passages(citation.passages),
        }
        for turn_id, ending in endings.items()
        for citation in ending.answer.citations
    ]
    if cited:
        await connection.execute(insert(citations), cited)


def milliseconds_between(asked: datetime, ended: datetime) -> int:
    """How long a turn took; never below nothing, though clocks are set back."""
    return max(0, round((ended - asked).total_seconds() * 1000))

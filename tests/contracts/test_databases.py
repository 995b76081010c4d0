"""What every database must do alike: SQLite in a file, and PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import IntegrityError

from app.domain.answers import (
    EMPTY_ANSWER,
    Answer,
    AnswerCompleted,
    AnswerEvent,
    Citation,
    CitationsFound,
    Exchange,
    Outcome,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.conversations import Turn, TurnStatus
from app.domain.documents import EVERYWHERE, Page, Passage, Scope
from app.domain.errors import ConversationNotFound, SchemaTooNew, StorageUnavailable, TurnNotFound
from app.storage.conversations import Conversations, NewTurn
from app.storage.engine import Database
from app.storage.journal import Ending, Entry, Journal, Lease
from app.storage.migrations.upgrade import known_revisions
from app.storage.tables import answers, citations, events, facts, metadata, turns
from tests.support.postgres import cluster

NOW = datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)
LEASE = Lease("here/1", NOW + timedelta(seconds=20))
CITATION = Citation(1, "documents/a", "https://a", "Ä", "docs", (Passage("word", ("Top", "Süß"), 3, ((0, 4),)),))
EVENTS: tuple[AnswerEvent, ...] = (
    StepStarted(Step.SEARCHING, 2),
    TextDelta("Öffne die Datei", (1,)),
    CitationsFound((CITATION,)),
    AnswerCompleted(Outcome.ANSWERED, (Page("documents/a", "https://a", "Ä"),)),
)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'footnote.sqlite3'}"
    else:
        with cluster().database() as address:
            yield address


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = await Database.open(url)
    yield opened
    await opened.close()


async def asked(
    database: Database, owner: str = "ann", turn_id: str = "t1", conversation_id: str = "c1", at: datetime = NOW
) -> Turn:
    new = NewTurn(turn_id, conversation_id, "How?", "How?", "en", Scope(collections=frozenset({"b", "a"})), at)
    turn = await Conversations(database).begin(owner, new, unfinished_limit=9)
    assert turn is not None
    return turn


def folded(*given: AnswerEvent) -> Answer:
    answer = EMPTY_ANSWER
    for event in given:
        answer = answer.apply(event)
    return answer


async def answered(database: Database, turn_id: str = "t1") -> None:
    journal = Journal(database)
    assert await journal.claim(turn_id, LEASE)
    ending = Ending(TurnStatus.ANSWERED, folded(*EVENTS), NOW + timedelta(seconds=1.5))
    assert await journal.write([Entry(turn_id, 1, EVENTS, ending)], LEASE) == {turn_id}


async def count(database: Database, table: object) -> int:
    async with database.reading() as connection:
        return await connection.scalar(select(func.count()).select_from(table)) or 0


# --- engine ----------------------------------------------------------------------------------------------------------


async def test_a_new_database_has_the_schema_that_the_queries_know(database: Database) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []


async def test_what_was_written_is_there_after_opening_again(url: str) -> None:
    database = await Database.open(url)
    async with database.writing() as connection:
        await connection.execute(facts.insert().values(key="generation", value=3))
    await database.close()
    database = await Database.open(url)
    async with database.reading() as connection:
        assert (await connection.execute(select(facts.c.value))).scalars().all() == [3]
    await database.close()


async def test_several_starts_at_once_migrate_once(url: str) -> None:
    opened = await asyncio.gather(*(Database.open(url) for _ in range(3)))
    async with opened[0].reading() as connection:
        revisions = (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalars().all()
    assert revisions == [known_revisions()[-1]]
    for database in opened:
        await database.close()


async def test_a_database_of_a_newer_version_is_left_alone(url: str) -> None:
    database = await Database.open(url)
    async with database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await database.close()
    with pytest.raises(SchemaTooNew, match="9999"):
        await Database.open(url)


async def test_an_error_undoes_the_whole_transaction(database: Database) -> None:
    async def write() -> None:
        async with database.writing() as connection:
            await connection.execute(facts.insert().values(key="generation", value=3))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write()
    assert await count(database, facts) == 0


async def test_a_cancelled_transaction_leaves_nothing_behind_and_blocks_nobody(database: Database) -> None:
    entered = asyncio.Event()

    async def write() -> None:
        async with database.writing() as connection:
            await connection.execute(facts.insert().values(key="generation", value=3))
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(write())
    await asyncio.wait_for(entered.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(5), database.writing() as connection:
        await connection.execute(facts.insert().values(key="generation", value=4))
    assert await count(database, facts) == 1


async def test_a_reading_sees_one_state_throughout(database: Database) -> None:
    async with database.reading() as reader:
        before = await reader.scalar(select(func.count()).select_from(facts))
        async with database.writing() as writer:
            await writer.execute(facts.insert().values(key="generation", value=3))
        assert await reader.scalar(select(func.count()).select_from(facts)) == before


async def test_many_writers_and_readers_at_once_all_come_through(database: Database) -> None:
    async def write(number: int) -> None:
        async with database.writing() as connection:
            await connection.execute(facts.insert().values(key=str(number), value=number))

    async with asyncio.timeout(20):
        await asyncio.gather(*(write(number) for number in range(40)), *(count(database, facts) for _ in range(40)))
    assert await count(database, facts) == 40


# --- conversations ---------------------------------------------------------------------------------------------------


async def test_a_question_is_stored_as_it_was_asked(database: Database) -> None:
    turn = await asked(database)
    assert turn.status is TurnStatus.PENDING
    assert await Conversations(database).turn("ann", "t1") == turn
    conversation = await Conversations(database).conversation("ann", "c1")
    assert conversation.turns == (turn,)
    assert conversation.created_at == NOW


async def test_turns_follow_one_another_in_a_conversation(database: Database) -> None:
    store = Conversations(database)
    await asked(database)
    more = [NewTurn(f"n{number}", "c1", "And?", "", "", EVERYWHERE, NOW) for number in range(4)]
    async with asyncio.timeout(20):
        await asyncio.gather(*(store.go_on("ann", new, unfinished_limit=9) for new in more))
    conversation = await store.conversation("ann", "c1")
    assert [turn.position for turn in conversation.turns] == [1, 2, 3, 4, 5]
    assert conversation.title == "How?"


async def test_questions_asked_at_once_cannot_pass_the_limit(database: Database) -> None:
    store = Conversations(database)
    many = [NewTurn(f"t{number}", f"c{number}", "How?", "", "", EVERYWHERE, NOW) for number in range(6)]
    async with asyncio.timeout(20):
        stored = await asyncio.gather(*(store.begin("ann", new, unfinished_limit=3) for new in many))
    assert sum(turn is not None for turn in stored) == 3
    assert len(await store.conversations("ann", 10)) == 3
    assert await store.begin("bob", NewTurn("b", "b", "How?", "", "", EVERYWHERE, NOW), unfinished_limit=3)


async def test_questions_asked_at_once_are_each_kept_with_their_lease(database: Database) -> None:
    store, journal = Conversations(database), Journal(database)
    new = [NewTurn(f"t{number}", f"c{number}", "How?", "", "", EVERYWHERE, NOW, LEASE) for number in range(20)]
    begun = [store.begin(f"owner {number}", each, unfinished_limit=3) for number, each in enumerate(new)]
    async with asyncio.timeout(20):
        told = await asyncio.gather(*begun)
    assert [turn.id for turn in told if turn] == [each.id for each in new]
    assert {(each.turn_id, each.lease) for each in await journal.unfinished()} == {(each.id, LEASE) for each in new}
    assert (await store.turn("owner 7", "t7")).status is TurnStatus.RUNNING
    assert not await journal.claim("t7", Lease("elsewhere/2", LEASE.until)), "it is taken"
    assert await journal.write([Entry("t7", 1, EVENTS[:1])], LEASE) == {"t7"}, "and by whom the lease says"


async def test_a_question_that_cannot_be_stored_does_not_harm_those_asked_with_it(database: Database) -> None:
    store = Conversations(database)
    await asked(database)
    new = [NewTurn(turn_id, f"{turn_id} c", "How?", "", "", EVERYWHERE, NOW) for turn_id in ("t2", "t1", "t3", "t4")]
    async with asyncio.timeout(20):
        told = await asyncio.gather(
            *(store.begin("bob", each, unfinished_limit=9) for each in new), return_exceptions=True
        )
    assert [each.id for each in told if isinstance(each, Turn)] == ["t2", "t3", "t4"]
    assert isinstance(told[1], IntegrityError), "there is a turn of that name"
    assert len(await store.conversations("bob", 10)) == 3


async def test_a_further_question_is_kept_with_its_lease(database: Database) -> None:
    await asked(database)
    new = NewTurn("t2", "c1", "And?", "", "", EVERYWHERE, NOW, LEASE)
    await Conversations(database).go_on("ann", new, unfinished_limit=9)
    assert await Journal(database).write([Entry("t2", 1, EVENTS[:1])], LEASE) == {"t2"}


async def test_turns_that_end_at_once_each_keep_their_own_end(database: Database) -> None:
    store, journal = Conversations(database), Journal(database)
    ends = {
        "t1": Ending(TurnStatus.ANSWERED, folded(*EVENTS), NOW + timedelta(seconds=1)),
        "t2": Ending(TurnStatus.STOPPED, folded(TextDelta("It is")), NOW + timedelta(seconds=2)),
        "t3": Ending(TurnStatus.FAILED, EMPTY_ANSWER, NOW - timedelta(seconds=1)),
    }
    for turn_id in ends:
        await asked(database, turn_id=turn_id, conversation_id=f"{turn_id} c")
        await journal.claim(turn_id, LEASE)
    entries = [Entry(turn_id, 1, EVENTS if turn_id == "t1" else (), ending) for turn_id, ending in ends.items()]
    assert await journal.write(entries, LEASE) == set(ends)
    kept = [await store.turn("ann", turn_id) for turn_id in ends]
    assert [(turn.status, turn.answer, turn.finished_at) for turn in kept] == [
        (ending.status, ending.answer, ending.at) for ending in ends.values()
    ]
    assert [turn.milliseconds for turn in kept] == [1000, 2000, 0]
    assert await journal.unfinished() == ()


async def test_conversations_are_listed_by_their_last_question(database: Database) -> None:
    store = Conversations(database)
    await asked(database, turn_id="t1", conversation_id="c1", at=NOW)
    await asked(database, turn_id="t2", conversation_id="c2", at=NOW + timedelta(seconds=1))
    assert [each.id for each in await store.conversations("ann", 10)] == ["c2", "c1"]
    later = NewTurn("t3", "c1", "And?", "", "", EVERYWHERE, NOW + timedelta(seconds=2))
    await store.go_on("ann", later, unfinished_limit=9)
    assert [each.id for each in await store.conversations("ann", 10)] == ["c1", "c2"]
    assert [each.id for each in await store.conversations("ann", 1)] == ["c1"]


async def test_what_is_somebody_elses_is_not_found(database: Database) -> None:
    store = Conversations(database)
    await asked(database, owner="ann")
    assert await store.conversations("bob", 10) == ()
    with pytest.raises(TurnNotFound):
        await store.turn("bob", "t1")
    with pytest.raises(ConversationNotFound):
        await store.conversation("bob", "c1")
    with pytest.raises(ConversationNotFound):
        await store.delete("bob", "c1")
    with pytest.raises(ConversationNotFound):
        await store.go_on("bob", NewTurn("t2", "c1", "And?", "", "", EVERYWHERE, NOW), unfinished_limit=9)
    assert len((await store.conversation("ann", "c1")).turns) == 1


async def test_a_deleted_conversation_leaves_no_row(database: Database) -> None:
    await asked(database)
    await answered(database)
    await Conversations(database).delete("ann", "c1")
    for table in (turns, answers, citations, events):
        assert await count(database, table) == 0


# --- journal ---------------------------------------------------------------------------------------------------------


async def test_a_finished_turn_reads_as_the_fold_of_its_events(database: Database) -> None:
    await asked(database)
    await answered(database)
    turn = await Conversations(database).turn("ann", "t1")
    assert turn.answer == folded(*EVENTS)
    assert turn.status is TurnStatus.ANSWERED
    assert turn.milliseconds == 1500
    assert turn.finished_at == NOW + timedelta(seconds=1.5)
    written = await Journal(database).since("t1", 0)
    assert written.events == tuple(enumerate(EVENTS, 1))
    assert (written.last, written.status) == (4, TurnStatus.ANSWERED)


async def test_a_running_turn_reads_as_the_fold_of_what_is_written(database: Database) -> None:
    await asked(database)
    await Journal(database).claim("t1", LEASE)
    await Journal(database).write([Entry("t1", 1, EVENTS[:2])], LEASE)
    turn = await Conversations(database).turn("ann", "t1")
    assert turn.status is TurnStatus.RUNNING
    assert turn.answer == folded(*EVENTS[:2])


async def test_of_many_claims_one_is_granted(database: Database) -> None:
    await asked(database)
    claims = [Journal(database).claim("t1", Lease(f"holder {number}", NOW)) for number in range(5)]
    assert sorted(await asyncio.gather(*claims)) == [False, False, False, False, True]


async def test_whoever_lost_a_turn_writes_nothing(database: Database) -> None:
    journal = Journal(database)
    await asked(database)
    await journal.claim("t1", LEASE)
    other = Lease("elsewhere/2", LEASE.until)
    assert await journal.write([Entry("t1", 1, EVENTS[:1])], other) == frozenset()
    (found,) = await journal.unfinished()
    assert await journal.interrupt(found, NOW)
    assert await journal.write([Entry("t1", 1, EVENTS[:1])], LEASE) == frozenset()
    written = await journal.since("t1", 0)
    assert (written.events, written.status) == ((), TurnStatus.INTERRUPTED)


async def test_one_lost_turn_does_not_keep_the_others_from_being_written(database: Database) -> None:
    journal = Journal(database)
    await asked(database, turn_id="t1", conversation_id="c1")
    await asked(database, turn_id="t2", conversation_id="c2")
    await journal.claim("t2", LEASE)
    entries = [Entry("t1", 1, EVENTS[:1]), Entry("t2", 1, EVENTS[:1])]
    assert await journal.write(entries, LEASE) == {"t2"}
    assert (await journal.since("t2", 0)).last == 1


async def test_a_renewed_lease_is_not_interrupted(database: Database) -> None:
    journal = Journal(database)
    await asked(database)
    await journal.claim("t1", LEASE)
    (found,) = await journal.unfinished()
    assert found.lease == LEASE
    await journal.renew(["t1"], Lease(LEASE.holder, LEASE.until + timedelta(seconds=5)))
    assert not await journal.interrupt(found, NOW)
    assert (await journal.since("t1", 0)).status is TurnStatus.RUNNING


async def test_a_stop_is_seen_by_the_holder_and_ends_what_nobody_holds(database: Database) -> None:
    journal = Journal(database)
    await asked(database, turn_id="t1", conversation_id="c1")
    await asked(database, turn_id="t2", conversation_id="c2")
    await journal.claim("t1", LEASE)
    for turn_id in ("t1", "t2"):
        await journal.request_stop(turn_id, NOW)
    assert await journal.stops_requested(LEASE.holder) == {"t1"}
    assert (await journal.since("t2", 0)).status is TurnStatus.STOPPED
    assert not await journal.claim("t2", LEASE)


async def test_only_later_events_are_read(database: Database) -> None:
    await asked(database)
    await answered(database)
    for after in range(7):
        written = await Journal(database).since("t1", after)
        assert [number for number, _ in written.events] == list(range(after + 1, 5))
        assert written.last == 4
    with pytest.raises(TurnNotFound):
        await Journal(database).since("nobody", 0)


async def test_earlier_exchanges_are_told_oldest_first_without_the_question_itself(database: Database) -> None:
    store, journal = Conversations(database), Journal(database)
    await asked(database)
    await answered(database)
    for number, question in enumerate(["Why?", "How?", "Where?"], 2):
        new = NewTurn(f"t{number}", "c1", question, "", "", EVERYWHERE, NOW)
        turn = await store.go_on("ann", new, unfinished_limit=9)
        await journal.claim(f"t{number}", LEASE)
        said = folded(TextDelta(f"because {number}"))
        await journal.write([Entry(f"t{number}", 1, (), Ending(TurnStatus.ANSWERED, said, NOW))], LEASE)
    assert turn is not None
    why, how = Exchange("Why?", "because 2"), Exchange("How?", "because 3")
    assert await store.exchanges(turn, 5) == (Exchange("How?", "Öffne die Datei"), why, how)
    assert await store.exchanges(turn, 2) == (why, how)
    again = await store.go_on("ann", NewTurn("t5", "c1", "How?", "", "", EVERYWHERE, NOW), unfinished_limit=9)
    assert again is not None
    assert await store.exchanges(again, 5) == (why, Exchange("Where?", "because 4"))


async def test_what_is_no_character_is_stored_as_a_replacement(database: Database) -> None:
    await asked(database)
    await Journal(database).claim("t1", LEASE)
    broken = Citation(1, "documents/a", "https://a", "a\x00b\ud800c", "docs", (Passage("p\x00q\udfff"),))
    said: tuple[AnswerEvent, ...] = (TextDelta("x\x00y\ud83d", (1,)), CitationsFound((broken,)))
    await Journal(database).write([Entry("t1", 1, said, Ending(TurnStatus.ANSWERED, folded(*said), NOW))], LEASE)
    turn = await Conversations(database).turn("ann", "t1")
    assert turn.answer.citations[0].title == "a�b�c"
    assert (await Journal(database).since("t1", 0)).last == 2


async def test_a_database_that_is_not_there_says_so(url: str, tmp_path: Path) -> None:
    missing = url.replace(str(tmp_path), str(tmp_path / "missing")).replace("/test_", "/missing_")
    with pytest.raises(StorageUnavailable):
        await Database.open(missing)

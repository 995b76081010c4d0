"""A turn's life, from the question to its end, for those who follow and for the database."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
import structlog

from app.chat.live import LiveAnswers, Numbered, TurnEnded
from app.chat.service import Chat
from app.domain.answers import (
    EMPTY_ANSWER,
    Answer,
    AnswerCompleted,
    AnswerEvent,
    AnswerFailed,
    Citation,
    CitationsFound,
    Outcome,
    Question,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.conversations import Turn, TurnStatus
from app.domain.documents import EVERYWHERE
from app.domain.errors import ConversationNotFound, QuotaExceeded, SourceUnavailable, StorageFull, TurnNotFound
from app.storage.conversations import NewTurn
from app.storage.engine import Database
from app.storage.journal import Entry, Journal, Lease, Unfinished
from tests.chat.conftest import ANN, BOB, BOUND, House, Script, followed

SEARCHING = StepStarted(Step.SEARCHING)
CITED = CitationsFound((Citation(1, "documents/a", "https://a", "A"),))
DONE = AnswerCompleted(Outcome.ANSWERED)
EITHER_DATABASE = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)


def text_of(told: Sequence[Numbered]) -> str:
    return "".join(each.event.text for each in told if isinstance(each.event, TextDelta))


def folded(told: Sequence[Numbered]) -> Answer:
    answer = EMPTY_ANSWER
    for each in told:
        if not isinstance(each.event, TurnEnded):
            answer = answer.apply(each.event)
    return answer


def status_of(told: Sequence[Numbered]) -> TurnStatus:
    last = told[-1].event
    assert isinstance(last, TurnEnded)
    return last.status


async def told_until(chat: Chat, turn: Turn, words: str) -> list[Numbered]:
    """What a reader is told who leaves as soon as these words are there."""
    told: list[Numbered] = []
    async with asyncio.timeout(BOUND):
        events = chat.follow(ANN, turn.id)
        async for numbered in events:
            told.append(numbered)
            if text_of(told) == words:
                break
        await events.aclose()
    return told


async def final(chat: Chat, turn: Turn) -> Turn:
    found = await chat.wait(ANN, turn.id, BOUND)
    assert found.status.final
    return found


# --- the way to an end -----------------------------------------------------------------------------------------------


@EITHER_DATABASE
async def test_an_answer_is_told_word_by_word_and_kept(house: House) -> None:
    chat = await house.chat(Script(SEARCHING, TextDelta("It is "), TextDelta("so.", (1,)), CITED, DONE))
    turn = await chat.ask(ANN, "How?")
    assert turn.status is TurnStatus.PENDING
    told = await followed(chat, turn.id)
    assert [each.number for each in told] == list(range(1, len(told) + 1))
    assert text_of(told) == "It is so."
    assert status_of(told) is TurnStatus.ANSWERED
    kept = await final(chat, turn)
    assert kept.answer == folded(told)
    assert kept.answer.citations == CITED.citations
    assert kept.milliseconds is not None


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome.ANSWERED, TurnStatus.ANSWERED),
        (Outcome.WEAK, TurnStatus.WEAK),
        (Outcome.NOT_FOUND, TurnStatus.NOT_FOUND),
    ],
)
async def test_an_outcome_becomes_the_status_of_its_name(house: House, outcome: Outcome, status: TurnStatus) -> None:
    chat = await house.chat(Script(AnswerCompleted(outcome)))
    turn = await chat.ask(ANN, "How?")
    assert status_of(await followed(chat, turn.id)) is status
    assert (await final(chat, turn)).status is status


async def test_words_in_quick_succession_are_few_events(house: House) -> None:
    words = [TextDelta(f"word{number} ") for number in range(500)]
    chat = await house.chat(Script(SEARCHING, *words, DONE))
    turn = await chat.ask(ANN, "How?")
    told = await followed(chat, turn.id)
    assert text_of(told) == "".join(word.text for word in words)
    assert len(told) < 50


async def test_gathered_words_fold_to_the_same_answer(house: House) -> None:
    events: list[AnswerEvent] = [
        TextDelta("One"),
        TextDelta(" sentence.", (1,)),
        TextDelta("", (2,)),
        TextDelta(" Another", ()),
        TextDelta(""),
        TextDelta(".", (2,)),
        DONE,
    ]
    chat = await house.chat(Script(*events))
    turn = await chat.ask(ANN, "How?")
    expected = EMPTY_ANSWER
    for event in events:
        expected = expected.apply(event)
    assert folded(await followed(chat, turn.id)) == expected
    assert (await final(chat, turn)).answer == expected


async def test_the_first_message_does_not_wait_for_words(house: House) -> None:
    chat = await house.chat(Script(SEARCHING, asyncio.Event()))
    began = time.monotonic()
    turn = await chat.ask(ANN, "How?")
    async with asyncio.timeout(BOUND):
        events = chat.follow(ANN, turn.id)
        first = await anext(events)
        await events.aclose()
    assert first == Numbered(1, SEARCHING)
    assert time.monotonic() - began < 1, "the aim is 0.1 s on an idle machine"


# --- readers who leave and return ------------------------------------------------------------------------------------


async def test_an_answer_goes_on_without_its_reader(house: House) -> None:
    gate = asyncio.Event()
    chat = await house.chat(Script(SEARCHING, TextDelta("It is "), gate, TextDelta("so.", (1,)), CITED, DONE))
    turn = await chat.ask(ANN, "How?")
    await told_until(chat, turn, "It is ")
    gate.set()
    kept = await final(chat, turn)
    assert kept.answer.text == "It is so."
    assert kept.status is TurnStatus.ANSWERED


async def test_an_answer_goes_on_though_its_reader_leaves_before_the_first_word(house: House) -> None:
    gate = asyncio.Event()
    chat = await house.chat(Script(gate, TextDelta("so."), DONE))
    turn = await chat.ask(ANN, "How?")
    reader = asyncio.create_task(followed(chat, turn.id))
    await asyncio.sleep(0)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    gate.set()
    assert (await final(chat, turn)).answer.text == "so."


@EITHER_DATABASE
async def test_a_reader_who_reconnects_sees_each_word_once(house: House) -> None:
    gates = [asyncio.Event() for _ in range(4)]
    steps: list[AnswerEvent | asyncio.Event | Exception] = [SEARCHING]
    for number, gate in enumerate(gates):
        steps += [TextDelta(f"word{number} "), gate]
    script = Script(*steps, CITED, DONE)
    chat = await house.chat(script)
    turn = await chat.ask(ANN, "How?")
    # While it is being made: whoever returns after each word gets the rest, whatever was seen before.
    readers = []
    for number, gate in enumerate(gates):
        said = "".join(f"word{each} " for each in range(number + 1))
        seen = await told_until(chat, turn, said)
        readers.append((seen, asyncio.create_task(followed(chat, turn.id, seen[-1].number))))
        gate.set()
    whole = await followed(chat, turn.id)
    for seen, rest in readers:
        assert seen + await rest == whole
    # When it is over: from every place.
    for after in range(len(whole)):
        assert await followed(chat, turn.id, after) == whole[after:]
    assert len(script.questions) == 1, "following never asks again"


async def test_following_past_the_end_tells_the_end(house: House) -> None:
    chat = await house.chat(Script(TextDelta("so."), DONE))
    turn = await chat.ask(ANN, "How?")
    end = (await followed(chat, turn.id))[-1]
    for after in (end.number - 1, end.number, end.number + 1, 10_000, -5):
        assert (await followed(chat, turn.id, after))[-1] == end


async def test_two_followers_are_told_the_same(house: House) -> None:
    gate = asyncio.Event()
    chat = await house.chat(Script(SEARCHING, TextDelta("It is "), gate, TextDelta("so."), DONE))
    turn = await chat.ask(ANN, "How?")
    first = asyncio.create_task(followed(chat, turn.id))
    await told_until(chat, turn, "It is ")
    second = asyncio.create_task(followed(chat, turn.id))
    gate.set()
    assert await first == await second


@EITHER_DATABASE
async def test_a_reader_at_another_server_is_told_the_same(house: House) -> None:
    gate = asyncio.Event()
    script, idle = Script(SEARCHING, TextDelta("It is "), gate, TextDelta("so."), DONE), Script()
    here, there = await house.chat(script), await house.chat(idle)
    turn = await here.ask(ANN, "How?")
    await told_until(here, turn, "It is ")
    elsewhere = asyncio.create_task(followed(there, turn.id))
    await told_until(there, turn, "It is ")
    gate.set()
    assert await elsewhere == await followed(here, turn.id)
    assert idle.questions == []


async def test_somebody_elses_answer_cannot_be_followed_while_it_is_made(house: House) -> None:
    chat = await house.chat(Script(TextDelta("so."), asyncio.Event()))
    turn = await chat.ask(ANN, "How?")
    await told_until(chat, turn, "so.")
    with pytest.raises(TurnNotFound):
        await asyncio.wait_for(anext(chat.follow(BOB, turn.id)), BOUND)


async def test_somebody_elses_answer_cannot_be_followed(house: House) -> None:
    chat = await house.chat(Script(TextDelta("so."), DONE))
    turn = await chat.ask(ANN, "How?")
    with pytest.raises(TurnNotFound):
        await followed(chat, turn.id, user=BOB)
    for nonsense in ("", "x" * 41, "a\x00b", "\ud800", "../etc"):
        with pytest.raises(TurnNotFound):
            await followed(chat, nonsense)


# --- stopping --------------------------------------------------------------------------------------------------------


@EITHER_DATABASE
async def test_stop_takes_effect_within_a_second_and_keeps_what_was_written(house: House) -> None:
    script = Script(SEARCHING, TextDelta("It is "), asyncio.Event(), DONE)
    chat = await house.chat(script)
    turn = await chat.ask(ANN, "How?")
    await told_until(chat, turn, "It is ")
    follower = asyncio.create_task(followed(chat, turn.id))
    began = time.monotonic()
    stopped = await chat.stop(ANN, turn.id)
    assert time.monotonic() - began < 1
    assert stopped.status is TurnStatus.STOPPED
    assert stopped.answer.segments[0].text == "It is "
    assert status_of(await follower) is TurnStatus.STOPPED
    assert script.closed == 1, "the source's stream is closed"
    assert await chat.stop(ANN, turn.id) == stopped, "a second stop changes nothing"


@EITHER_DATABASE
async def test_stop_reaches_an_answer_at_another_server(house: House) -> None:
    script = Script(TextDelta("It is "), asyncio.Event())
    here, there = await house.chat(script), await house.chat(Script())
    turn = await here.ask(ANN, "How?")
    await told_until(here, turn, "It is ")
    stopped = await there.stop(ANN, turn.id)
    assert stopped.status is TurnStatus.STOPPED
    assert stopped.answer.text == "It is"


async def test_an_answer_that_does_not_give_way_is_stopped_all_the_same(house: House) -> None:
    stubborn, started = asyncio.Event(), asyncio.Event()

    async def answer(question: Question) -> AsyncIterator[AnswerEvent]:
        yield TextDelta("It is ")
        while not stubborn.is_set():
            started.set()
            try:
                await stubborn.wait()
            except asyncio.CancelledError:
                continue
        yield TextDelta("too late")
        yield DONE

    script = Script()
    script.answer = answer  # type: ignore[method-assign]  # a test double of its own kind
    chat = await house.chat(script)
    turn = await chat.ask(ANN, "How?")
    await told_until(chat, turn, "It is ")
    await asyncio.wait_for(started.wait(), BOUND)
    assert (await chat.stop(ANN, turn.id)).status is TurnStatus.STOPPED
    stubborn.set()
    assert (await chat.turn(ANN, turn.id)).answer.text == "It is"


async def test_a_question_may_be_stopped_at_once(house: House) -> None:
    chat = await house.chat(Script(asyncio.Event()))
    turn = await chat.ask(ANN, "How?")
    assert (await chat.stop(ANN, turn.id)).status is TurnStatus.STOPPED


async def test_a_conversation_deleted_in_mid_answer_ends_its_stream(house: House) -> None:
    script = Script(TextDelta("It is "), asyncio.Event())
    chat = await house.chat(script)
    turn = await chat.ask(ANN, "How?")
    await told_until(chat, turn, "It is ")
    follower = asyncio.create_task(followed(chat, turn.id))
    await chat.delete(ANN, turn.conversation_id)
    assert status_of(await follower) is TurnStatus.STOPPED
    assert script.closed == 1
    with pytest.raises(TurnNotFound):
        await chat.turn(ANN, turn.id)


# --- what goes wrong -------------------------------------------------------------------------------------------------


async def test_an_error_ends_the_turn_with_its_code_and_the_words_stay(house: House) -> None:
    chat = await house.chat(Script(TextDelta("It is "), SourceUnavailable("connection refused")))
    turn = await chat.ask(ANN, "How?")
    told = await followed(chat, turn.id)
    failed = told[-2].event
    assert isinstance(failed, AnswerFailed)
    assert failed.code == "source_unavailable"
    assert failed.request_id
    assert status_of(told) is TurnStatus.FAILED
    kept = await final(chat, turn)
    assert kept.answer.failure == failed
    assert kept.answer.text == "It is"


async def test_an_error_that_knows_when_to_ask_again_tells_the_time(house: House) -> None:
    chat = await house.chat(Script(QuotaExceeded("too often", retry_after=600)))
    before = datetime.now(UTC)
    failed = (await final(chat, await chat.ask(ANN, "How?"))).answer.failure
    assert failed is not None
    assert failed.until is not None
    assert timedelta(seconds=600) <= failed.until - before < timedelta(seconds=600 + BOUND)


async def test_an_unforeseen_error_is_internal_and_logged_under_the_readers_request(house: House) -> None:
    chat = await house.chat(Script(ZeroDivisionError("secret detail")))
    with structlog.testing.capture_logs() as lines:
        turn = await chat.ask(ANN, "How?")
        told = await followed(chat, turn.id)
    failed = told[0].event
    assert isinstance(failed, AnswerFailed)
    assert failed.code == "internal"
    (line,) = [line for line in lines if line["event"] == "answer failed"]
    assert line["exc_info"]
    assert line["request_id"] == failed.request_id
    assert "secret detail" not in repr(told)


async def test_an_answer_without_an_end_is_a_failure_and_never_complete(house: House) -> None:
    chat = await house.chat(Script(TextDelta("It is ")))
    turn = await chat.ask(ANN, "How?")
    assert status_of(await followed(chat, turn.id)) is TurnStatus.FAILED


async def test_an_answer_that_takes_too_long_is_given_up(house: House) -> None:
    script = Script(TextDelta("It is "), asyncio.Event())
    chat = await house.chat(script, answer_seconds=0.2)
    turn = await chat.ask(ANN, "How?")
    told = await followed(chat, turn.id)
    failed = told[-2].event
    assert isinstance(failed, AnswerFailed)
    assert failed.code == "answer_timeout"
    assert script.closed == 1
    assert (await final(chat, turn)).status is TurnStatus.FAILED


class FullJournal(Journal):
    """A journal on a disk that is full for a while."""

    full = False

    async def write(self, entries: Sequence[Entry], lease: Lease) -> frozenset[str]:
        if self.full:
            raise StorageFull("database or disk is full")
        return await super().write(entries, lease)


async def test_a_full_disk_in_mid_answer_is_told_to_followers_and_kept_once_there_is_room(house: House) -> None:
    gate = asyncio.Event()
    journal = FullJournal(house.database)
    script = Script(SEARCHING, TextDelta("It is "), gate, TextDelta("so."), DONE)
    chat = await house.chat(script, journal=journal, sweep_seconds=0.1)
    turn = await chat.ask(ANN, "How?")
    await told_until(chat, turn, "It is ")
    follower = asyncio.create_task(followed(chat, turn.id))
    await asyncio.sleep(0)
    journal.full = True
    gate.set()
    told = await follower
    failed = told[-2].event
    assert isinstance(failed, AnswerFailed)
    assert failed.code == "storage_full"
    assert status_of(told) is TurnStatus.FAILED
    assert text_of(told) == "It is ", "nobody is told what is not kept"
    assert await followed(chat, turn.id) == told, "whoever comes later is told the same"
    seen = await chat.turn(ANN, turn.id)
    assert (seen.status, seen.answer.failure) == (TurnStatus.FAILED, failed), "page and stream agree"
    journal.full = False
    await asyncio.wait_for(house.stored(turn, TurnStatus.FAILED), BOUND)
    assert (await chat.turn(ANN, turn.id)).answer == folded(told)
    assert await followed(chat, turn.id) == told


async def test_one_answer_that_cannot_be_written_does_not_harm_the_others(house: House) -> None:
    gate = asyncio.Event()
    twice = CitationsFound((CITED.citations[0], CITED.citations[0]))  # two citations of one number: no such rows

    async def answer(question: Question) -> AsyncIterator[AnswerEvent]:
        await gate.wait()
        if question.text == "bad":
            yield twice
        yield TextDelta("so.")
        yield DONE

    script = Script()
    script.answer = answer  # type: ignore[method-assign]  # a test double of its own kind
    chat = await house.chat(script, sweep_seconds=0.1)
    turns = [await chat.ask(ANN, text) for text in ("good", "bad", "fine")]
    gate.set()
    ended = [status_of(await followed(chat, turn.id)) for turn in turns]
    assert ended == [TurnStatus.ANSWERED, TurnStatus.FAILED, TurnStatus.ANSWERED]
    await asyncio.wait_for(house.stored(turns[1], TurnStatus.FAILED), BOUND)


class SweptJournal(Journal):
    """A journal that tells when it was searched for abandoned turns, twice, and some were unfinished."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.sweeps, self.swept = 0, asyncio.Event()

    async def unfinished(self) -> tuple[Unfinished, ...]:
        found = await super().unfinished()
        self.sweeps += bool(found)
        if self.sweeps > 1:  # the first is through
            self.swept.set()
        return found


async def test_a_question_that_is_stored_and_not_yet_begun_is_not_taken_for_abandoned(house: House) -> None:
    journal = SweptJournal(house.database)
    script = Script(TextDelta("so."), DONE)
    async with LiveAnswers(script.answer, journal, sweep_seconds=0.01) as live:
        lease = live.expect("t1", ANN.id)
        new = NewTurn("t1", "c1", "How?", "How?", "", EVERYWHERE, datetime.now(UTC), lease)
        await house.conversations.begin(ANN.id, new, unfinished_limit=3)
        await asyncio.wait_for(journal.swept.wait(), BOUND)
        live.start("t1", ANN.id, Question("How?"))
        told = [numbered async for numbered in live.follow("t1")]
    assert status_of(told) is TurnStatus.ANSWERED


async def test_a_question_that_could_not_be_stored_leaves_nothing_to_wait_for(house: House) -> None:
    chat = await house.chat(Script(DONE))
    for _ in range(2):
        with pytest.raises(ConversationNotFound):
            await chat.ask(ANN, "How?", "nowhere")
    async with asyncio.timeout(2):  # less than the farewell, which waits for what is unfinished
        await chat.interrupt_all()


# --- servers that go -------------------------------------------------------------------------------------------------


async def test_an_orderly_shutdown_tells_each_follower_that_the_answer_is_interrupted(house: House) -> None:
    script = Script(TextDelta("It is "), asyncio.Event())
    chat = await house.chat(script)
    turns = [await chat.ask(user, "How?") for user in (ANN, BOB)]
    await told_until(chat, turns[0], "It is ")
    followers = [
        asyncio.create_task(followed(chat, turn.id, user=user)) for turn, user in zip(turns, (ANN, BOB), strict=True)
    ]
    await asyncio.sleep(0)
    began = time.monotonic()
    await chat.interrupt_all()
    assert time.monotonic() - began < 2
    assert [status_of(await follower) for follower in followers] == [TurnStatus.INTERRUPTED] * 2
    kept = await chat.turn(ANN, turns[0].id)
    assert kept.status is TurnStatus.INTERRUPTED
    assert kept.answer.text == "It is"
    assert script.closed == 2


async def test_a_question_that_no_server_took_up_is_answered_for_its_next_reader(house: House) -> None:
    first = await house.chat(Script(DONE))
    await first.interrupt_all()  # it takes questions still, but begins no answer
    turn = await first.ask(ANN, "How?")
    second = await house.chat(Script(TextDelta("so."), DONE))
    assert status_of(await followed(second, turn.id)) is TurnStatus.ANSWERED


async def test_a_question_that_no_server_takes_up_is_interrupted_in_the_end(house: House) -> None:
    first = await house.chat(Script(DONE))
    await first.interrupt_all()
    turn = await first.ask(ANN, "How?")
    await house.chat(Script(), lease_seconds=0.1, sweep_seconds=0.05)
    await asyncio.wait_for(house.stored(turn, TurnStatus.INTERRUPTED), BOUND)


@EITHER_DATABASE
async def test_an_answer_whose_lease_ran_out_is_interrupted_by_another_server(house: House) -> None:
    there = await house.chat(Script(), sweep_seconds=0.1)
    first = await house.chat(Script(DONE))
    await first.interrupt_all()
    turn = await first.ask(ANN, "How?")
    await house.journal.claim(turn.id, Lease("elsewhere/1/1/x", datetime.now(UTC) + timedelta(seconds=0.3)))
    await house.journal.write(
        [Entry(turn.id, 1, (TextDelta("It is "),))],
        Lease("elsewhere/1/1/x", datetime.now(UTC) + timedelta(seconds=0.3)),
    )
    told = await followed(there, turn.id)
    assert text_of(told) == "It is "
    assert status_of(told) is TurnStatus.INTERRUPTED
    assert (await there.turn(ANN, turn.id)).answer.text == "It is"


async def test_a_long_answer_keeps_its_lease(house: House) -> None:
    gate = asyncio.Event()
    chat = await house.chat(
        Script(TextDelta("It is "), gate, TextDelta("so."), DONE), lease_seconds=0.6, sweep_seconds=0.1
    )
    await house.chat(Script(), sweep_seconds=0.05)
    turn = await chat.ask(ANN, "How?")
    await told_until(chat, turn, "It is ")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(followed(chat, turn.id), 1.5)  # more than two leases
    gate.set()
    assert status_of(await followed(chat, turn.id)) is TurnStatus.ANSWERED


async def test_whoever_lost_a_turn_stops_making_it_and_its_followers_learn_the_end(house: House) -> None:
    gate = asyncio.Event()
    script = Script(TextDelta("It is "), gate, TextDelta("so."), asyncio.Event())
    chat = await house.chat(script)
    turn = await chat.ask(ANN, "How?")
    await told_until(chat, turn, "It is ")
    follower = asyncio.create_task(followed(chat, turn.id))
    await asyncio.sleep(0)
    (found,) = await house.journal.unfinished()
    assert await house.journal.interrupt(found, datetime.now(UTC))
    gate.set()
    told = await follower
    assert status_of(told) is TurnStatus.INTERRUPTED
    assert text_of(told) == "It is "
    await asyncio.wait_for(script.left.wait(), BOUND)

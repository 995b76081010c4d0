"""What readers ask, and what of it they find again."""

import asyncio
import unicodedata

import pytest

from app.chat.limits import Limits
from app.chat.service import question_text, title_of
from app.domain.answers import (
    AnswerCompleted,
    Citation,
    CitationsFound,
    Exchange,
    Outcome,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.conversations import TurnStatus
from app.domain.documents import EVERYWHERE, Passage, Scope
from app.domain.errors import (
    ConversationNotFound,
    QuestionEmpty,
    QuestionTooLong,
    QuestionUnreadable,
    TooManyQuestions,
    TurnNotFound,
)
from app.domain.users import User
from tests.chat.conftest import ANN, BOB, BOUND, House, Script, followed

DONE = AnswerCompleted(Outcome.ANSWERED)
LIMIT = 4000
EITHER_DATABASE = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)


# --- the text --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  How?\r\n\r\nReally?\r", "How?\n\nReally?"),
        ("cafe\u0301", "café"),
        ("a\x00b\x07c\x1b[2Jd\x85e\x7f", "abc[2Jde"),
        ("a\tb", "a\tb"),
        ("كيف أقرأ ملفًا؟", "كيف أقرأ ملفًا؟"),
        ("👩‍👩‍👧 🎉", "👩‍👩‍👧 🎉"),
        ("می‌خواهم", "می‌خواهم"),
        ("<script>alert(1)</script> {{7*7}}", "<script>alert(1)</script> {{7*7}}"),
        ("data: x\nevent: done", "data: x\nevent: done"),
    ],
)
def test_a_question_is_kept_without_what_is_no_text(given: str, kept: str) -> None:
    assert question_text(given, LIMIT) == unicodedata.normalize("NFC", kept)


@pytest.mark.parametrize("given", ["", " \n\t\r ", "\x00\x00", "\u200b\u200d\ufeff", "\u00a0\u3000", "\u202e"])
def test_a_question_without_anything_to_see_is_empty(given: str) -> None:
    with pytest.raises(QuestionEmpty):
        question_text(given, LIMIT)


@pytest.mark.parametrize("given", ["half \ud83d", "\udc00", "a" * 9000 + "\ud800"])
def test_half_a_character_is_refused(given: str) -> None:
    with pytest.raises(QuestionUnreadable):
        question_text(given, LIMIT)


def test_a_question_may_be_as_long_as_the_limit_and_no_longer() -> None:
    assert len(question_text("x" * LIMIT + "\n" * 50, LIMIT)) == LIMIT
    for length in (LIMIT + 1, 20_000, 1_000_000):
        with pytest.raises(QuestionTooLong) as told:
            question_text("x" * length, LIMIT)
        assert (told.value.limit, told.value.length) == (LIMIT, length)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How?", "How?"),
        ("How\n\n do  I?", "How do I?"),
        ("one two three four", "one two…"),
        ("one two th", "one two th"),
        ("one two   th", "one two th"),
        ("Donaudampfschiffahrt", "Donaudamp…"),
        ("123456789 more", "123456789…"),
    ],
)
def test_a_title_is_one_line_cut_between_words(question: str, title: str) -> None:
    assert title_of(question, 10) == title


# --- asking ----------------------------------------------------------------------------------------------------------


async def test_the_answerer_is_told_question_language_and_scope(house: House) -> None:
    script = Script(DONE)
    chat = await house.chat(script)
    scope = Scope(collections=frozenset({"python"}))
    turn = await chat.ask(ANN, " How? ", language="de", scope=scope)
    await followed(chat, turn.id)
    (question,) = script.questions
    assert (question.text, question.language, question.scope, question.history) == ("How?", "de", scope, ())
    assert (await chat.turn(ANN, turn.id)).scope == scope


async def test_a_readers_groups_limit_every_question_of_theirs(house: House) -> None:
    script = Script(DONE)
    chat = await house.chat(script)
    carol = User("carol", groups=frozenset({"staff"}))
    turn = await chat.ask(carol, "How?", scope=Scope(groups=frozenset({"board"})))
    await followed(chat, turn.id, user=carol)
    again = await chat.ask_again(User("carol", groups=frozenset({"guests"})), turn.id)
    await followed(chat, again.id, user=carol)
    assert [question.scope.groups for question in script.questions] == [{"staff"}, {"guests"}]


async def test_a_further_question_is_told_what_was_said_before(house: House) -> None:
    script = Script(TextDelta("so."), DONE)
    chat = await house.chat(script)
    first = await chat.ask(ANN, "How 0?")
    await followed(chat, first.id)
    for number in range(1, 8):
        turn = await chat.ask(ANN, f"How {number}?", first.conversation_id)
        await followed(chat, turn.id)
    assert script.questions[1].history == (Exchange("How 0?", "so."),)
    assert script.questions[-1].history == tuple(Exchange(f"How {number}?", "so.") for number in range(2, 7))
    conversation = await chat.conversation(ANN, first.conversation_id)
    assert [turn.question for turn in conversation.turns] == [f"How {number}?" for number in range(8)]
    assert conversation.title == "How 0?"


async def test_a_question_that_is_refused_leaves_nothing_behind(house: House) -> None:
    chat = await house.chat(Script(DONE))
    with pytest.raises(QuestionEmpty):
        await chat.ask(ANN, "  ")
    for nobodys in ("missing", "", "a/b", "x\x00", "y" * 50):
        with pytest.raises(ConversationNotFound):
            await chat.ask(ANN, "How?", nobodys)
    assert await chat.conversations(ANN) == ()


async def test_a_reader_has_a_few_answers_running_and_no_more(house: House) -> None:
    gate = asyncio.Event()
    chat = await house.chat(Script(gate, DONE))
    running = [await chat.ask(ANN, "How?") for _ in range(Limits().unfinished)]
    with pytest.raises(TooManyQuestions) as told:
        await chat.ask(ANN, "How?")
    assert told.value.retry_after > 0
    with pytest.raises(TooManyQuestions):
        await chat.ask(ANN, "How?", running[0].conversation_id)
    assert await chat.ask(BOB, "How?"), "the limit is each reader's own"
    gate.set()
    for turn in running:
        await followed(chat, turn.id)
    assert await chat.ask(ANN, "How?")


async def test_asking_again_is_a_new_turn_at_the_end_of_the_conversation(house: House) -> None:
    script = Script(TextDelta("so."), DONE)
    chat = await house.chat(script)
    scope = Scope(collections=frozenset({"python"}))
    first = await chat.ask(ANN, "How?", language="de", scope=scope)
    await followed(chat, first.id)
    second = await chat.ask(ANN, "Why?", first.conversation_id)
    await followed(chat, second.id)
    again = await chat.ask_again(ANN, first.id)
    await followed(chat, again.id)
    assert (again.question, again.position, again.conversation_id) == ("How?", 3, first.conversation_id)
    assert script.questions[-1].scope == scope
    assert script.questions[-1].history == (Exchange("Why?", "so."),), "not what it is to say anew"
    assert [turn.id for turn in (await chat.conversation(ANN, first.conversation_id)).turns] == [
        first.id,
        second.id,
        again.id,
    ]


# --- waiting and looking back ----------------------------------------------------------------------------------------


async def test_waiting_gives_the_final_turn_as_soon_as_there_is_one(house: House) -> None:
    gate = asyncio.Event()
    chat = await house.chat(Script(TextDelta("so."), gate, DONE))
    turn = await chat.ask(ANN, "How?")
    early = await chat.wait(ANN, turn.id, 0.1)
    assert not early.status.final
    waiting = asyncio.create_task(chat.wait(ANN, turn.id, BOUND))
    gate.set()
    assert (await waiting).status is TurnStatus.ANSWERED
    assert (await chat.wait(ANN, turn.id, 0)).answer.text == "so."


@EITHER_DATABASE
async def test_an_answer_that_is_waited_for_is_told_as_it_is_kept(house: House) -> None:
    cited = CitationsFound((Citation(1, "documents/a", "https://a", "A", "docs", (Passage("so.", (), 0, ()),)),))
    chat = await house.chat(Script(StepStarted(Step.SEARCHING), TextDelta("so.", (1,)), cited, DONE))
    told = await chat.answered(ANN, "How?")
    assert (told.status, told.answer.citations) == (TurnStatus.ANSWERED, cited.citations)
    assert told == await chat.turn(ANN, told.id)
    further = await chat.answered(ANN, "And?", told.conversation_id)
    assert (further.position, further) == (2, await chat.turn(ANN, further.id))


async def test_waiting_for_an_answer_ends_when_it_is_stopped(house: House) -> None:
    chat = await house.chat(Script(TextDelta("It is "), asyncio.Event()))
    waiting = asyncio.create_task(chat.answered(ANN, "How?"))
    async with asyncio.timeout(BOUND):
        while not (asked := await chat.conversations(ANN)):  # noqa: ASYNC110
            await asyncio.sleep(0)  # the database calls nobody
    (turn,) = (await chat.conversation(ANN, asked[0].id)).turns
    await chat.stop(ANN, turn.id)
    assert (await asyncio.wait_for(waiting, BOUND)).status is TurnStatus.STOPPED


async def test_a_question_whose_asker_leaves_while_it_is_stored_is_answered(house: House) -> None:
    chat = await house.chat(Script(TextDelta("so."), DONE))
    async with house.database.writing():  # it has to wait
        asking = asyncio.create_task(chat.ask(ANN, "How?"))
        for _ in range(3):
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    async with asyncio.timeout(BOUND):
        while not (asked := await chat.conversations(ANN)):  # noqa: ASYNC110
            await asyncio.sleep(0)  # the database calls nobody
        (turn,) = (await chat.conversation(ANN, asked[0].id)).turns
        assert (await chat.wait(ANN, turn.id, BOUND)).status is TurnStatus.ANSWERED


async def test_a_running_answer_is_gone_with_its_conversation(house: House) -> None:
    chat = await house.chat(Script(TextDelta("It is "), asyncio.Event()))
    turn = await chat.ask(ANN, "How?")
    await chat.delete(ANN, turn.conversation_id)
    with pytest.raises(TurnNotFound):
        await followed(chat, turn.id)


async def test_a_stop_leaves_a_finished_turn_as_it_is(house: House) -> None:
    chat = await house.chat(Script(TextDelta("so."), DONE))
    turn = await chat.ask(ANN, "How?")
    await followed(chat, turn.id)
    assert (await chat.stop(ANN, turn.id)).status is TurnStatus.ANSWERED


async def test_what_is_somebody_elses_is_not_found_whatever_is_done_with_it(house: House) -> None:
    chat = await house.chat(Script(asyncio.Event()))
    turn = await chat.ask(ANN, "How?")
    for attempt in (chat.turn, chat.stop, chat.ask_again):
        with pytest.raises(TurnNotFound):
            await attempt(BOB, turn.id)
    with pytest.raises(TurnNotFound):
        await chat.wait(BOB, turn.id, 1)
    with pytest.raises(ConversationNotFound):
        await chat.conversation(BOB, turn.conversation_id)
    with pytest.raises(ConversationNotFound):
        await chat.delete(BOB, turn.conversation_id)
    with pytest.raises(ConversationNotFound):
        await chat.ask(BOB, "And?", turn.conversation_id)
    assert await chat.conversations(BOB) == ()
    assert not (await chat.turn(ANN, turn.id)).status.final, "nor was it stopped"


async def test_conversations_are_listed_without_their_turns_and_can_be_deleted(house: House) -> None:
    chat = await house.chat(Script(TextDelta("so."), DONE))
    turns = [await chat.ask(ANN, f"How {number}?") for number in range(2)]
    for turn in turns:
        await followed(chat, turn.id)
    assert [each.title for each in await chat.conversations(ANN)] == ["How 1?", "How 0?"]
    assert len(await chat.conversations(ANN, limit=1)) == 1
    assert all(each.turns == () for each in await chat.conversations(ANN))
    await chat.delete(ANN, turns[1].conversation_id)
    assert [each.title for each in await chat.conversations(ANN)] == ["How 0?"]
    with pytest.raises(TurnNotFound):
        await followed(chat, turns[1].id)


async def test_an_everywhere_question_stays_everywhere(house: House) -> None:
    chat = await house.chat(Script(DONE))
    turn = await chat.ask(ANN, "How?")
    assert (await chat.turn(ANN, turn.id)).scope == EVERYWHERE

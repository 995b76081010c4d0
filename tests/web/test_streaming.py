"""A turn's events as a stream: what leaves when, what a reconnect gets, and that nothing but partials is sent."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime

import pytest
from sse_starlette import ServerSentEvent

from app.chat.run import Numbered, TurnEnded
from app.domain.answers import (
    EMPTY_ANSWER,
    AnswerCompleted,
    AnswerEvent,
    AnswerFailed,
    Citation,
    CitationsFound,
    FallbackReason,
    FellBack,
    ModelGaveUp,
    Origin,
    Outcome,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.conversations import Turn, TurnStatus
from app.domain.documents import Passage
from app.domain.errors import StorageUnavailable, TurnNotFound
from app.web.streaming import LivePage, api_messages, batches, page_messages
from tests.support.pages import presented
from tests.support.sse import Message, Parts, read

TURN = "turn-of-a-test"
CITED = CitationsFound(
    (
        Citation(
            1, "documents/docs.example.com/pump", "https://docs.example.com/pump", "Pump", "plant", (Passage("Slow."),)
        ),
    )
)
STORY: tuple[AnswerEvent, ...] = (
    StepStarted(Step.SEARCHING, 2),
    StepStarted(Step.READING, 1),
    CITED,
    StepStarted(Step.WRITING),
    TextDelta("The pump is "),
    TextDelta("slow.", (1,)),
    TextDelta("\n\nIt has two "),
    TextDelta("speeds:\n\n- low\n- high", (1,)),
    TextDelta("\n\n```sh\npump --low\n"),
    TextDelta("pump --high\n```\n"),
    TextDelta("\nThat is all."),
    AnswerCompleted(Outcome.ANSWERED),
)


def numbered(events: Sequence[AnswerEvent], status: TurnStatus = TurnStatus.ANSWERED) -> list[Numbered]:
    return [
        *(Numbered(number, event) for number, event in enumerate(events, 1)),
        Numbered(len(events) + 1, TurnEnded(status)),
    ]


class Journal:
    """Events that are told one by one: each waits until the test lets it out."""

    def __init__(self, events: Sequence[Numbered], *, free: bool = True, fails: Exception | None = None) -> None:
        self.events = events
        self.steps = asyncio.Semaphore(len(events) if free else 0)
        self.fails = fails
        self.closed = 0

    async def follow(self, after: int) -> AsyncGenerator[Numbered, None]:
        try:
            for each in self.events[after:]:
                await self.steps.acquire()
                yield each
            if self.fails:
                raise self.fails
        finally:
            self.closed += 1


def new_page() -> LivePage:
    presenter, pages = presented()
    return LivePage(TURN, presenter, pages)


async def whole(told: AsyncIterator[ServerSentEvent]) -> list[Message]:
    async with asyncio.timeout(5):
        return read("".join([event.encode().decode() async for event in told]))


class AttentivePage(LivePage):
    """Tells when it has taken events in."""

    def __init__(self, taken: asyncio.Semaphore) -> None:
        page = new_page()
        super().__init__(page.turn_id, page.presenter, page.pages)
        self.taken = taken

    def advance(self, numbered: list[Numbered]) -> str:
        self.taken.release()
        return super().advance(numbered)


async def one_by_one(events: Sequence[Numbered]) -> list[Message]:
    """The stream of a reader who is told each event as it comes: no two of them stand in one message."""
    journal, taken = Journal(events, free=False), asyncio.Semaphore(0)
    reader = asyncio.create_task(whole(page_messages(journal.follow, lambda: AttentivePage(taken), 0)))
    for each in events:
        journal.steps.release()
        if not isinstance(each.event, TurnEnded):
            async with asyncio.timeout(5):
                await taken.acquire()
    return await reader


async def test_the_first_message_leaves_before_anything_is_known() -> None:
    journal = Journal(numbered(STORY), free=False)
    async with aclosing(page_messages(journal.follow, new_page, 0)) as told, asyncio.timeout(5):
        [first] = read((await anext(told)).encode().decode())
    assert first.id == "0"
    page = Parts().take([first])
    assert page.parts[f"blocks-{TURN}"] == ""
    assert "Waiting" in page.parts[f"status-{TURN}"]


async def test_every_message_holds_partials_alone_and_the_last_is_done() -> None:
    told = await whole(page_messages(Journal(numbered(STORY)).follow, new_page, 0))
    assert [message.name for message in told][-1:] == ["done"]
    assert all(not message.name for message in told[:-1])
    page = Parts().take(told)
    assert (page.stray, page.done) == ("", "answered")
    assert told[-1].id == str(len(STORY) + 1)


async def test_streamed_parts_hold_no_ids_and_nothing_that_htmx_reads() -> None:
    page = Parts().take(await whole(page_messages(Journal(numbered(STORY)).follow, new_page, 0)))
    html = "".join(page.parts.values())
    assert not re.search(r"\s(id|hx-[a-z:]+|data-hx-[a-z]+|on[a-z]+)=", html)


async def test_finished_blocks_are_sent_once_and_with_the_emptied_tail() -> None:
    told = await one_by_one(numbered(STORY))
    sent = "".join(message.data for message in told)
    assert sent.count("<figure") <= sent.count("pump --high") + 1
    appended = [message for message in told if 'hx-swap="beforeend"' in message.data]
    assert appended
    assert all(f'hx-target="#tail-{TURN}"' in message.data for message in appended)
    page = Parts().take(told)
    assert page.parts[f"tail-{TURN}"] == ""
    assert page.parts[f"blocks-{TURN}"].count("That is all.") == 1


async def test_a_reader_who_reconnects_at_any_number_sees_each_word_once() -> None:
    events = numbered(STORY)
    told = await one_by_one(events)
    expected = Parts().take(told).parts
    for place, message in enumerate(told[:-1]):
        rest = await whole(page_messages(Journal(events).follow, new_page, int(message.id)))
        page = Parts().take(told[: place + 1]).take(rest)
        assert page.parts == expected, f"after message {message.id}"
        assert page.done == "answered"
        assert all(int(later.id) > int(message.id) for later in rest if message.id != "0")


async def test_a_replay_from_the_start_into_a_filled_page_changes_nothing() -> None:
    told = await whole(page_messages(Journal(numbered(STORY)).follow, new_page, 0))
    once = Parts().take(told).parts
    assert Parts().take(told).take(told).parts == once


async def test_after_the_end_done_is_said_once_more() -> None:
    [again] = await whole(page_messages(Journal(numbered(STORY)).follow, new_page, len(STORY) + 1))
    assert (again.name, again.data) == ("done", "answered")


async def test_a_number_that_the_turn_does_not_have_brings_everything_anew() -> None:
    told = await whole(page_messages(Journal(numbered(STORY)).follow, new_page, 4711))
    from_the_start = await whole(page_messages(Journal(numbered(STORY)).follow, new_page, 0))
    assert Parts().take(told).parts == Parts().take(from_the_start).parts


async def test_what_was_written_before_a_fall_back_leaves_the_page() -> None:
    events = numbered(
        (
            StepStarted(Step.WRITING),
            TextDelta("Wrong words.\n\nAnd more"),
            FellBack(FallbackReason.QUOTA_DAY, datetime(2026, 12, 1, 8, 0, tzinfo=UTC)),
            CITED,
            TextDelta("Right words.", (1,)),
            AnswerCompleted(Outcome.ANSWERED),
        )
    )
    for told in (
        await one_by_one(events),
        await whole(page_messages(Journal(events).follow, new_page, 0)),
        await whole(page_messages(Journal(events).follow, new_page, 0)),
    ):
        page = Parts().take(told)
        assert "Wrong" not in page.parts[f"blocks-{TURN}"] + page.parts[f"tail-{TURN}"]
        assert "Right words." in page.parts[f"blocks-{TURN}"]
        assert "1, 08:00 UTC</time>" in page.parts[f"notice-{TURN}"]


async def test_what_a_model_wrote_before_it_gave_up_leaves_the_page_with_its_footnotes_set_anew() -> None:
    events = numbered(
        (
            StepStarted(Step.WRITING),
            CITED,
            TextDelta("Wrong words.", (1,)),
            TextDelta(" And more"),
            ModelGaveUp("model"),
            CITED,
            TextDelta("Right words.", (1,)),
            AnswerCompleted(Outcome.ANSWERED),
        )
    )
    for told in (await one_by_one(events), await whole(page_messages(Journal(events).follow, new_page, 0))):
        page = Parts().take(told)
        assert "Wrong" not in "".join(page.parts.values())
        assert "Right words." in page.parts[f"blocks-{TURN}"]
        assert "https://docs.example.com/pump" in page.parts[f"sources-{TURN}"], "the same ones as before, but there"
        assert "The writing model gave no answer." in page.parts[f"notice-{TURN}"]


def test_footnotes_that_go_and_come_back_within_one_message_are_there() -> None:
    events = numbered((StepStarted(Step.WRITING), CITED, ModelGaveUp("model"), CITED))
    page = new_page()
    page.advance(events[:2])
    assert "https://docs.example.com/pump" in page.advance(events[2:])


DOUBTED: tuple[AnswerEvent, ...] = (
    StepStarted(Step.ASKING),
    FellBack(FallbackReason.MALFORMED),
    CITED,
    StepStarted(Step.WRITING),
    TextDelta("The pump is slow.", (1,)),
    TextDelta(" It is *old"),
    TextDelta("* and loud."),
    TextDelta("", unsupported=True),
    TextDelta("\n\n| a | b |\n| - | - |\n"),
    TextDelta("| one | two |", unsupported=True),
    TextDelta("\n\n```\npump\n```", unsupported=True),
    TextDelta("\n\nThat is all."),
    AnswerCompleted(
        Outcome.ANSWERED, searched_for="How fast is <it>?", origin=Origin.ANSWER_QUERY, unreachable=("wiki",)
    ),
)


async def test_what_is_told_while_an_answer_arrives_is_what_stands_in_the_end() -> None:
    presenter, pages = presented()
    answer = EMPTY_ANSWER
    for event in DOUBTED:
        answer = answer.apply(event)
    turn = Turn(TURN, "c", 1, "How?", TurnStatus.ANSWERED, datetime(2026, 12, 1, tzinfo=UTC), answer=answer)
    final = pages.component("turn", presenter.turn(turn))
    events = numbered(DOUBTED)
    for told in (await one_by_one(events), await whole(page_messages(Journal(events).follow, new_page, 0))):
        page = Parts().take(told)
        assert page.parts[f"blocks-{TURN}"].count("(no source)") == 2
        assert page.parts[f"blocks-{TURN}"].count("unsourced") == 6
        without_ids = re.sub(r' id="[^"]*"', "", final)
        assert page.parts[f"blocks-{TURN}"].strip() in without_ids.replace("\n    ", "\n")
        for line in page.parts[f"notice-{TURN}"].split("\n"):
            assert line in without_ids
        assert page.parts[f"notice-{TURN}"].count("<p ") == 3


async def test_programs_are_told_which_words_have_no_source_and_what_failed() -> None:
    turn = Turn(TURN, "c", 1, "How?", TurnStatus.RUNNING, datetime(2026, 12, 1, tzinfo=UTC))
    language = presented()[0].language
    events = numbered(
        (TextDelta("It is so.", unsupported=True), AnswerFailed("source_too_slow", "req-1")), TurnStatus.FAILED
    )
    told = await whole(api_messages(Journal(events).follow, turn, language, 0.0))
    [text] = [json.loads(message.data) for message in told if message.name == "text"]
    assert text == {"delta": "It is so.", "numbers": [], "unsupported": True}
    [failed] = [json.loads(message.data) for message in told if message.name == "failed"]
    assert (failed["code"], failed["request_id"]) == ("source_too_slow", "req-1")
    assert failed["message"].startswith("The knowledge service did not answer in time.")


async def test_a_weak_answer_shows_no_prose_while_it_is_made() -> None:
    events = numbered(
        (
            StepStarted(Step.SEARCHING, 1),
            StepStarted(Step.GATHERING),
            CITED,
            TextDelta("The pump is slow.", (1,)),
            AnswerCompleted(Outcome.WEAK),
        ),
        TurnStatus.WEAK,
    )
    page = Parts().take(await one_by_one(events))
    assert page.parts[f"blocks-{TURN}"] + page.parts[f"tail-{TURN}"] == ""
    assert page.done == "weak"


async def test_a_missing_turn_is_told_in_the_stream() -> None:
    told = await whole(page_messages(Journal([], fails=TurnNotFound("x")).follow, new_page, 0))
    assert (told[-1].name, told[-1].data) == ("done", "not_found")


async def test_a_stream_that_cannot_be_read_on_ends_without_done_so_that_it_is_asked_again() -> None:
    events = numbered(STORY)[:5]
    told = await whole(page_messages(Journal(events, fails=StorageUnavailable("gone")).follow, new_page, 0))
    assert all(not message.name for message in told)
    assert "Writing" in Parts().take(told).parts[f"status-{TURN}"]


async def test_a_reader_who_leaves_lets_go_of_the_journal() -> None:
    journal = Journal(numbered(STORY), free=False)
    journal.steps.release()
    async with aclosing(batches(journal.follow(0))) as gathered, asyncio.timeout(5):
        await anext(gathered)
    assert journal.closed == 1


async def test_what_is_ready_together_is_one_message() -> None:
    told = await whole(page_messages(Journal(numbered(STORY)).follow, new_page, 0))
    assert len(told) == 3  # emptied, everything, done


@pytest.mark.parametrize("text", ["data: x\n\nevent: done", "a\rb\r\nc", "</hx-partial><p id=says>", "\0\x1b[31m"])
async def test_no_text_breaks_out_of_its_message(text: str) -> None:
    events = numbered((StepStarted(Step.WRITING), CITED, TextDelta(text, (1,)), AnswerCompleted(Outcome.ANSWERED)))
    told = await whole(page_messages(Journal(events).follow, new_page, 0))
    page = Parts().take(told)
    assert (page.stray, page.done) == ("", "answered")
    assert set(page.parts) == {f"{part}-{TURN}" for part in ("notice", "blocks", "tail", "sources", "status")} | {
        "says"
    }


async def test_programs_get_every_event_with_its_number_and_the_whole_answer_before_the_end() -> None:
    presenter, _ = presented()
    turn = Turn(TURN, "c", 1, "How?", TurnStatus.PENDING, datetime(2026, 12, 1, tzinfo=UTC))
    began = asyncio.get_running_loop().time()
    told = await whole(api_messages(Journal(numbered(STORY)).follow, turn, presenter.language, began))
    names = [message.name for message in told]
    assert names == ["status"] * 2 + ["citations", "status"] + ["text"] * 7 + ["answer", "done"]
    assert '"phase": "searching", "detail": "Searching 2 collections"' in told[0].data
    assert told[-1].data == '{"status": "answered"}'


async def test_programs_are_told_of_a_failure_in_words_and_under_its_number() -> None:
    presenter, _ = presented()
    turn = Turn(TURN, "c", 1, "How?", TurnStatus.PENDING, datetime(2026, 12, 1, tzinfo=UTC))
    events = numbered((StepStarted(Step.SEARCHING), AnswerFailed("source_unavailable", "r-1")), TurnStatus.FAILED)
    told = await whole(api_messages(Journal(events).follow, turn, presenter.language, 0.0))
    assert told[1].name == "failed"
    assert '"code": "source_unavailable"' in told[1].data
    assert '"request_id": "r-1"' in told[1].data
    assert told[-1].data == '{"status": "failed"}'

"""A turn's events as a stream: for the page as HTML that replaces named parts, for programs as JSON.

Not how an answer is made, and not how its text becomes HTML. The contract with the page (htmx 4 with hx-sse):

- Every message has the number of the last event that it holds as its id. With `Last-Event-ID: n` only what follows is
  sent; without it, or with a number that this turn does not have, everything, and the first message empties the parts.
- Unnamed messages hold `<hx-partial>` wrappers and nothing else: status, notice, finished blocks (before the tail),
  the open tail, footnotes, and the sentence for screen readers. They hold no ids and nothing else that htmx reads.
- The last message is named `done`, in success and in failure; its data is the final status. The page then fetches the
  turn's final form. A stream that ends without it is asked again by the browser.
- The status is always 200: any other would be asked again without end. A missing turn is told as `done`: `not_found`.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import assert_never

import anyio
import structlog
from markupsafe import Markup
from sse_starlette import EventSourceResponse, ServerSentEvent

from app.answering.reporting import answer_object, fell_back_object
from app.chat.run import Numbered, TurnEnded
from app.domain.answers import (
    EMPTY_ANSWER,
    Answer,
    AnswerCompleted,
    AnswerEvent,
    AnswerFailed,
    CitationsFound,
    FellBack,
    ModelGaveUp,
    Outcome,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.conversations import Turn, TurnStatus
from app.domain.errors import StorageError, TurnNotFound
from app.web import wording
from app.web.errors import told_of_failure
from app.web.i18n import Language
from app.web.markdown import AnswerRendering
from app.web.presenting import Presenter, address_of
from app.web.templating import Pages, partial
from app.web.views import Aside

PING_SECONDS = 15  # shorter than the shortest read timeout of a proxy (20 s)
SEND_SECONDS = 20  # a reader who takes nothing for so long is let go
GATHER_SECONDS = 0.01  # what is ready within this time is one message; words were gathered before they were stored
FAREWELL_SECONDS = 5.0  # longer than ending the answers takes, shorter than what the server waits
LIFE_SECONDS = 600.0  # then the browser asks again and goes on where it was
MISSING = "not_found"

Follow = Callable[[int], AsyncGenerator[Numbered, None]]

log = structlog.get_logger(__name__)


def event_stream(
    messages: AsyncIterator[ServerSentEvent], farewell: Callable[[], Coroutine[None, None, None]]
) -> EventSourceResponse:
    """The one way in which streams leave: at once, unbuffered, never stored, with a comment as ping.

    `farewell` is called when the server is told to go; what it makes the turn say still reaches the reader.
    """
    going = anyio.Event()

    async def take_leave() -> None:
        await going.wait()
        await farewell()

    return EventSourceResponse(
        messages,
        sep="\n",  # with CRLF a message that is cut between the two would fall apart in the browser
        ping=PING_SECONDS,
        send_timeout=SEND_SECONDS,
        ping_message_factory=lambda: ServerSentEvent(comment="ping", sep="\n"),
        shutdown_event=going,
        shutdown_grace_period=FAREWELL_SECONDS,
        data_sender_callable=take_leave,
    )


def message(data: str, *, number: int | None = None, name: str | None = None) -> ServerSentEvent:
    return ServerSentEvent(data=data, event=name, id=None if number is None else str(number), sep="\n")


@dataclass(slots=True)
class LivePage:
    """One follower's page: the fold of the events so far, and which parts of the page must be told of the last ones."""

    turn_id: str
    presenter: Presenter
    pages: Pages
    answer: Answer = EMPTY_ANSWER
    _rendering: AnswerRendering | None = None

    def emptied(self) -> str:
        """The first message: every part empty, so that a replay into a filled article is harmless."""
        empty = [partial(f"{part}-{self.turn_id}", "") for part in ("notice", "blocks", "tail", "sources")]
        return "".join([*empty, self._status(), self._says()])

    def advance(self, numbered: list[Numbered]) -> str:
        """Take these events in; the partials of what has changed by them."""
        former = self.answer
        parts: list[Markup] = []
        for each in numbered:
            if isinstance(each.event, TurnEnded):
                continue
            if isinstance(each.event, FellBack | ModelGaveUp):  # what was written before is void
                self._rendering = None
                parts = [partial(f"{part}-{self.turn_id}", "") for part in ("blocks", "tail", "sources")]
                former = replace(former, segments=(), citations=())
            self.answer = self.answer.apply(each.event)
        if self.answer.steps != former.steps:
            parts += [self._status(), self._says()]
        if (aside := self._aside(self.answer)) != self._aside(former):
            parts.append(partial(f"notice-{self.turn_id}", self.pages.component("aside", aside)))
        if self.answer.citations != former.citations:
            sources = self.presenter.sources(self.answer, self.turn_id, live=True)
            parts.append(
                partial(f"sources-{self.turn_id}", self.pages.component("sources", sources) if sources else "")
            )
        if self.answer.segments != former.segments or self.answer.ended != former.ended:
            parts += self._text()
        return "".join(parts)

    def _text(self) -> list[Markup]:
        """Newly finished blocks and the open tail, in one message: one frame, no flicker."""
        if self._pages_only:
            return []
        if self._rendering is None:
            self._rendering = AnswerRendering(self._cite, address=self._address, words=self.presenter.words)
        rendered = self._rendering.update(self.answer.segments, ended=self.answer.ended)
        closed = Markup("").join(rendered.closed)
        parts = [partial(f"blocks-{self.turn_id}", closed, "beforeend")] if closed else []
        return [*parts, partial(f"tail-{self.turn_id}", rendered.tail)]

    def _aside(self, answer: Answer) -> Aside:
        status = TurnStatus.RUNNING if answer.outcome is None else TurnStatus(answer.outcome)
        return self.presenter.aside(answer, status if answer.failure is None else TurnStatus.FAILED)

    @property
    def _pages_only(self) -> bool:
        """A weak or missing answer has no prose: its pages come with the final form."""
        gathering = bool(self.answer.steps) and self.answer.steps[-1].step is Step.GATHERING
        return gathering or self.answer.outcome in (Outcome.WEAK, Outcome.NOT_FOUND)

    def _cite(self, number: int, first: bool) -> Markup:  # the renderer calls it by position
        return self.presenter.cite(self.turn_id, self.answer.citations, live=True)(number, first)

    def _address(self, number: int) -> str:
        return address_of(self.answer.citations)(number)

    def _status(self) -> Markup:
        view = self.presenter.status(self.answer)
        return partial(f"status-{self.turn_id}", self.pages.component("status", view))

    def _says(self) -> Markup:
        status = TurnStatus.RUNNING if self.answer.steps else TurnStatus.PENDING
        return partial("says", wording.announcement(status, self.answer, self.presenter.language))


async def page_messages(
    follow: Follow, new_page: Callable[[], LivePage], last_seen: int
) -> AsyncIterator[ServerSentEvent]:
    """The page's stream after the event `last_seen` (0: from the start), up to and including `done`.

    The answer is folded from its first event, so that blocks and numbers go on where the reader's page is.
    """
    page = new_page()
    if not last_seen:
        yield message(page.emptied(), number=0)
    async with aclosing(_readable(batches(follow(0)))) as gathered:
        async for batch in gathered:
            if not batch:
                yield message(MISSING, name="done")
                return
            events = [each for each in batch if not isinstance(each.event, TurnEnded)]
            if last_seen > batch[-1].number:  # no number of this turn: what the page holds cannot be known
                last_seen = 0
                yield message(page.emptied(), number=0)
            if last_seen:
                page.advance([each for each in events if each.number <= last_seen])  # the page has these
                events = [each for each in events if each.number > last_seen]
            if events and (html := page.advance(events)):
                yield message(html, number=events[-1].number)
            last_seen = 0
            if isinstance(end := batch[-1].event, TurnEnded):
                yield message(str(end.status), number=batch[-1].number, name="done")


async def api_messages(follow: Follow, turn: Turn, language: Language, began: float) -> AsyncIterator[ServerSentEvent]:
    """The same events for programs, each a JSON object, up to and including `done`."""
    answer, loop = EMPTY_ANSWER, asyncio.get_running_loop()
    async with aclosing(_readable(batches(follow(0)))) as gathered:
        async for batch in gathered:
            for each in batch:
                match each.event:
                    case TurnEnded(status=status):
                        elapsed = round((loop.time() - began) * 1000)
                        report = answer_object(id=turn.id, status=status, answer=answer, ms=elapsed)
                        yield _json("answer", report, each.number)
                        yield _json("done", {"status": status}, each.number)
                    case event:
                        answer = answer.apply(event)
                        if told := _for_programs(event, answer, language):
                            yield _json(*told, each.number)


def _for_programs(event: AnswerEvent, answer: Answer, language: Language) -> tuple[str, dict[str, object]] | None:
    match event:
        case StepStarted():
            return "status", {"phase": event.step, "detail": wording.step_running(event, language)}
        case FellBack():
            return "fell_back", fell_back_object(event) or {}
        case ModelGaveUp():
            return "restarted", {"reason": event.code}
        case TextDelta():
            return "text", {"delta": event.text, "numbers": event.numbers, "unsupported": event.unsupported}
        case CitationsFound():
            report = answer_object(id="", status=TurnStatus.RUNNING, answer=answer, ms=0)
            return "citations", {"citations": report["citations"]}
        case AnswerFailed():
            told = told_of_failure(event, language, datetime.now(UTC))
            return "failed", {
                "code": event.code,
                "message": f"{told.title} {told.text}",
                "request_id": event.request_id,
            }
        case AnswerCompleted():
            return None  # told by `answer`
        case _:
            assert_never(event)


def _json(name: str, value: dict[str, object], number: int) -> ServerSentEvent:
    return message(json.dumps(value, ensure_ascii=False), number=number, name=name)


async def _readable(gathered: AsyncGenerator[list[Numbered], None]) -> AsyncGenerator[list[Numbered], None]:
    """The batches, as long as they can be read; an empty one where the turn is not there, or not this reader's.

    Where the database fails the stream ends without `done`: it is asked again.
    """
    async with aclosing(gathered):
        try:
            async for batch in gathered:
                yield batch
        except TurnNotFound:
            yield []
        except StorageError as error:
            log.warning("a stream breaks off", code=error.code, detail=error.detail)


async def batches(events: AsyncGenerator[Numbered, None]) -> AsyncGenerator[list[Numbered], None]:
    """What is ready together, as one list; never empty. Ends after LIFE_SECONDS: a reader asks again and goes on."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + LIFE_SECONDS
    step: asyncio.Future[Numbered | None] | None = None
    try:
        while True:
            step = step or asyncio.ensure_future(anext(events, None))
            if not (await asyncio.wait({step}, timeout=deadline - loop.time()))[0]:
                return
            batch: list[Numbered] = []
            while step.done():
                if batch and step.exception() is not None:
                    break  # what came before is told first
                if (numbered := step.result()) is None:
                    step = None
                    break
                batch.append(numbered)
                step = asyncio.ensure_future(anext(events, None))
                await asyncio.wait({step}, timeout=GATHER_SECONDS)
            if batch:
                yield batch
            if step is None:
                return
    finally:
        if step is not None:  # nothing may run in the generator when it is closed
            step.cancel()
            await asyncio.wait({step})
        await events.aclose()

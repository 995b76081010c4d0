"""One turn: its final form, its events, stopping it, asking it again. Not how it is asked: conversations.py."""

import re
from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import APIRouter, Header, Response
from fastapi.responses import RedirectResponse

from app.chat.run import Numbered
from app.domain.errors import AppError, TurnNotFound
from app.web.dependencies import (
    ByHtmx,
    CurrentUser,
    TheAddresses,
    TheChat,
    TheLanguage,
    ThePages,
    ThePresenter,
    TheServices,
)
from app.web.errors import told
from app.web.routes.conversations import WAIT_SECONDS, begun, rephrase, to_turn
from app.web.streaming import LivePage, event_stream, page_messages
from app.web.templating import partial
from app.web.views import Notice

EVENT_NUMBER = re.compile(r"\d{1,9}")

router = APIRouter()


@router.get("/turns/{turn_id}", name="turn")
async def show(
    turn_id: str,
    pages: ThePages,
    presenter: ThePresenter,
    services: TheServices,
    addresses: TheAddresses,
    language: TheLanguage,
    user: CurrentUser,
    by_htmx: ByHtmx,
) -> Response:
    """The final form, for which it waits (not for ever): a fragment for htmx, else the turn's place on its page."""
    if not by_htmx:
        turn = await services.chat.turn(user, turn_id)
        return RedirectResponse(addresses.turn_in_conversation(turn.conversation_id, turn.id, wait=True), 303)
    try:
        turn = await services.chat.wait(user, turn_id, WAIT_SECONDS)
    except TurnNotFound as error:
        reason = told(error, language)
        gone = partial(f"turn-{turn_id}", pages.component("gone", reason), "outerHTML")
        return pages.fragment(gone, partial("says", reason.title), status=reason.status)
    view = presenter.turn(turn, rephrase=rephrase(presenter, turn, await services.library.collections()))
    return pages.fragment(pages.component("turn", view), partial("says", view.says))


@router.get("/turns/{turn_id}/events", name="events")
async def events(
    turn_id: str,
    pages: ThePages,
    presenter: ThePresenter,
    chat: TheChat,
    user: CurrentUser,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """The turn as it is made. Always 200: the end, and that there is no such turn, are told in the stream."""

    def follow(after: int) -> AsyncGenerator[Numbered, None]:
        return chat.follow(user, turn_id, after)

    def page() -> LivePage:
        return LivePage(turn_id, presenter, pages)

    last_seen = int(last_event_id) if EVENT_NUMBER.fullmatch(last_event_id) else 0
    return event_stream(page_messages(follow, page, last_seen), chat.interrupt_all)


@router.post("/turns/{turn_id}/stop", name="stop")
async def stop(turn_id: str, addresses: TheAddresses, chat: TheChat, user: CurrentUser, by_htmx: ByHtmx) -> Response:
    """Stop the answer; what was written stays. The page hears of it by its stream."""
    turn = await chat.stop(user, turn_id)
    if by_htmx:
        return Response(status_code=204)
    return to_turn(addresses.turn_in_conversation(turn.conversation_id, turn.id))


@router.post("/turns/{turn_id}/again", name="again")
async def again(
    turn_id: str,
    pages: ThePages,
    presenter: ThePresenter,
    services: TheServices,
    addresses: TheAddresses,
    language: TheLanguage,
    user: CurrentUser,
    by_htmx: ByHtmx,
) -> Response:
    """Ask the same once more, as a new turn."""
    try:
        turn = await services.chat.ask_again(user, turn_id)
    except AppError as error:
        if not by_htmx:
            raise
        reason = told(error, language)
        notice = pages.component("notice_only", Notice("doubt", reason.title, reason.text))
        return pages.fragment(partial(f"turn-{turn_id}", notice, "beforeend"), status=reason.status)
    if by_htmx:
        return await begun(pages, presenter, services, user, turn)
    return to_turn(addresses.turn_in_conversation(turn.conversation_id, turn.id, wait=True))

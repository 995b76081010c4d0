"""Pages to ask and to read conversations, and what changes them: ask, go on, delete. Not the turns themselves."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Form, Query, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup

from app.chat.service import Chat
from app.domain.conversations import Conversation, Turn
from app.domain.documents import EVERYWHERE, Collection, Scope
from app.domain.errors import AppError
from app.domain.users import User
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
from app.web.errors import Told, told
from app.web.presenting import Presenter
from app.web.templating import Pages, partial
from app.web.views import AskPage, Composer, ConversationPage, DeletePage

WAIT_SECONDS = 20.0  # how long a page without scripts waits for the whole answer

router = APIRouter()


@router.get("/", name="ask")
async def ask(
    pages: ThePages,
    presenter: ThePresenter,
    services: TheServices,
    user: CurrentUser,
    question: str = "",
    collection: str = "",
) -> Response:
    """The start: a composer, perhaps with a question typed already."""
    collections = await services.library.collections()
    composer = _first_composer(presenter, collections, question[: 2 * presenter.interface.question_limit], collection)
    return pages.page("ask", await _ask_page(presenter, services.chat, user, collections, composer))


@router.post("/conversations", name="begin")
async def begin(
    pages: ThePages,
    presenter: ThePresenter,
    services: TheServices,
    addresses: TheAddresses,
    language: TheLanguage,
    user: CurrentUser,
    by_htmx: ByHtmx,
    question: Annotated[str, Form()] = "",
    collection: Annotated[str, Form()] = "",
) -> Response:
    """Ask in a new conversation; what was typed comes back with the reason where it cannot be asked."""
    try:
        turn = await services.chat.ask(user, question, language=language.tag, scope=scope_of(collection))
    except AppError as error:
        reason = told(error, language)
        collections = await services.library.collections()
        composer = _first_composer(presenter, collections, question, collection, reason)
        if by_htmx:
            return pages.fragment(refused(pages, composer), status=reason.status)
        view = await _ask_page(presenter, services.chat, user, collections, composer)
        return pages.page("ask", view, reason.status)
    if by_htmx:
        page = addresses.turn_in_conversation(turn.conversation_id, turn.id)
        return Response(status_code=204, headers={"HX-Redirect": page})
    return to_turn(addresses.turn_in_conversation(turn.conversation_id, turn.id, wait=True))


@router.get("/c/{conversation_id}", name="conversation")
async def show(
    conversation_id: str,
    pages: ThePages,
    presenter: ThePresenter,
    services: TheServices,
    user: CurrentUser,
    wait: Annotated[str, Query()] = "",
) -> Response:
    """A conversation. With `wait` (readers without scripts) it waits, not for ever, until its answers are whole."""
    conversation = await services.chat.conversation(user, conversation_id)
    if wait and (running := [turn for turn in conversation.turns if not turn.status.final]):
        await asyncio.gather(*(services.chat.wait(user, turn.id, WAIT_SECONDS) for turn in running))
        conversation = await services.chat.conversation(user, conversation_id)
    collections = await services.library.collections()
    composer = follow_up(presenter, conversation, collections)
    view = await conversation_page(presenter, services.chat, user, conversation, composer, collections)
    return pages.page("conversation", view)


@router.post("/c/{conversation_id}/turns", name="go_on")
async def go_on(
    conversation_id: str,
    pages: ThePages,
    presenter: ThePresenter,
    services: TheServices,
    addresses: TheAddresses,
    language: TheLanguage,
    user: CurrentUser,
    by_htmx: ByHtmx,
    question: Annotated[str, Form()] = "",
    collection: Annotated[str, Form()] = "",
) -> Response:
    """Ask a follow-up: for htmx the live article and a fresh composer, else a page that waits."""
    scope = scope_of(collection)
    conversation = await services.chat.conversation(user, conversation_id)
    try:
        turn = await services.chat.ask(user, question, conversation_id, language=language.tag, scope=scope)
    except AppError as error:
        reason = told(error, language)
        collections = await services.library.collections()
        composer = follow_up(presenter, conversation, collections, scope, question, reason)
        if by_htmx:
            return pages.fragment(refused(pages, composer), status=reason.status)
        view = await conversation_page(presenter, services.chat, user, conversation, composer, collections)
        return pages.page("conversation", view, reason.status)
    if by_htmx:
        return await begun(pages, presenter, services, user, turn)
    return to_turn(addresses.turn_in_conversation(conversation_id, turn.id, wait=True))


@router.get("/c/{conversation_id}/delete", name="confirm_delete")
async def confirm_delete(conversation_id: str, pages: ThePages, chat: TheChat, user: CurrentUser) -> Response:
    """Ask before a conversation is deleted."""
    conversation = await chat.conversation(user, conversation_id)
    return pages.page("delete", DeletePage(conversation.id, conversation.title))


@router.post("/c/{conversation_id}/delete", name="delete")
async def delete(conversation_id: str, addresses: TheAddresses, chat: TheChat, user: CurrentUser) -> Response:
    await chat.delete(user, conversation_id)
    return RedirectResponse(addresses("ask"), 303)


# --- what these and the turns' routes share ------------------------------------------------------------------------


async def begun(pages: Pages, presenter: Presenter, services: TheServices, user: User, turn: Turn) -> Response:
    """The reply to htmx when a question was taken: the live article, and the parts of the page that change with it."""
    conversation = await services.chat.conversation(user, turn.conversation_id)
    composer = follow_up(presenter, conversation, await services.library.collections(), turn.scope)
    return pages.fragment(
        pages.component("turn", presenter.live(turn)),
        partial("ask-form", pages.component("composer", composer), "outerHTML"),
        partial("count", count_of(presenter, conversation)),
    )


def refused(pages: Pages, composer: Composer) -> Markup:
    """The composer with the reason, to replace the one that was sent."""
    return partial(f"{composer.id}-form", pages.component("composer", composer), "outerHTML")


def scope_of(collection: str) -> Scope:
    """Where to look, as the composer's choice says it; empty: everywhere."""
    return Scope(collections=frozenset({collection})) if collection else EVERYWHERE


def to_turn(address: str) -> RedirectResponse:
    """See Other: the browser gets the page, and a reload asks nothing again."""
    return RedirectResponse(address, 303)


def follow_up(
    presenter: Presenter,
    conversation: Conversation,
    collections: tuple[Collection, ...],
    scope: Scope | None = None,
    question: str = "",
    error: Told | None = None,
) -> Composer:
    """The composer below a conversation; it looks where the last question looked."""
    last = conversation.turns[-1].scope if conversation.turns else EVERYWHERE
    return Composer(
        action=presenter.addresses("go_on", conversation_id=conversation.id),
        docked=True,
        choices=presenter.choices(collections, scope or last),
        limit=presenter.interface.question_limit,
        question=question,
        error=error,
    )


async def conversation_page(
    presenter: Presenter,
    chat: Chat,
    user: User,
    conversation: Conversation,
    composer: Composer,
    collections: tuple[Collection, ...],
) -> ConversationPage:
    last = conversation.turns[-1] if conversation.turns else None
    turns = tuple(
        presenter.turn(turn, rephrase=rephrase(presenter, turn, collections) if turn is last else None)
        for turn in conversation.turns
    )
    return ConversationPage(
        id=conversation.id,
        title=conversation.title,
        turns=turns,
        composer=composer,
        days=presenter.days(await chat.conversations(user), conversation.id),
    )


def rephrase(presenter: Presenter, turn: Turn, collections: tuple[Collection, ...]) -> Composer:
    """A composer with the question in it, to ask it in other words."""
    return Composer(
        action=presenter.addresses("go_on", conversation_id=turn.conversation_id),
        docked=False,
        choices=presenter.choices(collections, turn.scope),
        limit=presenter.interface.question_limit,
        question=turn.question,
        id=f"again-{turn.id}",
    )


def count_of(presenter: Presenter, conversation: Conversation) -> str:
    return presenter.language.ngettext("%(number)s question", "%(number)s questions", len(conversation.turns))


def _first_composer(
    presenter: Presenter,
    collections: tuple[Collection, ...],
    question: str,
    collection: str,
    error: Told | None = None,
) -> Composer:
    return Composer(
        action=presenter.addresses("begin"),
        docked=False,
        choices=presenter.choices(collections, scope_of(collection)),
        limit=presenter.interface.question_limit,
        question=question,
        error=error,
    )


async def _ask_page(
    presenter: Presenter, chat: Chat, user: User, collections: tuple[Collection, ...], composer: Composer
) -> AskPage:
    return AskPage(
        composer=composer,
        starters=presenter.interface.starters,
        collections=presenter.choices(collections),
        documents=sum(collection.documents or 0 for collection in collections),
        days=presenter.days(await chat.conversations(user)),
    )

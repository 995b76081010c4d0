"""What routes ask for, as annotated aliases: services, who asks, in which language, with which pages. No decisions."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Request

from app.chat.service import Chat
from app.domain.tokens import TokenScope
from app.domain.users import User
from app.services import Services
from app.web.addresses import Addresses
from app.web.admission import admitted, scope_needed
from app.web.assets import Assets
from app.web.i18n import Language, Languages
from app.web.presenting import Presenter
from app.web.templating import Frame, Pages, Templates
from app.web.views import Interface


def services_of(request: Request) -> Services:
    services = request.state.services
    assert isinstance(services, Services)  # noqa: S101  # the lifespan put it there
    return services


TheServices = Annotated[Services, Depends(services_of)]


def chat_of(services: TheServices) -> Chat:
    return services.chat


async def user_of(request: Request, services: TheServices) -> User:
    """Who asks. A new or renewed cookie leaves with the reply, whatever the reply is (see `app.IdentityCookie`)."""
    admission = await admitted(request, services, scope_needed(request))
    request.state.cookie = admission.cookie
    request.state.may_ask = admission.token is None or TokenScope.ASK in admission.token.scopes
    return admission.user


def language_of(request: Request) -> Language:
    languages: Languages = request.app.state.languages
    return languages.preferred(request.headers.get("accept-language", ""))


def interface_of(request: Request) -> Interface:
    interface: Interface = request.app.state.interface
    return interface


def addresses_of(request: Request) -> Addresses:
    return Addresses(request.app, interface_of(request).root_path)


def pages_of(request: Request) -> Pages:
    """The pages of this request; also for the handlers of errors, which have no dependencies."""
    language = language_of(request)
    templates: Templates = request.app.state.templates
    assets: Assets = request.app.state.assets
    return Pages(
        templates.environment(language),
        Frame(
            interface=interface_of(request),
            assets=assets,
            language=language,
            nonce=request.state.nonce,
            path=addresses_of(request),
        ),
    )


ThePages = Annotated[Pages, Depends(pages_of)]


def presenter_of(pages: ThePages) -> Presenter:
    frame = pages.frame
    return Presenter(frame.language, frame.path, frame.interface, pages.cite, datetime.now(UTC))


def by_htmx(request: Request) -> bool:
    """Whether a script of ours asks for a fragment. Not by Accept: every request of htmx names event streams there."""
    return "hx-request" in request.headers


CurrentUser = Annotated[User, Depends(user_of)]
TheChat = Annotated[Chat, Depends(chat_of)]
TheLanguage = Annotated[Language, Depends(language_of)]
TheAddresses = Annotated[Addresses, Depends(addresses_of)]
ThePresenter = Annotated[Presenter, Depends(presenter_of)]
ByHtmx = Annotated[bool, Depends(by_htmx)]

"""Who asks, and whether what was brought allows what is asked for. Not who that is: the authenticator knows."""

from starlette.requests import Request

from app.domain.errors import ScopeMissing, TokenRequired
from app.domain.tokens import TokenScope
from app.identity.authenticator import Admission, Credentials
from app.services import Services

API = "/api/"
MCP = "/mcp"

# Routes that only look into the documents, by name; whatever else there is takes the right to ask.
SEARCHING = frozenset({"search", "document", "api_search", "api_search_posted", "api_document", "api_documents"})


def for_programs(request: Request) -> bool:
    """Whether the address is one of those that programs use: they read JSON, and may need a token."""
    path = request.url.path.removeprefix(request.scope["root_path"])
    return path.startswith(API) or path.rstrip("/") == MCP


def scope_needed(request: Request) -> TokenScope:
    """What a token must allow for this route."""
    if getattr(request.scope.get("route"), "name", "") in SEARCHING:
        return TokenScope.SEARCH
    return TokenScope.ASK


async def admitted(request: Request, services: Services, scope: TokenScope) -> Admission:
    """Who asks. Raises TokenInvalid, ScopeMissing, and TokenRequired where programs need a token and bring none."""
    client = request.client
    admission = await services.authenticator.authenticate(
        Credentials(
            peer=client.host if client else None,
            headers=[(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in request.headers.raw],
            cookies=request.cookies,
        )
    )
    if admission.token is None:
        if request.app.state.require_token and for_programs(request):
            raise TokenRequired("no token")
    elif scope not in admission.token.scopes:
        raise ScopeMissing(scope)
    return admission

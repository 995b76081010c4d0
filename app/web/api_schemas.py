"""What the interface for programs takes and gives, as /api/v1/openapi.json tells it. Not how a request is served.

Replies are built as plain objects (`answer_object` and its like); a test holds them to these schemas.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, ConfigDict, Field, StrictStr

from app.domain.documents import BATCH_LIMIT, SEARCH_LIMIT, Scope

SEARCH_MOST = 50  # results at once, as on the command line

Label = Annotated[str, Field(max_length=200)]
Labels = Annotated[list[Label], Field(max_length=50)]
Limit = Annotated[int, Field(ge=1, le=SEARCH_MOST)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _ScopedBody(_Body):
    """Where to look: of each side that names any, these alone. Languages are BCP 47 tags."""

    collections: Labels = []
    products: Labels = []
    versions: Labels = []
    languages: Labels = []

    def scope(self, groups: frozenset[str] = frozenset()) -> Scope:
        """What is named, and what the asker may see."""
        return Scope(
            collections=frozenset(self.collections),
            products=frozenset(self.products),
            versions=frozenset(self.versions),
            groups=groups,
            languages=frozenset(self.languages),
        )


class AskBody(_ScopedBody):
    """`conversation` goes on with one of the asker's own."""

    question: str
    conversation: str | None = None


class SearchBody(_ScopedBody):
    """A search for the parts of documents that match best."""

    query: str
    limit: Limit = SEARCH_LIMIT


class DocumentsBody(_Body):
    """Up to 20 names, of the form documents/{uri without scheme}."""

    names: list[Annotated[StrictStr, Field(max_length=500)]] = Field(min_length=1, max_length=BATCH_LIMIT)


class CitationObject(BaseModel):
    number: int
    name: str
    uri: str
    title: str
    collection: str
    passages: list[str]


class SentenceObject(BaseModel):
    """`unsupported`: no document was found to support it."""

    text: str
    numbers: list[int]
    unsupported: bool


class FellBackObject(BaseModel):
    """Why the source's own answer was not to be had, and when it may be again."""

    reason: Literal["quota", "unavailable", "malformed", "empty", "not_offered", "refused"]
    until: datetime | None


class FailureObject(BaseModel):
    """Why there is no answer: a code of docs/errors.md, and when asking again may help."""

    code: str
    request_id: str
    until: datetime | None


class AnswerObject(BaseModel):
    id: str
    status: Literal["answered", "weak", "not_found", "failed", "stopped", "interrupted"]
    origin: Literal["answer_query", "model", "quoted"]
    fell_back: FellBackObject | None
    searched_for: str
    text: str
    citations: list[CitationObject]
    sentences: list[SentenceObject]
    retrieved: list[str]
    unreachable: list[str]
    failure: FailureObject | None
    ms: int


class ResultObject(BaseModel):
    """A part of a document. `parent` is the document's name."""

    parent: str
    id: str
    content: str
    uri: str
    title: str
    headings: list[str]
    score: float


class ResultsObject(BaseModel):
    results: list[ResultObject]


class DocumentObject(BaseModel):
    """A whole document; `content` is Markdown."""

    name: str
    uri: str
    title: str
    content: str
    description: str


class DocumentsObject(BaseModel):
    """In the order of the names asked for. `unknown`: nobody knows them; `failed`: not to be had this time."""

    documents: list[DocumentObject]
    unknown: list[str]
    failed: list[str]


class Problem(BaseModel):
    """RFC 9457, with the code that docs/errors.md explains and the number under which the log tells more."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str


PROBLEM = "application/problem+json"
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": said, "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, said in (
        (401, "The token is not valid, or one is needed."),
        (403, "The token does not allow this, or the request came from another site."),
        (404, "There is no such document or conversation."),
        (413, "The body is too large."),
        (422, "The request cannot be read, or the question not be asked."),
        (429, "Too many at once; Retry-After tells when to come again."),
        ("5XX", "The documents cannot be asked; the code tells why."),
    )
}


def openapi_of(router: APIRouter, version: str) -> dict[str, Any]:
    """The description of these routes alone."""
    made = get_openapi(
        title="Footnote",
        version=version,
        summary="Ask documentation, search it, read it.",
        routes=router.routes,
    )
    for path in made["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
            operation["responses"] |= {str(status): told for status, told in ERRORS.items()}
    schemas = made["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):  # never sent: what was sent is not sent back
        schemas.pop(name, None)
    schemas["Problem"] = Problem.model_json_schema()
    made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    made["security"] = [{"token": []}, {}]  # {}: also without, where the operator lets programs in unknown
    return made

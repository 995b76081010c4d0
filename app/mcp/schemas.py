"""The tools of our MCP endpoint as the reference describes them, and the check of their arguments. Not their work.

Reference: the Developer Knowledge MCP server's four tools (names, arguments and results are its own).
`get_documents` is the one that the live service offers in place of two of them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError

from app.domain.documents import BATCH_LIMIT

NAME_CHARACTERS: Final = 500  # the reference's limit on one name
SHOWN: Final = 60  # characters of a wrong argument's name that are told back

Schema = dict[str, Any]


class WrongArguments(Exception):
    """What was wrong with a tool's arguments, in one sentence for whoever called it."""


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Query(_Arguments):
    query: StrictStr


class Name(_Arguments):
    name: Annotated[StrictStr, Field(max_length=NAME_CHARACTERS)]


class Names(_Arguments):
    names: Annotated[
        list[Annotated[StrictStr, Field(max_length=NAME_CHARACTERS)]], Field(min_length=1, max_length=BATCH_LIMIT)
    ]


@dataclass(frozen=True, slots=True)
class ToolText:
    """A tool as it is published."""

    name: str
    title: str
    description: str
    arguments: type[Query] | type[Name] | type[Names]
    takes: Schema
    gives: Schema


def _object(properties: Mapping[str, Schema], *, closed: bool = False) -> Schema:
    """An object all of whose properties are required."""
    made: Schema = {"type": "object", "properties": dict(properties), "required": list(properties)}
    return {**made, "additionalProperties": False} if closed else made


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _list(items: Schema, description: str, **limits: int) -> Schema:
    return {"type": "array", "items": items, "description": description, **limits}


_NAME = "The name of the document. Format: documents/{uri_without_scheme}"
_QUERY = _object({"query": _text("The raw question or words of the user, as they were asked.")}, closed=True)
_NAMES = _object(
    {"names": _list({"type": "string"}, f"{_NAME}. At most {BATCH_LIMIT}.", minItems=1, maxItems=BATCH_LIMIT)},
    closed=True,
)
_FIELDS = {
    "name": _text(_NAME),
    "uri": _text("The address of the document: cite this."),
    "content": _text("The content of the document in Markdown."),
    "description": _text("A description of the document."),
}
_DOCUMENT = _object(_FIELDS)
_TITLED = _object({**_FIELDS, "title": _text("The title of the document.")})
_CHUNK = _object(
    {
        "parent": _text(f"The document that the chunk belongs to. {_NAME}"),
        "id": _text("The id of the chunk, unique within its document, not stable over time."),
        "content": _text("The content of the chunk."),
    }
)

TOOLS: Final = (
    ToolText(
        "search_documents",
        "Search documents",
        "Searches the documentation and returns the chunks that match the query best, each with the name of its "
        "document as `parent`. If the chunks are not detailed enough, call get_document or batch_get_documents with "
        "`parent` for the whole documents. Always name the source of an answer: the name or the uri of the document.",
        Query,
        _QUERY,
        _object({"results": _list(_CHUNK, "The chunks that match best, best first.")}),
    ),
    ToolText(
        "get_document",
        "Get a document",
        "Returns one whole document in Markdown. Get its name from the `parent` of a search_documents result.",
        Name,
        _object({"name": _text(_NAME)}, closed=True),
        _DOCUMENT,
    ),
    ToolText(
        "batch_get_documents",
        "Get several documents",
        f"Returns up to {BATCH_LIMIT} whole documents in the order of their names. If one of the names is unknown, the "
        "whole call fails.",
        Names,
        _NAMES,
        _object({"documents": _list(_DOCUMENT, "The documents, in the order of their names.")}),
    ),
    ToolText(
        "get_documents",
        "Get several documents with their titles",
        f"Returns up to {BATCH_LIMIT} whole documents with their titles in the order of their names. If one of the "
        "names is unknown, the whole call fails.",
        Names,
        _NAMES,
        _object({"documents": _list(_TITLED, "The documents, in the order of their names.")}),
    ),
    ToolText(
        "answer_query",
        "Answer a question",
        "Answers a question from the documentation and names the documents that the answer rests on. If the quota is "
        "used up, call search_documents instead. Always name the source of an answer.",
        Query,
        _QUERY,
        _object(
            {
                "answerText": _text("The answer in Markdown."),
                "references": _list({"type": "string"}, f"The documents that the answer rests on. {_NAME}"),
            }
        ),
    ),
)
BY_NAME: Final = {tool.name: tool for tool in TOOLS}


def checked(tool: ToolText, arguments: Mapping[str, object] | None) -> Query | Name | Names:
    """The arguments as the tool's model. Raises WrongArguments."""
    try:
        return tool.arguments.model_validate(dict(arguments or {}))
    except ValidationError as error:
        raise WrongArguments(_sentence(tool, error)) from None


def _sentence(tool: ToolText, error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    given = str(first["loc"][0]) if first["loc"] else ""
    match first["type"]:
        case "missing":
            return f"{tool.name} needs the argument `{given}`."
        case "extra_forbidden":
            return f"{tool.name} takes no argument `{re.sub(r'[^ -_a-~]', '?', given[:SHOWN])}`."
        case "string_too_long":
            return f"A name has at most {NAME_CHARACTERS} characters."
        case _:
            wanted = f"a list of 1 to {BATCH_LIMIT} texts" if given == "names" else "a text"
            return f"The argument `{given}` must be {wanted}."

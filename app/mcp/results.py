"""The tools' results as values of ours: chunks, documents, answers, tool names. Not the failures."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from app.domain.answers import AnswerWritten, Outcome
from app.domain.documents import NAME_PREFIX, Document, DocumentChunk, distinct, name_of, uri_of
from app.domain.errors import AppError, MalformedReply, NoAnswer
from app.mcp.parsing import clean

NAME_LIMIT = 500  # characters; the server refuses longer names
TEXT_LIMIT = 32_000  # characters of an answer
_URI_LIMIT = 2000
OUTCOME = "footnote/outcome"  # our own server tells it in `_meta`


def chunks_in(content: Mapping[str, Any], collection: str) -> tuple[DocumentChunk, ...]:
    """The results of search_documents; malformed ones are left out. Raises MalformedReply where all are."""
    told = _list_in(content, "results", "search_documents")
    chunks = []
    for place, each in enumerate(told):
        name = _name_in(each.get("parent")) if isinstance(each, dict) else ""
        text = each.get("content") if isinstance(each, dict) else None
        if not name or not isinstance(text, str) or not text.strip():
            continue
        number = each.get("id")
        id_ = str(number)[:200] if isinstance(number, str | int) else str(place)
        chunks.append(DocumentChunk(name, clean(id_), clean(text), uri=uri_of(name), collection=collection))
    if told and not chunks:
        raise MalformedReply(f"search_documents: none of {len(told)} results can be read")
    return tuple(chunks)


def documents_in(tool: str, content: Mapping[str, Any], names: Sequence[str], collection: str) -> dict[str, Document]:
    """The documents of a fetch under the names asked for, which theirs may differ from.

    A document is told by its own name, by its place where as many came as were asked for, or by its name as it reads
    when decoded. Raises MalformedReply where something came and none of it can be read.
    """
    told = [content] if tool == "get_document" else _list_in(content, "documents", tool)
    readable = [each if _is_document(each) else None for each in told]
    if told and not any(readable):
        raise MalformedReply(f"{tool}: none of {len(told)} documents can be read")
    found: dict[str, Mapping[str, Any]] = {}
    left: dict[int, Mapping[str, Any]] = {}
    for place, each in enumerate(readable):
        if each is None:
            continue
        if each.get("name") in names and each["name"] not in found:
            found[each["name"]] = each
        else:
            left[place] = each
    bare = {_bare(name): name for name in names if name not in found}
    for place, each in left.items():
        name = names[place] if len(told) == len(names) else bare.get(_bare(str(each.get("name", ""))), "")
        if name and name not in found:
            found[name] = each
    return {name: _document(name, each, collection) for name, each in found.items()}


def answer_in(result: Mapping[str, Any], content: Mapping[str, Any] | None, text: str) -> AnswerWritten:
    """The answer of answer_query. Raises NoAnswer, MalformedReply."""
    if content is None:
        content = {"answerText": text}
    answer = content.get("answerText", "")
    if not isinstance(answer, str):
        raise MalformedReply("answer_query: answerText is no text")
    references = content.get("references")
    names = [_reference(each) for each in references] if isinstance(references, list) else []
    meta = result.get("_meta")
    told = meta.get(OUTCOME) if isinstance(meta, dict) else None
    outcome = Outcome(told) if told in list(Outcome) else Outcome.ANSWERED
    if not answer.strip() and outcome is not Outcome.NOT_FOUND:
        raise NoAnswer("answer_query: an empty text")
    return AnswerWritten(_of_bounded_length(clean(answer)), distinct(name for name in names if name), outcome)


def _of_bounded_length(text: str) -> str:
    """A longer text is no answer, and to bind its sentences would hold up everyone: it ends with a whole paragraph."""
    if len(text) <= TEXT_LIMIT:
        return text
    return text[: max(text.rfind("\n\n", 0, TEXT_LIMIT), TEXT_LIMIT // 2)].rstrip() + "\n\n…"


def tools_in(result: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    """One page of tools/list: the names, and the cursor of the next page or an empty text. Raises MalformedReply."""
    told = result.get("tools")
    if not isinstance(told, list):
        raise MalformedReply("tools/list: no list")
    names = [each["name"] for each in told if isinstance(each, dict) and isinstance(each.get("name"), str)]
    cursor = result.get("nextCursor")
    return tuple(names), cursor if isinstance(cursor, str) else ""


def _list_in(content: Mapping[str, Any], key: str, tool: str) -> list[Any]:
    """The list; an empty one where nothing at all is told, since empty fields are left out on the wire."""
    found = content.get(key)
    if found is None and not content.keys() - {key}:
        return []
    if not isinstance(found, list):
        raise MalformedReply(f"{tool}: {key} is no list")
    return found


def _is_document(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("content", ""), str):
        return False
    return isinstance(value.get("name", ""), str) and ("content" in value or bool(value.get("name")))


def _document(name: str, told: Mapping[str, Any], collection: str) -> Document:
    uri, title, description = (told.get(key) for key in ("uri", "title", "description"))
    return Document(
        name=name,
        uri=uri if isinstance(uri, str) and _is_web_address(uri) else uri_of(name),
        content=clean(told.get("content", "")),
        title=clean(title) if isinstance(title, str) else "",
        description=clean(description) if isinstance(description, str) else "",
        collection=collection,
    )


def _is_web_address(uri: str) -> bool:
    if len(uri) > _URI_LIMIT or not uri.isprintable() or " " in uri:
        return False
    try:
        parts = urlsplit(uri)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _name_in(told: object) -> str:
    """A resource name; also where the whole address was told. Empty for anything else."""
    if not isinstance(told, str) or len(told) > NAME_LIMIT + len("https://") or not told.isprintable():
        return ""
    if told.startswith(NAME_PREFIX):
        return told if told.removeprefix(NAME_PREFIX).strip("/ ") else ""
    if not _is_web_address(told):
        return ""
    try:
        return name_of(told)
    except AppError:
        return ""


def _reference(told: object) -> str:
    """A reference is a name or an address; some servers wrap it, or leave the prefix out."""
    if isinstance(told, dict):
        return _name_in(told.get("name")) or _name_in(told.get("uri"))
    if isinstance(told, str) and "://" not in told and not told.startswith(NAME_PREFIX):
        host = told.partition("/")[0]
        is_host = "/" in told and "." in host and " " not in told and ":" not in host
        return _name_in(NAME_PREFIX + told) if is_host else ""
    return _name_in(told)


def _bare(name: str) -> str:
    """The name without encoding, scheme and final slash: for comparing only."""
    return unquote(unquote(name)).removeprefix(NAME_PREFIX).partition("://")[2].rstrip("/") or unquote(
        unquote(name)
    ).removeprefix(NAME_PREFIX).rstrip("/")

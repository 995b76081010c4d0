"""What a document is and what a search finds in it. Not how documents are read, stored or ranked."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from app.domain.errors import DocumentNameInvalid

NAME_PREFIX = "documents/"
BATCH_LIMIT = 20  # the reference allows at most 20 names in batch_get_documents
SEARCH_LIMIT = 5  # and returns at most five chunks from search_documents


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look. An empty set leaves that side open; retrieval filters by it, caches are keyed by it.

    Products and versions are what the operator filed documents under. `languages` are BCP 47 tags; "de" takes "de-AT",
    too.
    """

    collections: frozenset[str] = frozenset()
    products: frozenset[str] = frozenset()
    versions: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()


EVERYWHERE = Scope()


@dataclass(frozen=True, slots=True)
class Document:
    """One page of documentation, whole: the reference's Document and what the own corpus knows besides.

    `content` is Markdown. `name` is `documents/{uri without scheme}`. `language` is a BCP 47 tag. `product` and
    `version` are empty where nobody filed it under any. A remote source that tells no title leaves it empty.
    """

    name: str
    uri: str
    content: str
    title: str = ""
    description: str = ""
    language: str = "en"
    collection: str = ""
    product: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """The documents of one batch in the order of the names asked for, and the names that nobody knows.

    `failed` are names that could not be had this time, and may be the next.
    """

    documents: tuple[Document, ...]
    unknown: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A part of a document that a search found: the reference's result (`parent`, `id`, `content`) with its place.

    `content` begins with `lead` (a table's header row, where the part begins within a table; else empty); what follows
    the lead is `document.content[start:end]`, character for character. `headings` is the heading path down to the
    part. Scores are those of the engine that ranked: comparable within one search only. A remote source tells only
    `parent`, `id` and `content`; then `end` is 0 and the place is unknown.
    """

    parent: str
    id: str
    content: str
    uri: str = ""
    title: str = ""
    collection: str = ""
    language: str = ""
    headings: tuple[str, ...] = ()
    lead: str = ""
    start: int = 0
    end: int = 0
    score: float = 0.0
    page_score: float = 0.0


@dataclass(frozen=True, slots=True)
class Passage:
    """Words quoted from a document. `start` is their offset in its content, or None where they are not verbatim there.

    `marks` are the places of the supporting words, as (start, end) within `text`.
    """

    text: str
    headings: tuple[str, ...] = ()
    start: int | None = None
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A document that a search found, named but not cited: "closest pages", "also looked at", results of a search."""

    name: str
    uri: str
    title: str
    collection: str = ""
    headings: tuple[str, ...] = ()
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    """A named set of documents, as the operator filed them, or a remote server. `documents` and `chunks` are counts.

    `documents` is None where nobody tells.
    """

    name: str
    documents: int | None = 0
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a question can be answered now; `problem` is an error code (docs/errors.md) where it cannot."""

    ready: bool
    problem: str = ""


def name_of(uri: str) -> str:
    """The resource name of an address: `documents/` and the address without scheme, fragment and final slash."""
    scheme, separator, rest = uri.partition("://")
    bare = rest if separator else scheme
    bare = bare.partition("#")[0].rstrip("/")
    if not bare:
        raise DocumentNameInvalid(uri)
    return NAME_PREFIX + bare


def uri_of(name: str) -> str:
    """The address that a name suggests. A fetch's own `uri` is better: the two may differ in host."""
    if not name.startswith(NAME_PREFIX) or len(name) == len(NAME_PREFIX):
        raise DocumentNameInvalid(name)
    return "https://" + quote(name.removeprefix(NAME_PREFIX), safe="/:?&=+,;@~!$'()*%[]-._")


def widened(tag: str) -> tuple[str, ...]:
    """A language's tag and those that take it in: "de-AT" is German, too."""
    parts = tag.lower().split("-")
    return tuple("-".join(parts[: length + 1]) for length in range(len(parts)))


def host_of(uri: str) -> str:
    """The host that a reader would reach, without user info; empty for an address without one."""
    try:
        return urlsplit(uri).hostname or ""
    except ValueError:
        return ""


def distinct_names(chunks: Iterable[DocumentChunk]) -> tuple[str, ...]:
    """The documents of ranked chunks, each at its first place."""
    return distinct(chunk.parent for chunk in chunks)


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Each name at its first place."""
    return tuple(dict.fromkeys(names))

"""A file's bytes to a document with its chunks: what worker processes do, many files at a time. No database here."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from app.answering.chunking import CHUNKING_VERSION, ChunkSpan, chunks_of
from app.answering.words import language_of
from app.corpus.materials import Material
from app.corpus.readers.reading import MAX_BYTES, READERS_VERSION, ReadDocument, Skipped, read
from app.domain.documents import Document, host_of, name_of

LANGUAGE_FROM = 4000  # characters; enough to tell the language by


@dataclass(frozen=True, slots=True)
class Task:
    """A material, and the digests of what is stored from its origin: with one of them it need not be read."""

    material: Material
    stored: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Same:
    """Nothing has changed since it was read."""

    origin: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """It cannot be taken, or cannot be taken now."""

    origin: str
    reason: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document as it is to be stored."""

    document: Document
    origin: str
    digest: bytes
    chunks: tuple[ChunkSpan, ...]
    warnings: tuple[str, ...] = ()


Result = Same | Refused | Parsed


def parse_all(tasks: Sequence[Task], collection: str) -> list[Result]:
    """Each task's result, in order; one bad file never stops the others."""
    return [_parse(task, collection) for task in tasks]


def _parse(task: Task, collection: str) -> Result:
    material = task.material
    try:
        data = _bytes_of(material)
    except OSError as error:
        return Refused(material.origin, f"cannot be opened: {error.strerror or 'input error'}")
    digest = _digest(material, data, collection)
    if digest in task.stored:
        return Same(material.origin, digest)
    try:
        return _read(material, data, digest, collection)
    except Exception as error:  # noqa: BLE001  # a reader's mistake about one file must not cost all the others
        return Refused(material.origin, f"could not be read: {type(error).__name__}")


def _read(material: Material, data: bytes, digest: bytes, collection: str) -> Result:
    found = read(material.file_name, data, uri=material.uri)
    if isinstance(found, Skipped):
        return Refused(material.origin, found.reason)
    document = _document(material, found, collection)
    chunks = chunks_of(document.content, document.title)
    if not chunks:
        return Refused(material.origin, "The file holds no text but headings.")
    return Parsed(document, material.origin, digest, chunks, found.warnings)


def _bytes_of(material: Material) -> bytes:
    """At most one byte more than the reader takes; it tells what is too large."""
    if material.data is not None:
        return material.data
    if material.path is None:
        raise FileNotFoundError(material.origin)
    with material.path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _digest(material: Material, data: bytes, collection: str) -> bytes:
    """Of all that the stored document depends on."""
    told = (
        *(material.uri, material.title, material.language, material.description, material.file_name, material.claims),
        *(material.product, material.version, collection, f"{READERS_VERSION}.{CHUNKING_VERSION}"),
    )
    seen = hashlib.sha256("\0".join(told).encode("utf-8", "surrogateescape"))
    seen.update(b"\0")
    seen.update(data)
    return seen.digest()


def _document(material: Material, found: ReadDocument, collection: str) -> Document:
    uri = _address(material, found)
    return Document(
        name=name_of(uri),
        uri=uri,
        content=found.content,
        title=material.title or found.title,
        description=material.description or found.description,
        language=material.language or found.language or language_of(found.content[:LANGUAGE_FROM]),
        collection=collection,
        product=material.product,
        version=material.version,
    )


def _address(material: Material, found: ReadDocument) -> str:
    """The page's own address, where it is on the host that the operator named; else the one that follows from the path.

    Without query and fragment: those say how somebody came here, not which page it is.
    """
    if not material.claims or host_of(found.uri) != material.claims:
        return material.uri
    return found.uri.partition("#")[0].partition("?")[0]

"""A file's bytes to a document with its chunks: what worker processes do, many files at a time. No database here."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from app.answering.words import language_of
from app.corpus.chunking import CHUNKING_VERSION, chunks_of
from app.corpus.materials import OWN_SCHEME, Material
from app.corpus.readers.reading import READERS_VERSION, ReadDocument, Skipped, read
from app.domain.documents import Document, host_of, name_of
from app.storage.documents import NewDocument, Slice

LARGEST_BYTES = 10_000_000  # a page of text is a thousandth of that; what is larger is data


@dataclass(frozen=True, slots=True)
class Task:
    """A material, and the digest that is stored under its name, if any."""

    material: Material
    stored_digest: bytes | None = None


@dataclass(frozen=True, slots=True)
class Same:
    """Nothing has changed since it was read."""

    name: str


@dataclass(frozen=True, slots=True)
class Refused:
    name: str
    origin: str
    reason: str


@dataclass(frozen=True, slots=True)
class Parsed:
    new: NewDocument
    warnings: tuple[str, ...] = ()


Result = Same | Refused | Parsed


def parse_all(tasks: Sequence[Task], collection: str) -> list[Result]:
    """Each task's result, in order; one bad file never stops the others."""
    return [_parse(task, collection) for task in tasks]


def _parse(task: Task, collection: str) -> Result:
    material = task.material
    name = name_of(material.uri)
    try:
        data = _bytes_of(material)
    except OSError as error:
        return Refused(name, material.origin, f"cannot be read: {error.strerror or 'input error'}")
    if data is None:
        return Refused(name, material.origin, f"is larger than {LARGEST_BYTES // 1_000_000} MB")
    digest = _digest(material, data, collection)
    if digest == task.stored_digest:
        return Same(name)
    found = read(material.file_name, data, uri=material.uri)
    if isinstance(found, Skipped):
        return Refused(name, material.origin, found.reason)
    document = _document(material, found, collection)
    spans = chunks_of(document.content, document.title)
    if not spans:
        return Refused(name, material.origin, "holds no text")
    slices = tuple(Slice(span.start, span.end, span.headings, span.lead) for span in spans)
    return Parsed(NewDocument(document, material.origin, digest, slices), found.warnings)


def _bytes_of(material: Material) -> bytes | None:
    if material.data is not None:
        return material.data
    if material.path is None:
        raise FileNotFoundError(material.origin)
    with material.path.open("rb") as file:
        data = file.read(LARGEST_BYTES + 1)
    return data if len(data) <= LARGEST_BYTES else None


def _digest(material: Material, data: bytes, collection: str) -> bytes:
    """Of all that the stored document depends on."""
    told = (material.uri, material.title, material.language, material.description, material.file_name, collection)
    versions = f"{READERS_VERSION}.{CHUNKING_VERSION}"
    seen = hashlib.sha256("\0".join((*told, versions)).encode("utf-8", "surrogateescape"))
    seen.update(b"\0")
    seen.update(data)
    return seen.digest()


def _document(material: Material, found: ReadDocument, collection: str) -> Document:
    uri = material.uri
    if found.uri and host_of(found.uri) == host_of(uri) and not uri.startswith(f"{OWN_SCHEME}:"):
        uri = found.uri if name_of(found.uri) == name_of(uri) else uri  # the page's own spelling of the same address
    return Document(
        name=name_of(uri),
        uri=uri,
        content=found.content,
        title=material.title or found.title,
        description=material.description or found.description,
        language=material.language or found.language or language_of(found.content[:4000]),
        collection=collection,
    )

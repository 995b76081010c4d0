"""A file's bytes -> a document of clean Markdown, or the reason why not. Not the walk over folders, not the storing.

Markdown and MDX in the dialects of Hugo, Jekyll, Docusaurus and MkDocs, HTML pages, notebooks, plain text. Nothing that
a file holds is run, included or fetched.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.corpus.readers.decoding import clean, decode
from app.corpus.readers.draft import Draft, Unreadable
from app.corpus.readers.html_pages import is_html_page, read_html
from app.corpus.readers.markdown_pages import read_markdown
from app.corpus.readers.notebooks import read_notebook
from app.corpus.readers.plain_text import read_plain_text
from app.corpus.readers.titles import plain

READERS_VERSION = 1  # part of a document's digest: a changed reader reads everything anew
MAX_BYTES = 10_000_000  # a larger file is refused: a page of documentation is a hundredth of it
MARKDOWN = frozenset((".md", ".markdown", ".mdx"))
HTML = frozenset((".html", ".htm"))
SUFFIXES = MARKDOWN | HTML | {".txt", ".ipynb"}

_PRIVATE_ENTITY = re.compile(r"&#(?:[xX]0*([0-9A-Fa-f]{1,8})|0*(\d{1,9}));?")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as its file says it. `content` is clean Markdown and ends in a line end.

    `uri` is the http(s) address that the file itself claims, empty if none: whoever files the document decides whether
    to believe it. `language` is a BCP 47 tag or empty. `warnings` are short sentences for the report.
    """

    title: str
    content: str
    description: str = ""
    language: str = ""
    uri: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is not taken, and why: a short sentence for the report."""

    reason: str


def read(file_name: str, data: bytes, *, uri: str = "") -> ReadDocument | Skipped:
    """The document in a file. `uri` is its own address where it is known: relative links are resolved against it."""
    path = PurePosixPath(file_name)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        return Skipped(f"Files with the ending {suffix or '(none)'} are not read.")
    if len(data) > MAX_BYTES:
        return Skipped(f"The file has {len(data) / 1e6:.1f} MB; the limit is {MAX_BYTES / 1e6:.0f} MB.")
    try:
        text, warnings = decode(data, declared=suffix in HTML)
        draft = _draft(suffix, text, uri, path.name)
    except Unreadable as unreadable:
        return Skipped(str(unreadable))
    content = clean(draft.content).strip("\n")
    if not _WORD.search(content):
        return Skipped("The file holds no text.")
    titles = (plain(clean(title)) for title in (*draft.titles, path.stem))
    return ReadDocument(
        title=next((title for title in titles if title), file_name),
        content=content + "\n",
        description=plain(clean(draft.description)),
        language=draft.language.replace("_", "-") if _LANGUAGE.fullmatch(draft.language) else "",
        uri=draft.uri if re.fullmatch(r"https?://[^\s<>\"']{1,2000}", draft.uri, re.IGNORECASE) else "",
        warnings=(*warnings, *draft.warnings),
    )


def _draft(suffix: str, text: str, uri: str, name: str) -> Draft:
    if not text.strip():
        raise Unreadable("The file is empty.")
    if suffix == ".ipynb":
        return read_notebook(text, uri=uri, file_name=name)
    if suffix == ".txt":
        return read_plain_text(text)
    if "&#" in text:
        text = _PRIVATE_ENTITY.sub(_allowed, text)
    if suffix in HTML or is_html_page(text):
        return read_html(text, uri=uri, file_name=name)
    return read_markdown(text, uri=uri, file_name=name, mdx=suffix == ".mdx")


def _allowed(match: re.Match[str]) -> str:
    """The entity, unless it stands for a character that decoding would have removed."""
    point = int(match[1], 16) if match[1] else int(match[2])
    return match[0] if point < 0xE000 or 0xF900 <= point < 0xF0000 else ""

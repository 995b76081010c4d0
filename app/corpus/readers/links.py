"""Links and images of Markdown: references written out, addresses made whole, images as words. Not HTML's links."""

import html
import posixpath
import re
from urllib.parse import urljoin

from app.corpus.readers.template_tags import UNKNOWN_OPEN
from app.corpus.readers.vault import Vault

_TEXT = r"((?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.){0,500}\]){0,1500}?)"
_TARGET = r"[ \t]*\n?[ \t]*(<[^<>\n]{0,4000}>|(?:[^\s()<>\\]|\\.|\((?:[^\s()\\]|\\.){0,1000}\)){0,4000})"
_TITLE = r"(?:\s+(\"[^\"]{0,1000}\"|'[^']{0,1000}'|\([^()]{0,1000}\)))?\s*"
_IMAGE = re.compile(rf"!\[{_TEXT}\](?:\({_TARGET}{_TITLE}\)|\[[^\[\]\n]{{0,200}}\])")
_LINK = re.compile(rf"\[{_TEXT}\]\({_TARGET}{_TITLE}\)")
_REFERENCE = re.compile(rf"(?<![\]\\])\[{_TEXT}\](?:[ ]?\n?\[([^\[\]\n]{{0,300}})\])?(?![\[(])")
_DEFINITION = re.compile(
    r"^[ ]{0,3}\[(?!\^)((?:[^\[\]\\\n]|\\.){1,300})\]:[ \t]*\n?[ \t]*(<[^<>\n]{0,4000}>|[^\s<>]{1,4000})"
    r"(?:[ \t]*\n?[ \t]+(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'|\([^()\n]{0,500}\)))?[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
_SOURCE_SUFFIXES = (".md", ".mdx", ".markdown", ".ipynb")
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")
_SAFE = ("http", "https", "mailto", "tel", "ftp")


def settle_links(text: str, vault: Vault, uri: str, file_name: str) -> str:
    """The text with every link written out in place, images as their alternative text.

    A relative address is made absolute where the page's own `uri` is known. A target that a template would have to
    fill, or of another scheme than the web's, leaves only the words.
    """
    if "[" not in text:
        return text
    known: dict[str, str] = {}

    def learn(match: re.Match[str]) -> str:
        known.setdefault(_label(vault.raw(match[1])), match[2])
        return ""

    def written(words: str, target: str) -> str:
        resolved = resolve(target.strip("<>"), uri, file_name)
        if not resolved or not words.strip():
            return words
        return f"[{words}](<{resolved}>)" if _needs_brackets(resolved) else f"[{words}]({resolved})"

    def referred(match: re.Match[str]) -> str:
        target = known.get(_label(vault.raw(match[2] or match[1])))
        if target is not None:
            return written(match[1], target)
        return match[1] if match[2] == "" and match[1].strip() else match[0]  # [words][] that lead nowhere

    if "]:" in text:
        text = _DEFINITION.sub(learn, text)
    text = _IMAGE.sub(_image_words, text)
    if known or "][]" in text:
        text = _REFERENCE.sub(referred, text)
    return _LINK.sub(lambda match: written(match[1], match[2]), text)


def _image_words(match: re.Match[str]) -> str:
    """What an image says: its alternative text, or its title where that says more."""
    title = (match[3] or "")[1:-1]
    words = title if len(title) > len(match[1]) else match[1]
    return " ".join(words.split())


def resolve(target: str, uri: str, file_name: str) -> str:
    """The address that a link leads to; empty where it is none that a reader may follow. Nothing is encoded anew."""
    target = target.strip()
    if not target or UNKNOWN_OPEN in target:
        return ""
    scheme = _SCHEME.match(html.unescape(target))
    if scheme:
        return target if scheme[1].lower() in _SAFE else ""
    if target.startswith("//"):
        return f"https:{target}"
    if not uri:
        return target
    try:
        return _joined(target, uri, file_name)
    except ValueError:  # no address at all, such as one with half an IPv6 host
        return ""


def _joined(target: str, uri: str, file_name: str) -> str:
    path, mark, fragment = target.partition("#")
    if not path:
        return uri + mark + fragment
    plain, suffix = posixpath.splitext(path)
    if suffix.lower() not in _SOURCE_SUFFIXES:
        return urljoin(uri, target)
    # A link to a source file is written from the source file's folder; the published page of `a/b.md` may be `a/b/`.
    is_index = posixpath.splitext(posixpath.basename(file_name))[0].lower() in ("index", "_index", "readme")
    base = uri if is_index else uri.rstrip("/")
    page = urljoin(base, plain)
    folder, _, last = page.rpartition("/")
    if last.lower() in ("index", "_index", "readme"):
        page = folder + "/"
    elif uri.endswith("/"):
        page += "/"
    return page + mark + fragment


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _needs_brackets(target: str) -> bool:
    if re.search(r"\s", target):
        return True
    depth = 0
    for character in target:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return True
    return depth != 0

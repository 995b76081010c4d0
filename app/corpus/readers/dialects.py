"""What documentation sites add to Markdown -> plain Markdown: MkDocs, Docusaurus, VitePress, kramdown, GitHub, wikis.

Not template tags, not HTML. Fences stand in the vault, so indented content can be moved without harm.
"""

import re

from app.corpus.readers.labels import note_label, tab_label

_INDENTED = re.compile(
    r"([ \t]*)(?:(!!!|\?\?\?\+?)[ \t]+([\w-]+(?:[ \t]+[\w-]+)*)?:?[ \t]*(?:\"(.*)\"|([^\"\n].*))?"
    r"|===[!+]*[ \t]+\"(.*)\")[ \t]*$"
)
_CONTAINER = re.compile(
    r"([ \t]*(?:>[ \t]*)*):{3,}[ \t]*(?:\{?[ \t]*\.?([\w-]+))?[ \t]*(?:\[([^\]\n]*)\])?[ \t]*([^\n}]*)\}?$"
)
_ALERT = re.compile(r"((?:[ \t]*>)+[ \t]*)\[!([A-Za-z]+)\][+-]?[ \t]*(.*)$")
_DROPPED_LINE = re.compile(
    r"[ \t]*(?:\[TOC\]|\[\[_?TOC_?\]\]|;?-{2,}8<-{2,}.*|<<[^<>\n]+>>|\{:[^{}]*\}|:::+|@\[toc\].*)[ \t]*$",
    re.IGNORECASE,
)
_ATTRIBUTES = re.compile(
    r"(?<=\[)\{\.[\w-]+\}[ \t]*"
    r"|[ \t]*\{:[^{}\n]{0,300}\}"
    r"|[ \t]*\{[ \t]*(?:[#.][\w:.-]+[ \t]*)+(?:[\w-]+=\S+[ \t]*)*\}(?=[ \t]*$)"
    r"|(?<=[)\]*_])\{[ \t]*[.#:][^{}\n]{0,200}\}",
    re.MULTILINE,
)
_ICON = re.compile(r":(?:material|octicons|fontawesome|simple)-[\w-]+:")
_WIKI = re.compile(r"(?<!\[)\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\](?![\[(:])")
_CRITIC_OR_MARK = re.compile(r"(?<![\w=])==(?=\S)([^=\n]{1,300}?)(?<=\S)==(?![\w=])")
_ABBREVIATION = re.compile(r"^\*\[[^\]\n]{1,80}\]:[^\n]*\n", re.MULTILINE)


def plain_markdown(text: str) -> str:
    """The text with notes and tabs as labelled paragraphs, and without attributes, icons, orders to include."""
    text = "\n".join(_lines(text.split("\n")))
    if "{" in text:
        text = _ATTRIBUTES.sub("", text)
    if ":" in text:
        text = _ICON.sub("", text)
    if "[[" in text:
        text = _WIKI.sub(lambda match: match[2] or match[1], text)
    if "==" in text:
        text = _CRITIC_OR_MARK.sub(r"\1", text)
    return _ABBREVIATION.sub("", text) if "*[" in text else text


def _lines(lines: list[str]) -> list[str]:
    out: list[str] = []
    opened: list[int] = []  # indents of the notes and tabs that are open: what they hold is indented by four more
    for line in lines:
        if not line or line.isspace():
            out.append("")
            continue
        indent = _width(line)
        while opened and indent < opened[-1] + 4:
            opened.pop()
        moved = _dedented(line, 4 * len(opened)) if opened else line
        if moved.lstrip()[:1] not in "!?=:>[<-;{@":
            out.append(moved)
        elif match := _INDENTED.match(moved):
            out.extend(_note_or_tab(match))
            opened.append(indent)
        else:
            out.extend(_one(moved))
    return out


def _note_or_tab(match: re.Match[str]) -> list[str]:
    lead, mark, style, title, rest, tab = match.groups()
    if mark is None:
        return ["", lead + tab_label(tab), ""]
    kind, _, more = (style or "").partition(" ")
    label = note_label(kind, (title or "").replace('\\"', '"'))
    words = f"{more} {rest or ''}".strip() if rest else ""
    return ["", lead + label, *([lead + words] if words else []), ""] if label or words else [""]


def _one(line: str) -> list[str]:
    if _DROPPED_LINE.match(line):
        return [""]
    if match := _CONTAINER.match(line):
        lead, kind, title, rest = match.groups()
        label = note_label(kind or "", title or rest)
        return ["", lead + label] if label else [""]
    if match := _ALERT.match(line):
        label = note_label(match[2], match[3]) or f"**{match[2].capitalize()}:**"
        return [match[1] + label.lstrip("\ue006")]
    return [line]


def _width(line: str) -> int:
    blank = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blank.expandtabs(4))


def _dedented(line: str, by: int) -> str:
    rest = line.lstrip(" \t")
    return " " * max(0, _width(line) - by) + rest

"""Markdown to sanitised HTML in the markup of our pages: one pipeline for everything foreign that is shown.

It knows blocks, links and signs set at places of the source; not what those signs stand for.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore, inline, text_join
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from app.web.highlighting import code_figure
from app.web.links import followable
from app.web.sanitising import sanitised, without_signs

BLOCK_LIMIT = 20_000  # characters of one paragraph, heading or cell; a longer one is shown without its inline markup
BRACKET_LIMIT = 500  # opening ones in such a text; each may be tried against all that follows
NESTING_LIMIT = 100  # lists and quotes within each other; deeper ones are shown as their text


@dataclass(frozen=True, slots=True)
class Words:
    """The few words of ours that stand in rendered Markdown, in the reader's language."""

    code: str = "Code"
    code_in: str = "{language} code"
    table: str = "Table"
    no_source: str = "no source"


ENGLISH = Words()


def _as_is(level: int) -> int:
    return level


@dataclass(frozen=True, slots=True)
class Style:
    """How blocks are shown. `base`: the document's address, for relative links; empty: they become their text.

    `heading` gives the level that a heading is shown at; 0 makes it a bold line. `first_number`: of an ordered list
    that goes on from the block before.
    """

    words: Words = ENGLISH
    base: str = ""
    heading: Callable[[int], int] = _as_is
    first_number: int | None = None


class _Renderer(RendererHTML):
    """Tokens to HTML where our markup differs; called by token type, as the base class does it."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        token = tokens[idx]
        words: Words = env["words"]
        figure = code_figure(
            token.content,
            token.info,
            unnamed=words.code,
            named=words.code_in,
            attributes=self.renderAttrs(token),
            classes=" cited" if token.meta.get("cited") else "",
        )
        also = "".join(f'<span id="{escape(name)}"></span>' for name in token.meta.get("ids", ()))
        return also + figure + below(token)

    code_block = fence

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        words: Words = env["words"]
        label = ", ".join(_head_cells(tokens, idx)) or words.table
        return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        return "</table></div>\n" + below(tokens[idx])

    def hr(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        return "<hr>\n" + below(tokens[idx])

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """No image is ever fetched: what it shows is said instead."""
        return escape(self.renderInlineAsText(tokens[idx].children, options, env), quote=False)


def below(token: Token) -> str:
    """The small line under a block that has no room for signs."""
    signs = token.meta.get("below", "")
    return f'<p class="refs">{signs}</p>\n' if signs else ""


class _Markdown(MarkdownIt):
    """CommonMark with tables and strike-through, without raw HTML and without guessing links."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "linkify": False, "maxNesting": NESTING_LIMIT})
        self.enable(["table", "strikethrough"])
        self.renderer = _Renderer(self)

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - the library's form
        """Every address is parsed as one; `followable` decides which of them lead anywhere."""
        return True


_PARSER = _Markdown()


def block_tokens(source: str, references: EnvType) -> list[Token]:
    """The blocks, with inline content not yet parsed. `references` gathers the link definitions met."""
    tokens: list[Token] = []
    _PARSER.block.parse(source, _PARSER, references, tokens)
    if any(token.level >= NESTING_LIMIT - 1 for token in tokens):
        return _as_text(source)
    for before, token in pairwise(tokens):
        if token.type == "inline" and before.type == "heading_open":
            token.content, before.meta["id"] = _custom_id(token.content)
        if token.type == "inline" and _is_too_much(token.content):
            token.type, token.children = "long_text", []
    return tokens


def _is_too_much(content: str) -> bool:
    return len(content) > BLOCK_LIMIT or content.count("[") > BRACKET_LIMIT


def parse_inlines(tokens: list[Token], references: EnvType) -> None:
    """Parse what stands within the blocks, in place."""
    state = StateCore("", _PARSER, references, tokens)
    inline(state)
    text_join(state)
    for token in tokens:
        if token.type == "long_text":
            token.type = "inline"
            token.children = [Token("text", "", 0, content=token.content)]


def inline_html(content: str, references: EnvType) -> str:
    """One line's markup alone, as the library renders it: to compare, not to show."""
    return str(_PARSER.renderInline(content, dict(references)))


def to_html(tokens: list[Token], style: Style) -> str:
    """Parsed blocks as sanitised HTML."""
    _dress(tokens, style)
    for token in tokens:
        if token.children:
            token.children = _settled(token.children, style.base)
    return sanitised(str(_PARSER.renderer.render(tokens, _PARSER.options, {"words": style.words})))


def inline_text(children: Iterable[Token]) -> str:
    """What a reader reads of parsed inline content, on one line."""
    parts: list[str] = []
    for token in children:
        if token.type in ("text", "code_inline"):
            parts.append(token.content)
        elif token.type == "image":
            parts.append(inline_text(token.children or ()))
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return without_signs("".join(parts))


_CUSTOM_ID = re.compile(r"[ \t]*\{:?[ \t]*#([\w.:-]+)[^{}]*\}[ \t]*$")


def _custom_id(content: str) -> tuple[str, str]:
    """A heading's content without the `{#id}` that many generators read at its end, and that id."""
    found = _CUSTOM_ID.search(content[-200:])
    if found is None:
        return content, ""
    return content[: len(content) - len(found.group())], found.group(1)


def _as_text(source: str) -> list[Token]:
    """The whole source as one plain paragraph: what is nested too deep is read, not drawn."""
    content = source.strip()
    map_ = [0, source.count("\n") + 1]
    return [
        Token("paragraph_open", "p", 1, map=map_, block=True),
        Token("long_text", "", 0, map=map_, level=1, content=content, children=[], block=True),
        Token("paragraph_close", "p", -1, block=True),
    ]


def _dress(tokens: list[Token], style: Style) -> None:
    """Directions, heading levels and numbers, set on the tokens."""
    for token in tokens:
        match token.type:
            case "paragraph_open" | "list_item_open":
                token.attrSet("dir", "auto")
            case "th_open" | "td_open":
                token.attrs = {"dir": "auto", **({"scope": "col"} if token.type == "th_open" else {})}
            case "heading_open":
                token.attrSet("dir", "auto")
                _shift(token, style)
            case "heading_close":
                _shift(token, style)
            case "ordered_list_open" if token.level == 0 and style.first_number is not None:
                token.attrSet("start", style.first_number)
            case _:
                pass


def _shift(token: Token, style: Style) -> None:
    level = style.heading(int(token.tag[1]))
    token.tag = f"h{level}" if level else "p"
    if not level and token.nesting == 1:
        token.attrJoin("class", "part")


def _settled(children: list[Token], base: str) -> list[Token]:
    """Links that may be followed, absolute and in a new tab; the others reduced to their text."""
    settled: list[Token] = []
    open_links: list[bool] = []
    for token in children:
        if token.type == "link_open":
            href = _target(token, base)
            open_links.append(href is not None)
            if href is None:
                continue
            token.attrs = {"href": href}
            if not href.startswith(("#", "mailto:")):
                token.attrs["target"] = "_blank"
        elif token.type == "link_close" and not open_links.pop():
            continue
        settled.append(token)
    return settled


def _target(token: Token, base: str) -> str | None:
    inner = token.meta.get("anchor")  # a heading of this very page
    return f"#{inner}" if inner else followable(str(token.attrGet("href") or ""), base)


def _head_cells(tokens: Sequence[Token], table: int) -> list[str]:
    cells: list[str] = []
    for token in tokens[table:]:
        if token.type == "thead_close":
            break
        if token.type == "inline":
            cells.append(inline_text(token.children or ()).strip()[:80])
    return [cell for cell in cells if cell][:8]

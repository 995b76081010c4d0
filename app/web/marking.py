"""Signs at places of the Markdown source that come out at the right places of the HTML.

Block structure is never touched: a sign is set into a block's inline content after the blocks are known, and only where
it changes nothing else. It does not know what a sign stands for.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

from markdown_it.token import Token
from markdown_it.utils import EnvType

from app.web.blocks import inline_html
from app.web.sanitising import BLANK_SIGN, FIRST_SIGN, LAST_SIGN

SIGN_LIMIT = LAST_SIGN - FIRST_SIGN + 1

_ANY = f"[{chr(FIRST_SIGN)}-{chr(LAST_SIGN)}]"
SIGN = re.compile(f"{BLANK_SIGN}?({_ANY}){BLANK_SIGN}?")
_SIGNS = re.compile(f"(?:{BLANK_SIGN}?{_ANY}{BLANK_SIGN}?)+")
_MARKUP = re.compile(r"[`\[\]<>*_~\\&!]")
_HTML_PARTS = re.compile(rf"(<[^<>]*>)|{BLANK_SIGN}?({_ANY}){BLANK_SIGN}?|([^<{BLANK_SIGN}{_ANY[1:-1]}]+)")


def sign(index: int) -> str:
    """The sign that comes back as `index` when the HTML is read."""
    return chr(FIRST_SIGN + index)


class Lines:
    """Offsets of a source by line, and back."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.texts = source.split("\n")
        self.starts = [0]
        for text in self.texts[:-1]:
            self.starts.append(self.starts[-1] + len(text) + 1)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 0."""
        line = bisect_right(self.starts, offset) - 1
        return line, offset - self.starts[line]

    def within(self, token: Token, offset: int) -> int:
        """The place in an inline token's content that belongs to an offset of the source; clamped to the content."""
        first = (token.map or [0])[0]
        line, column = self.place(offset)
        content = token.content.split("\n")
        number = line - first
        if number < 0:
            return 0
        if number >= len(content):
            return len(token.content)
        text = content[number]
        indent = self.texts[line].rfind(text.rstrip()) if text.strip() else column
        if indent < 0:  # a tab was spread: the line's end is still right
            return sum(len(part) + 1 for part in content[:number]) + len(text)
        return sum(len(part) + 1 for part in content[:number]) + min(max(column - indent, 0), len(text))


def put(content: str, signs: Sequence[tuple[int, str]], references: EnvType, *, plain: bool = False) -> str:
    """Inline content with signs at the given places (ascending); at its ends where they would change its markup.

    `plain`: the content is shown as it stands.
    """
    contextual = _inserted(content, [(place, _form(content, place, char)) for place, char in signs])
    if plain or not _MARKUP.search(content):
        return contextual
    without = inline_html(content, references)
    for candidate in (
        contextual,
        _inserted(content, [(place, _blank_form(char)) for place, char in signs]),
        _inserted(content, [(place, char) for place, char in signs]),
    ):
        if SIGN.sub("", inline_html(candidate, references)) == without:
            return candidate
    middle = len(content) / 2
    return _inserted(content, [(0 if place < middle else len(content), _blank_form(char)) for place, char in signs])


def move_out(children: list[Token], stays: Callable[[int], bool]) -> list[Token]:
    """Signs that stand in code or in a link, set behind it; but for those of whose index `stays` says so."""
    if not any(SIGN.search(token.content) for token in children):
        return children
    moved: list[Token] = []
    held = ""
    links = 0
    for token in children:
        links += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "code_inline" or links:
            moving = [char for char in SIGN.findall(token.content) if not stays(_index(char))]
            if moving:
                token.content = SIGN.sub(lambda each: "" if each[1] in moving else each[0], token.content)  # noqa: B023
                held += "".join(moving)
        moved.append(token)
        if held and not links:
            moved.append(Token("text", "", 0, content=held))
            held = ""
    return moved


def replaced(html: str, made: Callable[[tuple[int, ...]], str]) -> str:
    """Sanitised HTML with each run of neighbouring signs replaced by what `made` says of their indices."""
    return _SIGNS.sub(lambda run: made(tuple(_index(char) for char in SIGN.findall(run.group()))), html)


def wrapped(html: str, pairs: Mapping[str, str], wrap: Callable[[str, int], str]) -> str:
    """Sanitised HTML with the text between opening and closing signs wrapped, never across a tag.

    `pairs`: opening signs, which are taken out, and their closing ones, which stay. `wrap` is told the text and the
    index of the closing sign.
    """
    if not pairs:
        return html
    out: list[str] = []
    active: list[str] = []  # closing signs that are waited for
    for tag, char, text in _HTML_PARTS.findall(html):
        if char in pairs:
            active.append(pairs[char])
        elif char:
            active = [closing for closing in active if closing != char]
            out.append(char)
        elif active and text and not (text.isspace() and "\n" in text):  # a line end may stand between blocks
            out.append(wrap(text, _index(active[-1])))
        else:
            out.append(tag or text)
    return "".join(out)


def highlighted(html: str, opening: Callable[[int], tuple[int, bool]], identity: Callable[[int], str]) -> str:
    """Sanitised HTML with <mark> round the text between opening and closing signs, never across a tag.

    `opening` tells of a sign's index which span it belongs to and whether it opens it; `identity` gives a span's id,
    set once, or nothing.
    """
    out: list[str] = []
    active: set[int] = set()
    waiting: list[str] = []
    for tag, char, text in _HTML_PARTS.findall(html):
        if char:
            span, opens = opening(_index(char))
            if opens:
                active.add(span)
                waiting.extend(filter(None, (identity(span),)))
            else:
                active.discard(span)
        elif tag or not active:
            out.append(tag or text)
        else:
            out.extend(f'<span id="{name}"></span>' for name in waiting[1:])
            out.append(f'<mark id="{waiting[0]}">' if waiting else "<mark>")
            out.append(f"{text}</mark>")
            waiting.clear()
    return "".join(out)


def _index(char: str) -> int:
    return ord(char) - FIRST_SIGN


def _inserted(content: str, signs: Sequence[tuple[int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for place, sign in signs:
        parts += [content[done:place], sign]
        done = place
    return "".join([*parts, content[done:]])


def _form(content: str, place: int, char: str) -> str:
    """The sign as letter or as blank, so that emphasis beside it opens and closes as without it (CommonMark 6.2)."""
    before = content[place - 1] if place else " "
    after = content[place] if place < len(content) else " "
    if before in "*_~":
        return char if after.isalnum() else _blank_form(char)
    if after in "*_~":
        return char if before.isalnum() else _blank_form(char)
    return char


def _blank_form(char: str) -> str:
    return f"{BLANK_SIGN}{char}{BLANK_SIGN}"

"""Citation marks found in text that streams, and links that no source gave made plain. Not what the marks prove.

Each step decides on one thing (a word, a code span, a bracket) as soon as nothing that follows could change it; until
then it waits. So the outcome is the same however the text was cut, and nothing half-arrived is ever given.
"""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from app.answering.model.cleaning import Cleaning
from app.answering.model.numbers import OPENING, numbers_of

BRACKET_LIMIT = 300  # characters within brackets
TARGET_LIMIT = 2000  # of a link's address
SPAN_LIMIT = 1000  # of a code span
DEEPEST = 3  # brackets in brackets

_BLANKS = re.compile(r"\s+")
_PLAIN = re.compile(r"[^\s`\[\]【［!<\\]+")
_EDGE = re.compile(r"[\[\]【】［］]|\n[ \t]*\n")
_RUN = re.compile(rf"\[[\d,;\t -]{{{BRACKET_LIMIT}}}")
_RUN_ON = re.compile(r"[\d,;\[\]\t -]*")
_TARGET = re.compile(r"\(\s*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
_TARGET_BEGUN = re.compile(r"\(\s*<?[^\s<>]*>?(?:\s+(?:[\"'][\s\S]*)?)?")
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_ADDRESS = re.compile(rf"<([^\s<>]{{1,{TARGET_LIMIT}}})>")
_ADDRESS_BEGUN = re.compile(rf"<[^\s<>]{{0,{TARGET_LIMIT}}}")
_BETWEEN = re.compile(r"[ \t]*[,;、，]?[ \t]*")
_MARKER = re.compile(r"(?:[-*+>]|\d{1,9}[.)]|#{1,6})(?=\s)")
_MARKER_BEGUN = re.compile(r"[-*+>]|\d{1,9}[.)]?|#{1,6}")
_FENCE = re.compile(r"(`{3,}|~{3,})([^\n]*)")
_FENCE_END = re.compile(r"[\s>]*(`{3,}|~{3,})[ \t]*")
_LINKS_IN_CODE = re.compile(r"(?:\](?=[(:]\s*<?(?:https?:|//|mailto:))|<(?=https?:|mailto:))", re.IGNORECASE)


class Kind(StrEnum):
    """What words are. A SPAN is code within a line; OPENING is a code block's first line, FENCE any other of it."""

    PROSE = "prose"
    SPAN = "span"
    OPENING = "opening"
    FENCE = "fence"


@dataclass(frozen=True, slots=True)
class Words:
    """Text for readers, the blanks before it included."""

    text: str
    kind: Kind = Kind.PROSE


@dataclass(frozen=True, slots=True)
class Mark:
    """Numbers of passages that stood in brackets here; only known ones."""

    numbers: tuple[int, ...]


Piece = Words | Mark


class _Undecided(Exception):
    """What follows is needed."""


class Marks:
    """Reads text as it comes. Numbers above `known` become nothing; links lead to none but `uris`."""

    def __init__(self, known: int, uris: AbstractSet[str] = frozenset()) -> None:
        self._known = known
        self._uris = uris
        self._cleaning = Cleaning()
        self._text = ""  # what is not decided yet, from `_at` on
        self._at = 0
        self._final = False
        self._blank = ""  # blanks that wait for the next words
        self._line = ""  # the marks of lists and quotes that the line began with
        self._fresh = True  # the line has nothing else yet
        self._begun = False  # its paragraph or item has words
        self._skips = False  # blanks behind a mark that began a block are dropped
        self._last = ""  # the last letter given
        self._left_out = False  # something was left out behind it
        self._angle = False  # a "<" was given, and no blank since
        self._follows = False  # a mark was just read, and another may follow
        self._drops = ""  # what is being dropped: "line" or "run"
        self._fence = ""  # the mark that opened a code block
        self._guarded = False  # a reader's Markdown may see this code block end before we do
        self._out: list[Piece] = []

    def feed(self, text: str) -> list[Piece]:
        """The pieces that are certain now."""
        self._text += self._cleaning.feed(text)
        return self._read()

    def end(self) -> list[Piece]:
        """The pieces that are left when nothing follows. Blanks at the end are dropped."""
        self._text += self._cleaning.end()
        self._final = True
        return self._read()

    def _read(self) -> list[Piece]:
        try:
            while self._at < len(self._text):
                self._step()
        except _Undecided:
            pass
        self._text, self._at = self._text[self._at :], 0
        out, self._out = self._out, []
        return out

    # --- one step ----------------------------------------------------------------------------------------------------

    def _step(self) -> None:
        if self._drops:
            self._drop()
        elif self._fence:
            self._code_line()
        elif self._follows:
            self._another()
        elif (blanks := _BLANKS.match(self._text, self._at)) is not None:
            self._blanks(blanks[0])
        elif not (self._fresh and self._line_begun()):
            self._inline(self._text[self._at])

    def _inline(self, letter: str) -> None:
        match letter:
            case "`":
                self._span()
            case "[" | "【" | "［":
                self._bracket()
            case "]":
                self._say(
                    "]\\(" if self._letter(self._at + 1) == "(" else "]", 2 if self._letter(self._at + 1) == "(" else 1
                )
            case "!":
                self._image()
            case "<":
                self._address()
            case "\\":
                self._escaped()
            case _:
                words = _PLAIN.match(self._text, self._at)
                self._say(words[0] if words else letter)

    def _say(self, text: str, taken: int | None = None, kind: Kind = Kind.PROSE) -> None:
        """Gives words, and goes on behind what they stand for."""
        self._at += len(text) if taken is None else taken
        if self._left_out and not self._blank and self._joins(text[0]):
            text = f" {text}"
        self._out.append(Words(self._blank + text, kind))
        self._last, self._left_out = text[-1], False
        self._angle = text == "<" or (self._angle and not self._blank)
        self._blank, self._fresh, self._begun, self._skips = "", False, True, False

    def _joins(self, letter: str) -> bool:
        """Whether what stood apart would become Markdown by the leaving out: "``" and "`", "]" and "(", "<" and ">"."""
        return self._angle or (letter in "`~" and letter == self._last) or (letter == "(" and self._last == "]")

    def _letter(self, at: int) -> str:
        if at < len(self._text):
            return self._text[at]
        return self._wait()

    def _wait(self) -> str:
        if self._final:
            return ""
        raise _Undecided

    def _instead(self, text: str, end: int) -> None:
        """Reads `text` in the place of what ends at `end`."""
        self._left_out = True
        self._text, self._at = text + self._text[end:], 0

    def _blanks(self, blanks: str) -> None:
        self._at += len(blanks)
        if self._skips and "\n" not in blanks:
            return
        self._blank += blanks
        if "\n" in blanks:
            self._fresh, self._line, self._skips = True, "", False
            if _EMPTY_LINE.search(self._blank):
                self._begun = False

    def _drop(self) -> None:
        if self._drops == "line":
            end = self._text.find("\n", self._at)
            end = len(self._text) if end < 0 else end
        else:
            run = _RUN_ON.match(self._text, self._at)
            end = run.end() if run else self._at
        self._at = end
        if end < len(self._text):
            self._drops = ""

    # --- the beginning of a line -------------------------------------------------------------------------------------

    def _line_begun(self) -> bool:
        """Whether the mark of a list, a quote, a heading or a code block was read."""
        rest = self._text[self._at : self._at + 12]
        if (marker := _MARKER.match(self._text, self._at)) is not None:
            line = self._line + marker[0]
            self._say(marker[0])
            self._line, self._fresh, self._begun = line, marker[0][0] != "#", False
            return True
        if len(rest) < 12 and (_MARKER_BEGUN.fullmatch(rest) or rest in ("~", "~~", "``")):
            self._wait()
        fence = _FENCE.match(self._text, self._at)
        if fence is None:
            return False
        if fence.end() == len(self._text) and len(fence[2]) <= BRACKET_LIMIT:
            self._wait()
        if len(fence[2]) > BRACKET_LIMIT or (fence[1][0] == "`" and "`" in fence[2]):
            return False
        self._guarded = bool(self._line or self._blank.rpartition("\n")[2])
        self._say(self._guarding(fence[0]), len(fence[0]), Kind.OPENING)
        self._fence = fence[1]
        return True

    def _code_line(self) -> None:
        """A line of code, with the line end before it."""
        end = self._text.find("\n", self._at + 1)
        if end < 0:
            self._wait()
            end = len(self._text)
        line = self._text[self._at : end]
        closing = _FENCE_END.fullmatch(line)
        self._say(self._guarding(line), end - self._at, Kind.FENCE)
        if closing is not None and closing[1].startswith(self._fence):
            self._fence = ""
            self._begun = True  # a mark below the block belongs to it

    def _guarding(self, line: str) -> str:
        return _LINKS_IN_CODE.sub(lambda found: f"{found[0]} ", line) if self._guarded else line

    # --- within a line -----------------------------------------------------------------------------------------------

    def _span(self) -> None:
        """A code span, or backticks that open none: a span ends on its line."""
        ticks = re.compile("`+").match(self._text, self._at)
        count = len(ticks[0]) if ticks else 1
        begin = self._at + count
        self._letter(begin)
        limit = begin + SPAN_LIMIT
        line_end = self._text.find("\n", begin, limit)
        closing = _closing(count).search(self._text, begin, limit if line_end < 0 else line_end)
        if closing is None:
            if line_end < 0 and len(self._text) < limit:
                self._wait()
            self._say("`" * count)
            return
        self._letter(closing.end())
        text = self._text[self._at : closing.end()]
        kept = text.replace("](", "]\\(") if "|" in text else text  # a table's cell ends within code, too
        self._say(kept, len(text), Kind.SPAN)

    def _bracket(self) -> None:
        if (found := self._mark_at(self._at)) is not None:
            self._mark(*found)
            return
        if _RUN.match(self._text, self._at):
            self._drops = "run"
            return
        end = self._enclosed(self._at) if self._text[self._at] == "[" else None
        if end is None:
            self._say(f"\\{self._text[self._at]}" if self._fresh else self._text[self._at], 1)
            return
        following = self._letter(end)
        target = self._target(end) if following == "(" else None
        if target is None:  # at the beginning of a line it could define where other links lead
            self._say("\\[" if following == ":" and self._fresh else "[", 1)
        elif target[0] in self._uris:
            self._say(self._text[self._at : target[1]])
        else:
            self._instead(self._text[self._at + 1 : end - 1], target[1])

    def _mark(self, numbers: tuple[int, ...], end: int) -> None:
        if self._fresh and self._letter(end) == ":":
            self._at, self._drops = end, "line"  # "[1]: https://…", a list of sources; ours is made from what was cited
            return
        if self._begun:
            self._blank, self._fresh = "", False  # what follows stands on the line before
        elif self._blank:
            self._out.append(Words(self._blank))
            self._line += self._blank.rpartition("\n")[2]
            self._blank = ""
        self._skips = not self._begun
        self._marked(numbers, end)

    def _marked(self, numbers: tuple[int, ...], end: int) -> None:
        self._at, self._follows, self._left_out = end, True, True
        if numbers:
            self._out.append(Mark(numbers))

    def _another(self) -> None:
        """A mark that follows one at once, with blanks or a comma between them."""
        between = _BETWEEN.match(self._text, self._at)
        begin = between.end() if between else self._at
        letter = self._letter(begin)
        if letter == "\\":
            letter = self._letter(begin + 1)
        more = self._mark_at(begin) if letter and letter in OPENING else None
        if more is None:
            self._follows = False
        else:
            self._marked(*more)

    def _mark_at(self, at: int) -> tuple[tuple[int, ...], int] | None:
        """The known numbers of the mark that begins there and where it ends, with a link's target; None: no mark."""
        escaped = self._text.startswith("\\", at)
        begin = at + 1 if escaped else at
        end = self._enclosed(begin)
        if end is None:
            return None
        content = self._text[begin + 1 : end - 1]
        numbers = numbers_of(content.removesuffix("\\") if escaped else content, self._known)
        if numbers is None:
            return None
        target = self._target(end) if self._letter(end) == "(" else None
        return numbers, target[1] if target else end

    def _enclosed(self, at: int) -> int | None:
        """Behind the bracket that closes the one at `at`; None where none does within the paragraph and the limit."""
        depth = 0
        limit = at + BRACKET_LIMIT
        for edge in _EDGE.finditer(self._text, at, limit):
            if "\n" in edge[0]:
                return None
            depth += 1 if edge[0] in OPENING else -1
            if depth == 0:
                return edge.end()
            if depth > DEEPEST:
                return None
        if len(self._text) < limit:
            self._wait()
        return None

    def _target(self, at: int) -> tuple[str, int] | None:
        """The address in the parentheses at `at`, and where they end."""
        limit = at + TARGET_LIMIT
        found = _TARGET.match(self._text, at, limit)
        if found is not None and not _EMPTY_LINE.search(found[0]):
            return found[1], found.end()
        rest = self._text[at:limit]
        if len(rest) < TARGET_LIMIT and not _EMPTY_LINE.search(rest) and _TARGET_BEGUN.fullmatch(rest):
            self._wait()
        return None

    def _image(self) -> None:
        """No image is shown, and none of its words."""
        if self._letter(self._at + 1) == "[":
            end = self._enclosed(self._at + 1)
            target = self._target(end) if end is not None and self._letter(end) == "(" else None
            if target is not None:
                self._at, self._left_out = target[1], True
                return
        self._say("!")

    def _address(self) -> None:
        """`<https://…>` becomes plain where no source gave it."""
        found = _ADDRESS.match(self._text, self._at)
        if found is None:
            begun = _ADDRESS_BEGUN.match(self._text, self._at)
            if begun and begun.end() == len(self._text) and len(begun[0]) <= TARGET_LIMIT:
                self._wait()
            self._say("<")
        elif found[1] in self._uris:
            self._say(found[0])
        elif ":" in found[1] or "@" in found[1]:
            self._instead(found[1], found.end())
        else:
            self._say("<")

    def _escaped(self) -> None:
        following = self._letter(self._at + 1)
        found = self._mark_at(self._at) if following == "[" else None
        if found is not None:
            self._mark(*found)
        else:
            self._say("\\" if following.isspace() else f"\\{following}")


@lru_cache(maxsize=32)
def _closing(count: int) -> re.Pattern[str]:
    return re.compile(rf"(?<!`)`{{{count}}}(?!`)")

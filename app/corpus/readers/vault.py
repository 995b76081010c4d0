"""Keeps code out of reach while a page is rewritten: each piece is a token of private-use characters until restored.

Not the finding of HTML or template tags. Input has no private-use characters (decoding removes them), so a token is
never mistaken.
"""

import re
from dataclasses import dataclass, replace

SPAN_OPEN, SPAN_CLOSE = "\ue000", "\ue001"  # inline code
FENCE_OPEN, FENCE_CLOSE = "\ue002", "\ue003"  # a code block; the token stands alone on its line
SPAN = re.compile(f"{SPAN_OPEN}(\\d+){SPAN_CLOSE}")
FENCE = re.compile(f"{FENCE_OPEN}(\\d+){FENCE_CLOSE}")
TOKEN = re.compile(f"[{SPAN_OPEN}{FENCE_OPEN}](\\d+)[{SPAN_CLOSE}{FENCE_CLOSE}]")

_FENCE_LINE = re.compile(f"^.*{FENCE_OPEN}.*$", re.MULTILINE)
_FENCE_ALONE = re.compile(
    rf"^([\t >]*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+)*){FENCE_OPEN}(\d+){FENCE_CLOSE}[ \t]*$", re.MULTILINE
)
_FENCE_START = re.compile(r"((?:[ \t]*>)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})([^`\n]*)$")
# Runs of backticks, and the line ends that no inline code reaches across: before a blank line or another block.
_BACKTICKS = re.compile(r"`+|\n(?=[ \t]*(?:\n|\||#{1,6}[ ]|[-*+][ ]|\d{1,9}[.)][ ]))")
_PLAIN_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_VERDICTS = {
    "good": "Good", "bad": "Bad", "passes-sa": "Passes static analysis", "fails-sa": "Fails static analysis",
    "runtime-success": "Runs", "runtime-fail": "Fails at run time",
}  # fmt: skip
_VERDICT = re.compile(rf"(?:tag=|\{{[ ]*:?\.)({'|'.join(_VERDICTS)})\b")
_ATTRIBUTE = re.compile(r"(?:tab|title|filename|caption)\s*=\s*(?:\"([^\"]+)\"|'([^']+)')")


@dataclass(frozen=True, slots=True)
class _Fence:
    code: str
    language: str
    written: str  # as the page has it: for a block that turns out to stand in other code


class Vault:
    """The code of one page. `hide` takes fences and inline code out of a text, `restore` puts them back, clean."""

    def __init__(self) -> None:
        self._spans: list[str] = []
        self._fences: list[_Fence] = []

    def span(self, markdown: str) -> str:
        """A token for inline code, `markdown` with its backticks."""
        self._spans.append(markdown)
        return f"{SPAN_OPEN}{len(self._spans) - 1}{SPAN_CLOSE}"

    def code_span(self, code: str) -> str:
        """A token for inline code, given without backticks; empty for blank code."""
        code = " ".join(code.split())
        if not code:
            return ""
        ticks = "`" * (1 + max((len(run) for run in re.findall("`+", code)), default=0))
        pad = " " if code.startswith("`") or code.endswith("`") else ""
        return self.span(f"{ticks}{pad}{code}{pad}{ticks}")

    def fence(self, code: str, language: str = "", written: str = "") -> str:
        """A token for a code block; empty for blank code. `written` is the block's Markdown where it had any."""
        code = code.strip("\n").rstrip()
        if not code.strip():
            return ""
        self._fences.append(_Fence(code, language, written or code))
        return f"{FENCE_OPEN}{len(self._fences) - 1}{FENCE_CLOSE}"

    def hide(self, text: str) -> str:
        """The text with every fenced block and every piece of inline code replaced by a token."""
        return self._hide_spans(self.hide_fences(text))

    def hide_fences(self, text: str) -> str:
        """The text with every fenced block replaced, wherever it is indented, quoted or begins a list item.

        A fence that is never closed runs to the end of the text. A name in the fence's first line (`title=`, `tab=`)
        becomes a line of its own before the block.
        """
        if "```" not in text and "~~~" not in text:
            return text
        out: list[str] = []
        lines = text.split("\n")
        at = 0
        while at < len(lines):
            line = lines[at]
            at += 1
            start = _FENCE_START.match(line) if "```" in line or "~~~" in line else None
            if start is None:
                out.append(line)
                continue
            prefix, mark, info = start[1], start[2], start[3]
            closing = re.compile(r"[ \t>]*" + re.escape(mark[0]) + "{" + str(len(mark)) + r",}[ \t]*$")
            quoted = ">" in prefix
            first = at - 1
            while at < len(lines) and not closing.match(lines[at]) and (not quoted or ">" in lines[at]):
                at += 1
            body = lines[first + 1 : at]
            if at < len(lines) and closing.match(lines[at]):
                at += 1
            out.extend(self._fenced(prefix, info, body, "\n".join(lines[first:at])))
        return "\n".join(out)

    def _fenced(self, prefix: str, info: str, body: list[str], written: str) -> list[str]:
        quotes = prefix.count(">")
        width = len(prefix.expandtabs(4)) if not quotes else len(prefix) - prefix.rfind(">") - 1
        code = "\n".join(_without(line, quotes, width) for line in body)
        token = self.fence(code, language_of(info), written)
        label = label_of(info)
        follow = re.sub(r"[-*+]|\d{1,9}[.)]", lambda mark: " " * len(mark[0]), prefix)
        if label:
            return [f"{prefix}**{label}**", follow.rstrip(), follow + token]
        return [prefix + token]

    def _hide_spans(self, text: str) -> str:
        if "`" not in text:
            return text
        out: list[str] = []
        runs = list(_BACKTICKS.finditer(text))
        places: dict[str, list[int]] = {}  # a run's text -> where such runs stand, last first
        breaks: list[int] = []  # where the search for a closing run ends
        for index, run in enumerate(runs):
            if run[0][0] == "`":
                places.setdefault(run[0], []).append(index)
            else:
                breaks.append(index)
        for stack in places.values():
            stack.reverse()
        breaks.reverse()
        done, index = 0, 0
        while index < len(runs):
            run = runs[index]
            while breaks and breaks[-1] <= index:
                breaks.pop()
            if run[0][0] != "`" or (run.start() and text[run.start() - 1] == "\\"):
                index += 1
                continue
            stack = places[run[0]]
            while stack and stack[-1] <= index:
                stack.pop()
            if not stack or (breaks and stack[-1] > breaks[-1]):
                index += 1
                continue
            end = runs[stack[-1]].end()
            out.append(text[done : run.start()])
            out.append(self.span(text[run.start() : end]))
            done = end
            index = stack[-1] + 1
        out.append(text[done:])
        return "".join(out)

    def raw(self, text: str) -> str:
        """The text with all tokens as they were written, fences included: for code that was mistaken for prose."""

        def written(match: re.Match[str]) -> str:
            if match[0][0] == SPAN_OPEN:
                return self.raw(self._spans[int(match[1])])
            return self.raw(self._fences[int(match[1])].written)

        return TOKEN.sub(written, text) if SPAN_OPEN in text or FENCE_OPEN in text else text

    def cell(self, text: str) -> str:
        """The text as a table's cell can hold it: code blocks as inline code, and no bare bar in inline code."""

        def barred(match: re.Match[str]) -> str:
            span = self._spans[int(match[1])]
            return self.span(re.sub(r"(?<!\\)\|", r"\\|", span)) if "|" in span else match[0]

        text = FENCE.sub(lambda match: self.code_span(self._fences[int(match[1])].code), text)
        return SPAN.sub(barred, text)

    def map_code(self, change: "re.Pattern[str]", replacement: str) -> None:
        """Replace in all code kept so far: for the few template tags that are resolved inside of code too."""
        self._spans = [change.sub(replacement, span) for span in self._spans]
        self._fences = [replace(fence, code=change.sub(replacement, fence.code)) for fence in self._fences]

    def restore(self, text: str) -> str:
        """The text with its code back: fences normalised, each line indented or quoted as its token was."""
        if FENCE_OPEN in text:
            text = _FENCE_LINE.sub(_alone, text)
            text = _FENCE_ALONE.sub(self._block, text)
        while SPAN_OPEN in text:  # a span may hold an earlier one's token
            text = SPAN.sub(lambda match: self._spans[int(match[1])], text)
        return text

    def _block(self, match: re.Match[str]) -> str:
        prefix = match[1]
        code, language = self._fences[int(match[2])].code, self._fences[int(match[2])].language
        indent = re.sub(r"[^\s>]", " ", prefix)
        ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`{3,}", code)), default=0))
        lines = [*code.split("\n"), ticks]
        return "\n".join([f"{prefix}{ticks}{language}", *((indent + line).rstrip() for line in lines)])


def _alone(match: re.Match[str]) -> str:
    """A line with a block's token, taken apart so that the token has a line of its own."""
    line = match[0]
    if _FENCE_ALONE.fullmatch(line):
        return line
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    pieces = re.split(f"({FENCE_OPEN}\\d+{FENCE_CLOSE})", line)
    return "\n\n".join(indent + piece.strip() for piece in pieces if piece.strip())


def language_of(info: str) -> str:
    """The language that a fence's first line names, empty if none."""
    info = info.strip().removeprefix("{").lstrip(". ")
    match = _PLAIN_LANGUAGE.match(info)
    if match is None or info[match.end() : match.end() + 1] == "=" or match[0].rstrip(".") in _VERDICTS:
        return ""
    return match[0].rstrip(".").lower()


def label_of(info: str) -> str:
    """The name that a fence's first line gives its block (of a tab, of a file), and what it says of the code."""
    names = [name for name in (_ATTRIBUTE.search(info),) if name]
    said = [(name[1] or name[2]).strip().replace("*", "") for name in names]
    if verdict := _VERDICT.search(info):
        said.append(_VERDICTS[verdict[1]])
    return " · ".join(said)


def _without(line: str, quotes: int, width: int) -> str:
    for _ in range(quotes):
        stripped = line.lstrip()
        if not stripped.startswith(">"):
            break
        line = stripped[1:]
    blank = len(line) - len(line.lstrip(" \t"))
    lead = line[:blank].expandtabs(4)
    return lead[min(width, len(lead)) :] + line[blank:]

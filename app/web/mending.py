"""The end of a text that is still being written, made presentable: nothing half-arrived is shown.

What is left out or closed here is only so for a moment; a finished block never passes through.
"""

import re

HALF_LINE = 200  # characters; a longer line is plain enough
_BEGINNING = re.compile(
    r"[ >\t]*(?:"
    r"[-*_=+#>:|]+[-*_=+#>:| \t]*"  # may become a rule, an underline, a heading, a list, a table's second line
    r"|[0-9]{1,9}[.)]?"  # an item's number
    r"|`{1,2}|~{1,2}"  # a fence's first signs
    r"|`{3,}[^`]*|~{3,}.*"  # a fence whose language has not wholly come
    r")"
)
_FENCE_SIGNS = re.compile(r"[ >\t]*(`+|~+)")
_TABLE_ROW = re.compile(r"[ >\t]*\|")
_PARTIAL = re.compile(
    r"(?:&#?[A-Za-z0-9]{0,31}"  # a character reference
    r"|<[A-Za-z][^\s<>]*"  # an address in angle brackets
    r"|\\|!)\Z"
)
_OPENER = re.compile(r"(?<![\w*_~])(\*{1,3}|_{1,3}|~~)(?=[\w\"'`(\[\u00ab\u2018-\u201e])")
_HALF_LINKS = (
    re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)?[^()\s]*)?(?:[ ]+[\"'(][^\"')]*[\"')]?)?\Z"),
    re.compile(r"!?\[([^\[\]]*)\]\[[^\[\]]*\Z"),
    re.compile(r"(?<!\])!?\[([^\[\]]*)\]?\Z"),
)
_CODE = re.compile(r"(?<!`)(`+)(?!`)")
_CODE_SPANS = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_RUNS = re.compile(r"(?<!\\)(?:\*{1,3}|_{1,3}|~~)")


def without_half_lines(source: str, *, in_fence: bool) -> str:
    """The text without a last line of which it is not yet clear what it will be.

    `in_fence`: it ends within a code block, where only a beginning fence is unclear.
    """
    begin = source.rfind("\n") + 1
    last = source[begin:]
    if in_fence:
        return source[:begin] if len(last) <= HALF_LINE and _FENCE_SIGNS.fullmatch(last) else source
    if (0 < len(last) <= HALF_LINE and _BEGINNING.fullmatch(last)) or _TABLE_ROW.match(last):
        source = source[:begin]
    return _without_lone_head(source)


def closed(content: str) -> str:
    """Inline content whose open code, emphasis and links are closed, and whose last half sign is left out."""
    content = _without_half_link(_PARTIAL.sub("", content))
    content = _without_last_run(content)
    open_code = _open_code(content)
    if open_code:
        start, ticks = open_code
        rest = content[start + len(ticks) :].rstrip("`")
        return content[:start] + (f"{ticks}{rest}{ticks}" if rest.strip() else "")
    return content.rstrip(" ") + _closers(content)


def _without_lone_head(source: str) -> str:
    """A table's head stays away until the line below says that it is one."""
    *above, last = source.removesuffix("\n").split("\n")
    if _TABLE_ROW.match(last) and not (above and _TABLE_ROW.match(above[-1])):
        return source[: len(source.removesuffix("\n")) - len(last)]
    return source


def _without_last_run(content: str) -> str:
    """Without signs of emphasis at the very end: they may open or close, or grow."""
    bare = content.rstrip("*_~")
    return content if bare.endswith("\\") else bare


def _open_code(content: str) -> tuple[int, str] | None:
    """Place and backticks of a code span that has not ended."""
    opened: re.Match[str] | None = None
    for found in _CODE.finditer(content):
        if opened is None:
            if not content[: found.start()].endswith("\\"):
                opened = found
        elif opened.group(1) == found.group(1):
            opened = None
    return (opened.start(), opened.group(1)) if opened else None


def _without_half_link(content: str) -> str:
    """`[text](addr`, `[text][lab`, `[tex` are shown as their text."""
    for half in _HALF_LINKS:
        found = half.search(content)
        if found:
            return content[: found.start()] + found.group(1)
    return content


def _closers(content: str) -> str:
    """What closes the emphasis that is still open, innermost first."""
    outside = _CODE_SPANS.sub(lambda found: " " * len(found.group()), content)
    opened: list[str] = []
    for found in _RUNS.finditer(outside):
        run = found.group()
        if opened and opened[-1] == run and not outside[found.start() - 1].isspace():
            opened.pop()
        elif _OPENER.match(outside, found.start()):
            opened.append(run)
    return "".join(reversed(opened))

"""A docstring's plain text as clean Markdown: examples fenced, tables kept, names as code. Not where it comes from."""

import re
from collections.abc import Iterator, Sequence

EXAMPLE = ">>>"
FENCE = "```"
MAX_DEPTH = 6

_INLINE = re.compile(
    r"""
      ``(?P<literal>[^`]+)``
    | :(?:\w+:)?\w+:`(?P<role>[^`]+)`
    | `(?P<label>[^`<]+)\s<(?P<target>https?://[^>`]+)>`_{1,2}
    | `(?P<code>[^`\n]+)`_{0,2}
    | `(?P<quoted>[^`'\n]{1,60})'
    | (?P<bold>\*\*[^*\n]+\*\*)
    | (?<![\w*])\*(?P<parameter>\w[\w.]*)\*(?![\w*])
    | (?P<address><?https?://[^\s<>]+>?)
    | (?P<escape>(?:\\+[A-Za-z]\w{0,7})+|\\+(?=[\s"'.,)]|$)|\(\?[^\s()]*\)+)
    | (?P<stars>(?<![\w*])\*{1,2}[A-Za-z]\w*)
    | (?P<name>[A-Za-z0-9.]*_[\w.]*\w(?:\(\))?|\b__\w+__\b)
    | (?P<special><(?=[A-Za-z/!?])|[\\*_`]|&(?=\#?\w+;))
    """,
    re.VERBOSE,
)
_BULLET = re.compile(r"(?:[-*+o]|\d{1,2}[.)])\s+(?=\S)")
_DEFINITION = re.compile(
    r"(?P<term>\S(?:.{0,58}\S)?)\s+--\s+(?P<meaning>\S.*)|(?P<word>[\w.'\"]+)\s+-\s+(?P<sense>\S.*)"
)
_CALL = re.compile(r"(?P<term>[\w.]+\(.*?\))\s+->\s+(?P<meaning>\S.*)")
_PARAMETER = re.compile(r":(?:param|arg|raises?|return|returns)\s*(?P<term>[\w.* ]*):\s*(?P<meaning>.*)")
_LABELLED = re.compile(r"(?P<term>(?:\([^()]*\)|\.(?=\w)|[^\s:.!?;()]| (?=\S)){1,45}):\s+(?P<meaning>\S.*)")
_COLUMNS = re.compile(r"(?P<term>\S(?:.{0,22}[^\s.!?:;,])?)\s{2,}(?P<meaning>\S.*)")
_RULE = re.compile(r"([=\-~^*#\"'_+])\1{2,}$")
_STATEMENT = re.compile(r"\w+(?:,\s*\w+)* = \S.*|for \w+ in .*|with .+:|import \w+|def \w+\(.*|class \w+.*:|while .+:")
_TABLE_RULE = re.compile(r"[=-]{2,}(?:\s+[=-]{2,})+$")
_CODE = re.compile(
    r"(?:for|with|while|if|elif|def|class|except|async)\b.*:|(?:else|try|finally):|import \w.*|from [\w.]+ import .*"
    r"|(?:return|yield|await|assert|raise|print)\b.*[)\]\w]|[@%$].*|[{}()\[\]].*|#.*|\.\.\..*|<[\w/!].*"
    r"|[\w.\[\]'\"]+(?:, ?[\w.\[\]'\"]+)*\s*[-+|&]?=\s*\S.*|[\w.]+\(.*\).*"
)


def markdown(docstring: str, *, level: int) -> str:
    """The docstring (already dedented) as Markdown; its own headings become headings below `level`."""
    lines = [line.rstrip() for line in docstring.expandtabs(8).splitlines()]
    return "\n\n".join(block for block in _blocks(lines, min(level + 1, MAX_DEPTH)) if block)


def first_sentence(docstring: str) -> str:
    """The first sentence as plain text, for a description; empty where there is none."""
    lines = docstring.strip().splitlines()
    if len(lines) > 1 and _RULE.match(lines[1].strip()):  # a title says less than what follows it
        lines = lines[2:]
    paragraph = "\n".join(lines).strip().partition("\n\n")[0]
    text = " ".join(paragraph.split())
    end = re.search(r"[.!?](?=\s+[A-Z(`]|$)", text)
    return text[: end.end()] if end else text[:300]


def _blocks(lines: Sequence[str], depth: int) -> Iterator[str]:
    at, literal = 0, False
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.lstrip().startswith(EXAMPLE):
            end = _end_of_example(lines, at)
            yield _fenced(lines[at:end])
            at = end
        elif _TABLE_RULE.match(line.strip()) and (end := _end_of_table(lines, at)):
            yield _table([row[_indent(line) :] for row in lines[at:end]])
            at = end
        elif _indent(line) and (literal or _looks_like_code(lines, at)):
            end = _end_of_indented(lines, at, over_gaps=literal)
            yield _fenced(lines[at:end])
            at, literal = end, False
        elif end := _end_of_statements(lines, at):
            yield _fenced(lines[at:end])
            at = end
        elif _is_title(lines, at):
            yield f"{'#' * depth} {inline(line.strip().rstrip(':'))}"
            at += 2
        elif _RULE.match(line.strip()):
            at += 1
        else:
            end = _end_of_paragraph(lines, at)
            text = list(lines[at:end])
            literal = text[-1].endswith("::")
            if literal:
                text[-1] = text[-1].removesuffix("::").rstrip() + ":"
            yield _prose(text)
            at = end


def _is_title(lines: Sequence[str], at: int) -> bool:
    """A line with a rule of about its length below it."""
    if at + 1 == len(lines) or _RULE.match(lines[at].strip()):
        return False
    title, rule = lines[at].strip(), lines[at + 1].strip()
    return bool(_RULE.match(rule)) and _indent(lines[at]) == _indent(lines[at + 1]) and len(rule) >= len(title) - 3


def _end_of_statements(lines: Sequence[str], at: int) -> int:
    """Behind a paragraph of code that stands among the text; 0 where the paragraph is text."""
    if not _STATEMENT.fullmatch(lines[at].strip()):
        return 0
    end = next((place for place in range(at, len(lines)) if not lines[place].strip()), len(lines))
    return 0 if any(line.endswith((".", "::")) for line in lines[at:end]) else end


def _prose(lines: Sequence[str]) -> str:
    """A paragraph, or a list where its lines are items; lines that were wrapped are joined."""
    margin = min(map(_indent, lines))
    outer = [line.strip() for line in lines if _indent(line) == margin]
    form = _form_of(outer)
    items: list[tuple[bool, str]] = []
    for line in lines:
        text = line.strip()
        item = _item(text, form) if _indent(line) == margin else ""
        if item:
            items.append((True, item))
        elif items:
            listed, before = items[-1]
            items[-1] = (listed, f"{before} {text}")
        else:
            items.append((False, text))
    out: list[str] = []
    for place, (listed, text) in enumerate(items):
        if listed:
            out.append(f"- {inline(text)}")
        else:
            out.append(_guarded(inline(text)))
            if place + 1 < len(items):
                out.append("")
    return "\n".join(out)


def _form_of(lines: Sequence[str]) -> re.Pattern[str] | None:
    """The form in which most of the lines explain a term; None where they are sentences."""
    for form in (_PARAMETER, _DEFINITION, _CALL, _LABELLED, _COLUMNS):
        enough = 1 if form in (_PARAMETER, _CALL) else max(2, len(lines) * 2 // 3)
        if sum(bool(form.fullmatch(line)) for line in lines) >= enough:
            return form
    return None


def _item(text: str, form: re.Pattern[str] | None) -> str:
    """The text of a list item without its mark; empty where the line is none."""
    if mark := _BULLET.match(text):
        return text[mark.end() :]
    if form is not None and (match := form.fullmatch(text)):
        term, meaning = (part for part in match.groups() if part is not None)
        return f"{_term(term)}: {meaning}" if term else meaning
    return ""


def _term(text: str) -> str:
    """A name or call is code, words are words."""
    bare = text.strip("`")
    return text if "`" in bare or (" " in bare and "(" not in bare) else f"``{bare}``"


def inline(text: str) -> str:
    """One run of prose: names as code, roles and literals unwrapped, characters that Markdown would eat escaped."""
    return _INLINE.sub(_shown, text).replace("``", "")  # two runs of code side by side are one


def _shown(match: re.Match[str]) -> str:
    kind, found = match.lastgroup, match.group()
    if match["label"]:
        return f"[{match['label'].strip()}]({match['target']})"
    for code in ("literal", "code", "quoted", "parameter", "escape", "stars", "name"):
        if match[code] is not None:
            return f"`{match[code].strip()}`"
    if match["role"] is not None:
        name = re.sub(r"\s*<[^>]*>$", "", match["role"])
        return f"`{name.rpartition('.')[2] if name.startswith('~') else name.lstrip('!')}`"
    if kind == "special":
        return f"\\{found}"
    return found


def _guarded(text: str) -> str:
    """A paragraph that begins like a heading, quotation or list is none."""
    return re.sub(r"^(#{1,6}(?=\s)|>|[-+](?=\s)|\d+(?=[.)]\s))", lambda mark: _escaped(mark[0]), text)


def _escaped(mark: str) -> str:
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"


def _looks_like_code(lines: Sequence[str], at: int) -> bool:
    """Whether the indented lines from here read as code: two of three begin as statements, calls or brackets do."""
    part = [line.strip() for line in lines[at : _end_of_indented(lines, at, over_gaps=False)]]
    if any(_item(line, _form_of(part)) for line in part):
        return False
    return sum(bool(_CODE.fullmatch(line)) and not line.endswith((".", ",")) for line in part) * 3 >= len(part) * 2


def _lists(lines: Sequence[str], at: int) -> bool:
    """Whether an indented list begins here."""
    part = [line.strip() for line in lines[at : _end_of_indented(lines, at, over_gaps=False)]]
    return bool(_item(part[0], _form_of(part)))


def _end_of_example(lines: Sequence[str], at: int) -> int:
    """Behind the example's last line: examples parted by one empty line belong together."""
    margin, end = _indent(lines[at]), at
    while end < len(lines):
        line = lines[end]
        if line.strip():
            if _indent(line) < margin:
                break
        elif not (end + 1 < len(lines) and lines[end + 1].strip().startswith(EXAMPLE)):
            break
        end += 1
    return end


def _end_of_indented(lines: Sequence[str], at: int, *, over_gaps: bool) -> int:
    margin, end = _indent(lines[at]), at
    for place in range(at, len(lines)):
        if not lines[place].strip():
            if not over_gaps:
                break
            continue
        if _indent(lines[place]) < margin:
            break
        end = place + 1
    return end


def _end_of_paragraph(lines: Sequence[str], at: int) -> int:
    """Behind the paragraph: an empty line, an example, a table, a rule, or indented code ends it."""
    end = at + 1
    while end < len(lines):
        line = lines[end].strip()
        if not line or line.startswith(EXAMPLE) or _TABLE_RULE.match(line) or _RULE.match(line):
            break
        if _is_title(lines, end):
            break
        deeper = _indent(lines[end]) > _indent(lines[end - 1])
        if deeper and (lines[end - 1].endswith(":") or _lists(lines, end)):
            break
        if _indent(lines[end]) < _indent(lines[at]):
            break
        end += 1
    return end


def _end_of_table(lines: Sequence[str], at: int) -> int:
    """Behind the table's closing rule; 0 where it has none."""
    rules = 0
    for end in range(at, len(lines)):
        line = lines[end].strip()
        if not line and rules >= 2:
            return end if _TABLE_RULE.match(lines[end - 1].strip()) else 0
        rules += bool(_TABLE_RULE.match(line))
    return len(lines) if rules >= 2 and _TABLE_RULE.match(lines[-1].strip()) else 0


def _table(lines: Sequence[str]) -> str:
    """A simple table of reStructuredText: columns stand under the strokes of its first rule."""
    starts = [stroke.start() for stroke in re.finditer(r"[=-]+", lines[0])]
    spans = list(zip(starts, [*starts[1:], None], strict=True))
    rows: list[list[str]] = []
    for line in lines:
        if not line or _TABLE_RULE.match(line):
            continue
        cells = [line[start:end].strip() for start, end in spans]
        if cells[0] or not rows:
            rows.append(cells)
        else:  # a wrapped row goes on below its first line
            rows[-1] = [f"{before} {more}".strip() for before, more in zip(rows[-1], cells, strict=True)]
    head, *body = [[inline(cell).replace("|", "\\|") for cell in row] for row in rows]
    out = (head, ["---"] * len(head), *body)
    return "\n".join(f"| {' | '.join(row)} |" for row in out)


def _fenced(lines: Sequence[str]) -> str:
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    body = "\n".join(line[margin:] for line in lines).strip("\n")
    fence = FENCE
    while fence in body:
        fence += "`"
    return f"{fence}python\n{body}\n{fence}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())

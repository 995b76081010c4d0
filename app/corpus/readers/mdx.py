"""What MDX adds to Markdown besides components: imports, exports, expressions. Nothing is compiled or run."""

import re

_STATEMENT = re.compile(
    r"^(?:import\s+(?:[\w*{\"']|type\b)|export\s+(?:const|let|var|function|async|default|class|type|interface|\{|\*))"
)
_COMMENT = re.compile(r"\{\s*/\*.*?\*/\s*\}", re.DOTALL)
_TEXT = re.compile(r"\{\s*(?:\"([^\"{}\n]*)\"|'([^'{}\n]*)')\s*\}")
_NAME = re.compile(r"\{\s*[\w$]+\s*\}")


def strip_mdx(text: str) -> str:
    """The text without imports, exports and comments; an expression is its text where it is one, else nothing.

    A bare name in braces stays: nobody here knows its value.
    """
    text = _without_statements(text)
    if "{" not in text:
        return text
    text = _COMMENT.sub("", text) if "*/" in text else text
    text = _TEXT.sub(lambda match: match[1] if match[1] is not None else match[2], text)
    return _without_expressions(text)


def _without_statements(text: str) -> str:
    """Without the paragraphs that are import or export statements, to their last closing bracket."""
    out: list[str] = []
    depth, inside = 0, False
    for line in text.split("\n"):
        if not inside and _STATEMENT.match(line):
            inside, depth = True, 0
        if not inside:
            out.append(line)
            continue
        depth += sum(line.count(mark) for mark in "{[(") - sum(line.count(mark) for mark in "}])")
        if depth <= 0 and (not line.strip() or line.rstrip().endswith((";", "'", '"', "}", ")", "]", ">", "`"))):
            inside = False
    return "\n".join(out)


def _without_expressions(text: str) -> str:
    """Without expressions that stand among the words: from a brace to its partner, unless it is a bare name.

    Attributes of components keep theirs: they stand between `<` and `>`.
    """
    out: list[str] = []
    done = 0
    depth, start, tag = 0, 0, False
    for match in re.finditer(r"[{}]|<(?=/?[A-Za-z>])|>|\n[ \t]*\n", text):
        mark = match[0]
        if depth == 0 and mark == "<":
            tag = True
        elif depth == 0 and (mark == ">" or mark[0] == "\n"):
            tag = False
        elif mark == "{" and not tag:
            if depth == 0:
                start = match.start()
            depth += 1
        elif mark == "}" and not tag and depth:
            depth -= 1
            if depth == 0:
                expression = text[start : match.end()]
                if not _NAME.fullmatch(expression):
                    out.append(text[done:start])
                    done = match.end()
        elif mark[0] == "\n" and depth and match.start() - start > 5000:
            depth = 0  # a brace that nothing closes is a brace
    out.append(text[done:])
    return "".join(out)

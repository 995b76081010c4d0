"""Template tags as values, their arguments, and one pass that replaces them. Not what the single tags mean."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

UNKNOWN_OPEN, UNKNOWN_CLOSE = "\ue004", "\ue005"  # a variable whose value nobody here knows: its name stands between
UNKNOWN = re.compile(f"{UNKNOWN_OPEN}([^{UNKNOWN_CLOSE}]*){UNKNOWN_CLOSE}")

_ARGUMENT = re.compile(
    r"([\w-]+)\s*[=:]\s*(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|([^\s,\"'`]+))|\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|([^\s,=]+)"
)


@dataclass(frozen=True, slots=True)
class Tag:
    """One template tag: its name, what stands in it, and whether it closes a pair."""

    name: str
    named: Mapping[str, str]
    placed: tuple[str, ...]
    closing: bool = False
    raw: bool = False  # Hugo's {{< >}}: what it encloses is not Markdown
    blocks: tuple[str, ...] = ()  # code blocks among the arguments

    def first(self, *names: str) -> str:
        """The first argument of these names that is there, else the first without a name."""
        found = next((self.named[name] for name in names if self.named.get(name)), "")
        return found or (self.placed[0] if self.placed else "")


def replace_tags(
    text: str,
    pattern: re.Pattern[str],
    tag_of: Callable[[re.Match[str]], Tag],
    enclosed: Callable[[Tag, str], str | None],
    words: Callable[[Tag], str],
) -> str:
    """The text with each tag replaced in one pass; `enclosed` may take a whole pair with what stands between."""
    matches = list(pattern.finditer(text))
    tags = [tag_of(match) for match in matches]
    closers: dict[str, list[int]] = defaultdict(list)
    for index, tag in enumerate(tags):
        if tag.closing:
            closers[tag.name].append(index)
    out: list[str] = []
    done, index = 0, 0
    while index < len(matches):
        tag, match = tags[index], matches[index]
        out.append(text[done : match.start()])
        done = match.end()
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        places = closers.get(tag.name, [])
        after = bisect_right(places, index)
        if not tag.closing and after < len(places):
            closer = matches[places[after]]
            taken = enclosed(tag, text[match.end() : closer.start()])
            if taken is not None:
                out.append(_indented(taken, line))
                done, index = closer.end(), places[after] + 1
                continue
        out.append(_indented(words(tag), line))
        index += 1
    out.append(text[done:])
    return "".join(out)


def _indented(words: str, line: str) -> str:
    """What a tag becomes, as far to the right as the tag stood: in a list it stays in its item."""
    if line.strip() or "\n" not in words:
        return words
    apart = f"\n{line}" if words.startswith("\n\n") else ""
    return apart + words.lstrip("\n").replace("\n", f"\n{line}")


def name_and_rest(inside: str) -> tuple[str, str]:
    """A tag's name and what follows it, whatever blanks stand between."""
    name, *rest = inside.split(None, 1) or ("",)
    return name, rest[0] if rest else ""


def arguments_of(source: str) -> tuple[dict[str, str], tuple[str, ...]]:
    named: dict[str, str] = {}
    placed: list[str] = []
    for match in _ARGUMENT.finditer(source, 0, 3000):
        values = [part for part in match.groups()[1:5] if part is not None] if match[1] else []
        if match[1]:
            named.setdefault(match[1].lower(), _unescaped(values[0]))
        else:
            placed.append(_unescaped(next(part for part in match.groups()[5:] if part is not None)))
    return named, tuple(placed)


def _unescaped(value: str) -> str:
    """The value in one line, without the backslashes that guarded its quotes."""
    value = " ".join(value.split())
    return re.sub(r"\\(.)", r"\1", value) if "\\" in value else value

"""Template tags -> the words in them: Hugo, Jekyll and Liquid, Jinja, Go templates, mustaches. Nothing is run or included.

Not HTML and not the Markdown dialects of documentation sites. Code has been put into the vault before.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.corpus.readers.labels import STYLES, note_label, tab_label
from app.corpus.readers.vault import FENCE, Vault

UNKNOWN_OPEN, UNKNOWN_CLOSE = "\ue004", "\ue005"  # a variable whose value nobody here knows: its name stands between
UNKNOWN = re.compile(f"{UNKNOWN_OPEN}([^{UNKNOWN_CLOSE}]*){UNKNOWN_CLOSE}")

_HUGO = re.compile(r"\{\{([<%])((?:[^{}]|\{(?!\{)|\}(?!\})){0,3000}?)[>%]\}\}")
_HUGO_ESCAPED = re.compile(r"\{\{([<%])\s*/\*(.{0,300}?)\*/\s*([>%])\}\}")
_LIQUID = re.compile(r"\{%-?\s*((?:[^%{}]|%(?!\})|\{(?!%)|\}){0,3000}?)-?%\}")
_MUSTACHE = re.compile(r"\{\{\{?-?\s*((?:[^{}\n]|\{(?!\{)|\}(?!\})){0,500}?)\s*-?\}\}\}?")
_GO_FLOW = re.compile(r"\{\{-?\s*(?:range|end|define)\b")
_GO_RAW = re.compile(r"\{\{raw\s+(?:`([^`]*)`|\"([^\"\n]*)\")\s*\}\}")
_GO_QUOTE = re.compile(r"\{\{(?:backgroundquote|pullquote)\s+`([^`]*)`\s*\}\}")
_JINJA_COMMENT = re.compile(r"\{#(?!\w[\w-]*\})[^{}]{0,2000}#\}")
_INSTRUCTION = re.compile(r"^[ \t]*<\?[^>\n]{0,1000}\?>[ \t]*\n|<\?[^>\n]{0,1000}\?>", re.MULTILINE)
_ARGUMENT = re.compile(
    r"([\w-]+)\s*[=:]\s*(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|([^\s,\"'`]+))|\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|([^\s,=]+)"
)
_SIMPLE_NAME = re.compile(r"[A-Za-z][\w-]*(?:\.[\w-]+)*")
_CODE_VALUE = re.compile(r"\{\{[<%]\s*(?:param|skew|latest-version|version)\s+\"?([\w.-]+)\"?[^{}>%\n]{0,100}[>%]\}\}")
_CODE_VERBATIM = re.compile(r"\{%-?\s*(?:end)?(?:raw|verbatim)\s*-?%\}|\{\{\s*'</?[a-z]+>'\s*\}\}")

_WITHOUT_TEXT = frozenset(("comment", "capture", "style", "script", "schema"))
_CODE = {"mermaid": "mermaid", "highlight": "", "plantuml": "plantuml", "codeblock": "", "code": ""}
_CONTROL = frozenset(
    (
        "if",
        "else",
        "end",
        "range",
        "with",
        "define",
        "template",
        "block",
        "code",
        "play",
        "image",
        "video",
        "/*",
        "partial",
        "include",
    )
)
_HEADINGS = {
    "whatsnext": "What's next", "prerequisites": "Before you begin", "objectives": "Objectives", "cleanup": "Clean up",
    "synopsis": "Synopsis", "options": "Options", "parentoptions": "Options inherited from parent commands", "seealso": "See also",
    "examples": "Examples", "envvars": "Environment variables",
}  # fmt: skip


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


def strip_templates(text: str, vault: Vault) -> str:
    """The text without template tags: labels for notes and tabs, values for variables that the page itself sets."""
    if "{" not in text and "<?" not in text:
        return text
    text = _INSTRUCTION.sub("", text) if "<?" in text else text
    text = _JINJA_COMMENT.sub("", text) if "{#" in text else text
    if "{{" in text or "{%" in text:
        text = _hugo(text, vault)
        text, values = _liquid(text, vault)
        is_template = _GO_FLOW.search(text) is not None
        text = _MUSTACHE.sub(lambda match: _mustache(match, values, drop=is_template), text)
    vault.map_code(_CODE_VALUE, r"{\1}")
    vault.map_code(_HUGO_ESCAPED, r"{{\1\2\3}}")
    vault.map_code(_CODE_VERBATIM, "")
    return text


def strip_go_raw(text: str) -> str:
    """The text with Go's `{{raw …}}` opened, before code is hidden: its backticks are no code marks."""
    if "{{raw" in text:
        text = _GO_RAW.sub(lambda match: match[1] if match[1] is not None else match[2], text)
    return _GO_QUOTE.sub(_quoted, text) if "quote " in text else text


def settle_unknown(text: str) -> str:
    """The text with the names of variables that stayed unknown."""
    return UNKNOWN.sub(r"\1", text) if UNKNOWN_OPEN in text else text


def _quoted(match: re.Match[str]) -> str:
    fields = dict(
        re.findall(r"^\s*(author|title|company|quote):[ \t]*(?:\|\s*\n)?[ \t]*([^\n]*)", match[1], re.MULTILINE)
    )
    says = ", ".join(fields[key] for key in ("author", "title", "company") if fields.get(key))
    return f"\n\n> {fields['quote']} ({says})\n\n" if fields.get("quote") else ""


# --- Hugo ------------------------------------------------------------------------------------------------------------


def _hugo(text: str, vault: Vault) -> str:
    if "{{<" not in text and "{{%" not in text:
        return text
    text = _HUGO_ESCAPED.sub(lambda match: vault.span(f"`{{{{{match[1]}{match[2]}{match[3]}}}}}`"), text)
    panes: list[bool] = []  # open tab panes: whether their tabs hold Markdown

    def tag_of(match: re.Match[str]) -> Tag:
        inside = match[2].strip()
        closing = inside.startswith("/")
        name, _, rest = inside.lstrip("/ ").partition(" ")
        named, placed = _arguments(rest.rstrip("/ "))
        return Tag(name.rstrip("/").lower(), named, placed, closing, raw=match[1] == "<")

    def enclosed(tag: Tag, inner: str) -> str | None:
        if tag.name in _WITHOUT_TEXT:
            return ""
        if tag.name in _CODE:
            return "\n\n" + vault.fence(vault.raw(inner), _CODE[tag.name] or tag.first("lang", "language")) + "\n\n"
        if tag.name == "tab" and tag.raw and (tag.named.get("codelang") or (panes and not panes[-1])):
            language = tag.named.get("codelang") or tag.named.get("lang") or (tag.placed[-1] if tag.placed else "")
            label = tab_label(tag.first("name", "header"))
            return f"\n\n{label}\n\n" + vault.fence(vault.raw(inner), language.lower()) + "\n\n"
        return None

    def words(tag: Tag) -> str:
        if tag.name == "tabpane":
            if tag.closing:
                panes[-1:] = []
            else:
                panes.append(tag.named.get("text", "").lower() == "true" or not tag.raw)
            return ""
        return _hugo_words(tag)

    return _replace(text, _HUGO, tag_of, enclosed, words)


def _hugo_words(tag: Tag) -> str:  # noqa: C901, PLR0911, PLR0912 - a table of names, told in order
    if tag.closing:
        return ""
    match tag.name:
        case "tab" | "details" | "accordion":
            label = tab_label(tag.first("name", "header", "title", "summary"))
            return f"\n\n{label}\n\n" if label else ""
        case "heading":
            heading = tag.first("name")
            return _HEADINGS.get(heading.lower(), heading)
        case "glossary_tooltip":
            return tag.named.get("text") or tag.first("term_id").replace("-", " ")
        case "ref" | "relref" | "rel-ref":
            return _source_path(tag.first("path"))
        case "feature-state":
            said = " ".join(tag.named[key] for key in ("for_k8s_version", "state") if key in tag.named) or tag.first(
                "name"
            )
            return f"**Feature state:** {said}" if said else ""
        case "codenew" | "code_sample" | "codefile" | "example" | "readfile" | "code_file":
            named = tag.first("file", "path")
            return f"`{named}`" if named and "`" not in named else ""
        case "figure" | "img" | "imgproc":
            return tag.named.get("caption") or tag.named.get("title") or tag.named.get("alt") or ""
        case "table":
            return f"{tag.named['caption']}\n" if tag.named.get("caption") else ""
        case "param" | "skew" | "latest-version" | "version" | "latest-semver" | "latest-release":
            return f"{UNKNOWN_OPEN}{{{tag.first('name') or tag.name}}}{UNKNOWN_CLOSE}"
        case "link" | "button" | "api-reference" | "cardlink":
            return tag.named.get("text") or tag.named.get("title") or ""
        case "config_option" | "configoption":
            return f"`{tag.first('name')}`" if tag.first("name") else ""
        case "spec_status":
            return ""
        case name if name in STYLES:
            label = note_label(tag.named.get("color", name) if name == "alert" else name, tag.named.get("title", ""))
            return label + "\n"
        case _:
            return ""


def _source_path(reference: str) -> str:
    """Hugo's reference to another page: its source file's path, as a link would give it."""
    path, mark, fragment = reference.partition("#")
    relative = path and not path.startswith("/") and "." not in path.rpartition("/")[2]
    return (path + ".md" if relative else path) + mark + fragment


# --- Liquid and Jinja -------------------------------------------------------------------------------------------------


def _liquid(text: str, vault: Vault) -> tuple[str, dict[str, str]]:
    values: dict[str, str] = {}
    if "{%" not in text:
        return text, values

    def tag_of(match: re.Match[str]) -> Tag:
        name, _, rest = match[1].strip().partition(" ")
        name = name.strip("\n\t'\"")
        closing = name.startswith("end") and len(name) > 3
        named, placed = _arguments(rest)
        if name in ("assign", "setvar"):
            _learn(values, name, rest)
        blocks = tuple(block[0] for block in FENCE.finditer(rest))
        return Tag((name[3:] if closing else name).lower(), named, placed, closing, blocks=blocks)

    def kept(match: re.Match[str]) -> str:
        return vault.span(match[0])

    def enclosed(tag: Tag, inner: str) -> str | None:
        if tag.name in ("raw", "verbatim"):
            return _LIQUID.sub(kept, _MUSTACHE.sub(kept, inner))
        if tag.name in _WITHOUT_TEXT or tag.name == "setvar":
            return ""
        if tag.name == "highlight":
            return "\n\n" + vault.fence(vault.raw(inner), tag.first()) + "\n\n"
        return None

    return _replace(text, _LIQUID, tag_of, enclosed, _liquid_words), values


def _liquid_words(tag: Tag) -> str:
    if tag.closing:
        return "\n\n" if tag.name in ("aside", "compare", "banner", "details", "tab", "blockquote") else ""
    match tag.name:
        case "tab":
            return f"\n\n{tab_label(tag.first('name'))}\n\n"
        case "aside" | "banner" | "callout" | "alert":
            return f"\n\n{note_label(tag.first('type') or 'note') or note_label('note')}\n"
        case "compare":
            return f"\n\n{note_label('', tag.placed[1] if len(tag.placed) > 1 else tag.first())}\n"
        case "img" | "image" | "figure":
            return tag.named.get("alt", "")
        case _:
            said = [words for words in (tag.named.get("caption"), *tag.blocks) if words]
            return "\n\n".join(("", *said, "")) if said else ""


def _learn(values: dict[str, str], name: str, rest: str) -> None:
    """A variable that the page sets to a plain text is known from there on."""
    pattern = (
        r"\s*([\w-]+)\s*=\s*([\"'])([^\"'|]*)\2\s*" if name == "assign" else r"\s*([\w-]+)\s+([\"'])([^\"'|]*)\2\s*"
    )
    if (match := re.fullmatch(pattern, rest)) and "<" not in match[3]:
        values[match[1]] = match[3]


def _mustache(match: re.Match[str], values: Mapping[str, str], *, drop: bool) -> str:
    inside = match[1]
    if len(inside) > 1 and inside[0] in "\"'" and inside[-1] == inside[0]:
        return inside[1:-1]
    if inside.startswith(("#", "/", "^", "!", ">")):
        return ""
    first = inside.split(" ", 1)[0]
    if first in _CONTROL or inside.startswith("$ "):
        return ""
    name = inside.partition("|")[0].strip()
    if name in values:
        return values[name]
    if _SIMPLE_NAME.fullmatch(name):
        return f"{UNKNOWN_OPEN}{name.rpartition('.')[2]}{UNKNOWN_CLOSE}"
    return "" if drop else match[0]  # a page about templates shows one


# --- what they share --------------------------------------------------------------------------------------------------


def _replace(
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
        places = closers.get(tag.name, [])
        after = bisect_right(places, index)
        if not tag.closing and after < len(places):
            closer = matches[places[after]]
            taken = enclosed(tag, text[match.end() : closer.start()])
            if taken is not None:
                out.append(taken)
                done, index = closer.end(), places[after] + 1
                continue
        out.append(words(tag))
        index += 1
    out.append(text[done:])
    return "".join(out)


def _arguments(source: str) -> tuple[dict[str, str], tuple[str, ...]]:
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
    return re.sub(r"\\(.)", r"\1", value) if "\\" in value else value

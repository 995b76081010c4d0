"""Template tags -> the words in them: Hugo, Jekyll and Liquid, Jinja, Go templates, mustaches. Nothing is run.

Not HTML and not the Markdown dialects of documentation sites. Code has been put into the vault before.
"""

import re
from collections.abc import Mapping

from app.corpus.readers.labels import note_label, tab_label
from app.corpus.readers.shortcodes import shortcode_words
from app.corpus.readers.template_tags import (
    UNKNOWN,
    UNKNOWN_CLOSE,
    UNKNOWN_OPEN,
    Tag,
    arguments_of,
    name_and_rest,
    replace_tags,
)
from app.corpus.readers.vault import FENCE, Vault

_HUGO = re.compile(r"\{\{([<%])((?:[^{}]|\{(?!\{)|\}(?!\})){0,3000}?)[>%]\}\}")
_HUGO_ESCAPED = re.compile(r"\{\{([<%])\s*/\*(.{0,300}?)\*/\s*([>%])\}\}")
_LIQUID = re.compile(r"\{%-?\s*((?:[^%{}]|%(?!\})|\{(?!%)|\}){0,3000}?)-?%\}")
_HIGHLIGHT = re.compile(
    r"\{%-?\s*highlight\s+([\w+#-]{1,40})[^%{}]{0,200}%\}((?:[^{]|\{(?!%-?\s*endhighlight)){0,50000}?)"
    r"\{%-?\s*endhighlight\s*-?%\}"
)
_MUSTACHE = re.compile(r"\{\{\{?-?\s*((?:[^{}\n]|\{(?!\{)|\}(?!\})){0,500}?)\s*-?\}\}\}?")
_GO_FLOW = re.compile(r"\{\{-?\s*(?:range|end|define)\b")
_GO_RAW = re.compile(r"\{\{raw\s+(?:`([^`]*)`|\"([^\"\n]*)\")\s*\}\}")
_GO_QUOTE = re.compile(r"\{\{(?:backgroundquote|pullquote)\s+`([^`]*)`\s*\}\}")
_JINJA_COMMENT = re.compile(r"\{#(?!\w[\w-]*\})[^{}]{0,2000}#\}")
_INSTRUCTION = re.compile(r"^[ \t]*<\?[^>\n]{0,1000}\?>[ \t]*\n|<\?[^>\n]{0,1000}\?>", re.MULTILINE)
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


def hide_template_code(text: str, vault: Vault) -> str:
    """The text without Hugo's shortcodes and Liquid's `highlight`: their code goes into the vault while it is whole."""
    if "{{<" in text or "{{%" in text:
        text = _hugo(text, vault)
    if "highlight" not in text:
        return text

    def code(match: re.Match[str]) -> str:
        return f"\n\n{vault.fence(vault.raw(match[2]), match[1])}\n\n"

    return _HIGHLIGHT.sub(code, text)


def strip_templates(text: str, vault: Vault) -> str:
    """The text without the other template tags: labels for notes and tabs, values that the page itself sets."""
    vault.map_code(_CODE_VALUE, r"{\1}")
    vault.map_code(_HUGO_ESCAPED, r"{{\1\2\3}}")
    vault.map_code(_CODE_VERBATIM, "")
    if "{" not in text and "<?" not in text:
        return text
    text = _INSTRUCTION.sub("", text) if "<?" in text else text
    text = _JINJA_COMMENT.sub("", text) if "{#" in text else text
    if "{{" in text or "{%" in text:
        text, values = _liquid(text, vault)
        is_template = _GO_FLOW.search(text) is not None
        text = _MUSTACHE.sub(lambda match: _mustache(match, values, drop=is_template), text)
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
    text = _HUGO_ESCAPED.sub(lambda match: vault.span(f"`{{{{{match[1]}{match[2]}{match[3]}}}}}`"), text)
    panes: list[bool] = []  # open tab panes: whether their tabs hold Markdown

    def tag_of(match: re.Match[str]) -> Tag:
        inside = match[2].strip()
        closing = inside.startswith("/")
        name, rest = name_and_rest(inside.lstrip("/ "))
        named, placed = arguments_of(rest.rstrip("/ "))
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
        return shortcode_words(tag)

    return replace_tags(text, _HUGO, tag_of, enclosed, words)


# --- Liquid and Jinja -------------------------------------------------------------------------------------------------


def _liquid(text: str, vault: Vault) -> tuple[str, dict[str, str]]:
    values: dict[str, str] = {}
    if "{%" not in text:
        return text, values

    def tag_of(match: re.Match[str]) -> Tag:
        name, rest = name_and_rest(match[1])
        name = name.strip("\n\t'\"")
        closing = name.startswith("end") and len(name) > 3
        named, placed = arguments_of(rest)
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
        return None

    return replace_tags(text, _LIQUID, tag_of, enclosed, _liquid_words), values


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

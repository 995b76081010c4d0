"""What the elements of HTML mean to a reader of documentation, as tables. Not the parsing of HTML."""

VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
# Never words of the page.
DROPPED = frozenset((
    "script", "style", "template", "svg", "iframe", "object", "embed", "audio", "video", "canvas", "map",
    "noscript", "select", "textarea", "head", "button", "dialog", "input", "link", "meta", "base", "source",
    "track", "param", "area", "frame", "frameset", "applet", "datalist", "progress", "meter",
))  # fmt: skip
BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p",
    "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    "caption", "col", "colgroup", "video", "iframe", "script", "style", "noscript", "template", "svg",
))  # fmt: skip
INLINE = frozenset((
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "label", "mark", "math", "mtext", "nobr", "output", "picture", "q", "rp", "rt",
    "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    "button", "input", "select", "object", "source", "link", "meta", "title", "textarea", "canvas", "map",
    "audio", "embed", "track", "progress", "meter", "area", "base", "slot", "head",
))  # fmt: skip
KNOWN = BLOCKS | INLINE
CLOSED_BY_THE_NEXT = frozenset(("p", "li", "td", "th", "tr", "dt", "dd", "tbody", "thead", "tfoot", "option", "div"))
MARKS = {
    "b": "**",
    "strong": "**",
    "i": "*",
    "em": "*",
    "cite": "*",
    "dfn": "*",
    "del": "~~",
    "s": "~~",
    "strike": "~~",
}
CODE = frozenset(("code", "kbd", "samp", "tt"))
HIDING_STYLES = ("display:none", "visibility:hidden", "font-size:0;", "opacity:0;")
HIDING_CLASSES = frozenset(
    ("visually-hidden", "sr-only", "screen-reader-text", "screen-reader-only", "d-none", "hidden-text")
)


def is_hidden(attributes: dict[str, str | None]) -> bool:
    """Whether a reader would not see the element: words for search engines or machines, not for people."""
    if "hidden" in attributes:
        return True
    style = (attributes.get("style") or "").lower().replace(" ", "") + ";"
    if any(hiding in style for hiding in HIDING_STYLES):
        return True
    return not HIDING_CLASSES.isdisjoint((attributes.get("class") or "").lower().split())

"""The last gate before a page: foreign text as plain characters, foreign HTML through a short allow-list.

It does not parse Markdown and knows nothing of citations: those are set into what has passed here.
"""

import re

import nh3

FIRST_SIGN, LAST_SIGN = 0x10F000, 0x10FFFD  # private use: stands for our own marks while HTML is made
BLANK_SIGN = "\u2000"  # a blank of our own beside a sign; EN QUAD and EN SPACE are canonically equal
COPY_BUTTON = "copy-button"  # the custom element of static/js: empty, hence nothing, without scripts

_CONTROLS = r"\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"
_NO_CHARACTERS = re.compile(f"[{_CONTROLS}\ud800-\udfff{chr(FIRST_SIGN)}-{chr(LAST_SIGN)}]")
_ODD_BLANKS = str.maketrans({BLANK_SIGN: "\u2002", "\x0c": " ", "\x85": " ", "\u2028": " ", "\u2029": " "})

_SIGNS = re.compile(f"[{chr(FIRST_SIGN)}-{chr(LAST_SIGN)}{BLANK_SIGN}]")

TOKEN_CLASSES = frozenset({"c", "k", "nt", "s", "m"})  # what highlighting tells apart

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TEXT_BLOCKS = ("p", "li", "td", "th", *_HEADINGS)
_CLEANER = nh3.Cleaner(
    tags={
        *_TEXT_BLOCKS,
        *("br", "hr", "em", "strong", "s", "code", "pre", "ul", "ol", "blockquote", "a", "span"),
        *("table", "thead", "tbody", "tr", "div", "figure", "figcaption", COPY_BUTTON),
    },
    clean_content_tags={"script", "style"},
    attributes={
        **{tag: {"id"} for tag in _HEADINGS},
        "a": {"href"},
        "ol": {"start"},
        "pre": {"aria-label"},
        "div": {"aria-label", "id"},
        "figure": {"id"},
        "span": {"id"},
    },
    tag_attribute_values={
        **{tag: {"dir": {"auto"}} for tag in _TEXT_BLOCKS},
        "th": {"dir": {"auto"}, "scope": {"col"}},
        "pre": {"tabindex": {"0"}, "role": {"region"}},
        "div": {"tabindex": {"0"}, "role": {"region"}},
        "a": {"target": {"_blank"}},
    },
    allowed_classes={
        "span": set(TOKEN_CLASSES),
        "figure": {"code", "cited"},
        "div": {"scroll", "cited"},
        **{tag: {"cited", "part", "refs"} for tag in (*_TEXT_BLOCKS, "tr")},
    },
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer",
)


def characters(text: str) -> str:
    """Foreign text with every sign that is no readable character (controls, halves of pairs, our own signs) replaced.

    One for one, so that offsets stay true.
    """
    return _NO_CHARACTERS.sub("\ufffd", text).translate(_ODD_BLANKS)


def without_signs(text: str) -> str:
    """Text that is read where no mark of ours can stand: labels, outlines."""
    return _SIGNS.sub("", text)


def sanitised(html: str) -> str:
    """Only the elements, attributes, classes and addresses that our own rendering makes."""
    return _CLEANER.clean(html)

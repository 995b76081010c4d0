"""Which addresses a reader may follow from foreign text, and how an address names a passage. No HTML."""

import re
from urllib.parse import quote, urljoin, urlsplit

WEB = frozenset({"http", "https"})
ADDRESS_LIMIT = 4_000
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\\]")
_REPLACED = "%EF%BF%BD"  # what was no character has been replaced: this is not the address that was written
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def followable(href: str, base: str = "") -> str | None:
    """The absolute http, https or mailto address that a link of a document at `base` leads to, or None.

    Not followable: other schemes, addresses with a user name (it reads like a host), with hidden characters or
    backslashes (browsers read them as slashes), and relative ones whose base is unknown.
    """
    if not href or len(href) > ADDRESS_LIMIT or _UNSEEN.search(href) or _REPLACED in href.upper():
        return None
    if href[:7].lower() == "mailto:":
        return href if "@" in href and not href[7:].startswith("//") else None
    try:
        absolute = href if _SCHEME.match(href) else urljoin(base, href)
        parts = urlsplit(absolute)
        is_web = parts.scheme.lower() in WEB and parts.hostname and (parts.port is None or parts.port)
    except ValueError:  # brackets that are no IPv6 address, a port that is no number
        return None
    return absolute if is_web and "@" not in parts.netloc and "%" not in parts.netloc else None


def text_directive(uri: str, first: str, last: str = "") -> str:
    """The address with a text fragment from `first` to `last`; its own fragment stays in front of it.

    Form: https://wicg.github.io/scroll-to-text-fragment/ (dash, comma and ampersand have a meaning there).
    """
    if ":~:" in uri:
        return uri
    words = ",".join(quote(part, safe="").replace("-", "%2D") for part in (first, last) if part)
    return f"{uri}{'' if '#' in uri else '#'}:~:text={words}"

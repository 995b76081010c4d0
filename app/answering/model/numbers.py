"""The numbers within brackets that cite: "1", "1, 2", "1-3", "^1", "source 1", "1†L3". No text around them is known."""

import re

OPENING = "[【［"
_BRACKETS = re.compile(r"[\[\]【】［］]+")
_LABEL = r"(?:(?:sources?|passages?|documents?|docs?|refs?|references?|quellen?|kaynak(?:lar)?)\s*[:#]?\s*)?"
_ITEM = r"[\^#]?(\d{1,3})(?:\s*[-–—]\s*[\^#]?(\d{1,3}))?"
_BETWEEN = r"(?:[\s,;/&、，]|\band\b|\bund\b|\bve\b)+"
_NUMBERS = re.compile(rf"{_LABEL}{_ITEM}(?:{_BETWEEN}{_LABEL}{_ITEM})*", re.IGNORECASE)
_ONE = re.compile(_ITEM)


def numbers_of(content: str, known: int) -> tuple[int, ...] | None:
    """The numbers up to `known` that the content of brackets gives, each once; None where it is no citation."""
    inner = _BRACKETS.sub(",", content).strip(" ,").partition("†")[0]
    if _NUMBERS.fullmatch(inner) is None:
        return None
    found: list[int] = []
    for first, last in _ONE.findall(inner):
        low, high = int(first), int(last or first)
        found += range(max(low, 1), min(high, known) + 1) if low <= high else (high, low)
    return tuple(dict.fromkeys(number for number in found if 1 <= number <= known))

"""Which words of a question are likely names: products, types, acronyms. Not whether the documents know them."""

import re

from app.answering.words import language_of

_INNER_CAPITAL = re.compile(r"\b(?:[A-Z][a-z]+[A-Z]\w*|[a-z]+[A-Z]\w*|[A-Z]{2,}\w*)\b")
_CAPITAL = re.compile(r"\b[A-Z][a-z]{2,}\b")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)\W*\w+")


def names_in(text: str) -> tuple[str, ...]:
    """Words with capitals inside; in English also those with one in mid-sentence (German writes all nouns so)."""
    found = [match.group() for match in _INNER_CAPITAL.finditer(text)]
    if language_of(text) == "en":
        starts = {match.end() for match in _SENTENCE_START.finditer(text)}
        found += [match.group() for match in _CAPITAL.finditer(text) if match.end() not in starts]
    return tuple(dict.fromkeys(found))

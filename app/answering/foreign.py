"""What of a document's words is not for readers: orders to a machine, and marks that look like our citations.

Documents are data; nothing in them is obeyed. Where no model writes, all that is left to do is not to repeat it.
"""

import re

# Only what speaks to a model and to nobody else. A page about prompts may say "system prompt"; its examples stand in
# code blocks, which are never looked at here.
_ORDERS = re.compile(
    r"<\|[a-z_]{2,20}\|>"
    r"|\[/?INST\]"
    r"|^</?(?:context|document|documents|system|instructions?)>\s*$"
    r"|\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+)?(?:the\s+|your\s+)?(?:previous|prior|above|earlier|former)"
    r"\s+(?:instructions?|rules?|prompts?|orders?)\b"
    r"|^(?:human|user):.*\n+(?:assistant|ai):",
    re.IGNORECASE | re.MULTILINE,
)
# "[7]", "[7][99]", "[Source 2]", "【3†source】" behind a word; not "argv[1]", not a link, nor its definition.
_NUMBERS = r"(?:\[(?:source\s+)?\d{1,3}\])+(?![(\[:])"
_MARKS = re.compile(rf"[ \t]+{_NUMBERS}|(?<![\w`\]]){_NUMBERS}|[ \t]*【[^】\n]{{1,40}}】", re.IGNORECASE)
_FENCED = r"^[ \t]*(?:```|~~~)[\s\S]*?^[ \t]*(?:```|~~~)[ \t]*$"
_CODE = re.compile(rf"({_FENCED}|`+[^`]*`+)", re.MULTILINE)
_FENCE = re.compile(_FENCED, re.MULTILINE)
_SOURCES = re.compile(r"(?:\A|\n[ \t]*\n)\[\^?\d{1,3}\]:?[ \t]+\S")  # a paragraph "[1] https://…", "[^1]: A note"


def for_readers(text: str) -> bool:
    """Whether prose speaks to readers: it gives no orders to a language model and is no list of numbered sources.

    Fenced code is not looked at.
    """
    prose = _FENCE.sub("", text)
    return not _ORDERS.search(prose) and not _SOURCES.search(prose)


def without_marks(text: str) -> str:
    """Prose without marks that could be taken for ours; code keeps its brackets."""
    return "".join(piece if place % 2 else _MARKS.sub("", piece) for place, piece in enumerate(_CODE.split(text)))

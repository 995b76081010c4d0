"""Bytes -> clean text: encodings, binary files, characters that must not be stored. Not the text's format."""

import re

from app.corpus.readers.draft import Unreadable

BINARY_STARTS = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"%PDF",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x7fELF",
    b"\x28\xb5\x2f\xfd",
    b"BZh",
    b"\xca\xfe\xba\xbe",
    b"SQLite format 3",
)
PROBE = 65_536  # bytes that decide whether a file is binary
ODD_SHARE = 0.1  # more control bytes than this: no text

_ODD = bytes(set(range(32)) - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"']?\s*([\w-]{2,40})", re.IGNORECASE)
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Escape sequences of terminals; then control characters, private use (the readers keep it for themselves), marks that
# reorder text or are never seen (security: text that hides from the eye), language tags, soft hyphens.
_REMOVED = re.compile(
    "\x1b\\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f"
    "\ue000-\uf8ff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\U000f0000-\U0010ffff]"
)
_JOINERS = re.compile("(.?)[\u200c\u200d]", re.DOTALL)
_FIRST_JOINING = "\u0600"  # Arabic and later scripts, emoji: there a joiner belongs to the spelling


def decode(data: bytes, *, declared: bool = False) -> tuple[str, tuple[str, ...]]:
    """The text with LF line ends and without unwanted characters, and warnings. Raises Unreadable for binary data.

    `declared`: an HTML page may name its encoding in itself; it is heeded where the bytes are no UTF-8.
    """
    text, warnings = _characters(data, declared)
    return clean(text), warnings


def clean(text: str) -> str:
    """The text without control, private-use, reordering and hidden characters; every line ends in LF."""
    text = _LINE_ENDS.sub("\n", text)
    text = _REMOVED.sub("", text)
    if "\u200d" in text or "\u200c" in text:
        text = _JOINERS.sub(lambda match: match[0] if match[1] >= _FIRST_JOINING else match[1], text)
    return text.encode("utf-8", "replace").decode() if _has_surrogates(text) else text


def _characters(data: bytes, declared: bool) -> tuple[str, tuple[str, ...]]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
        return text, _warned(text)
    probe = data[:PROBE]
    if data.startswith(BINARY_STARTS) or _odd_share(probe) > ODD_SHARE:
        raise Unreadable("This is a binary file, not text.")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        named = _META_CHARSET.search(data[:2048]) if declared else None
    if named:
        try:
            return data.decode(named[1].decode("ascii")), ()
        except (LookupError, UnicodeError):
            pass  # an unknown or wrong name: read as UTF-8, with the warning below
    text = data.decode("utf-8", "replace")
    return text, _warned(text)


def _warned(text: str) -> tuple[str, ...]:
    bad = text.count("\ufffd")
    return (f"{bad} bytes or characters are not valid in the file's encoding and were replaced.",) if bad else ()


def _odd_share(probe: bytes) -> float:
    return 1 - len(probe.translate(None, _ODD)) / len(probe) if probe else 0.0


def _has_surrogates(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False

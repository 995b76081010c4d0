"""An answer's pieces: what gets a footnote of its own, and what claims nothing. Not what supports them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.answering.attribution.wording import plain
from app.answering.blocks import Block, BlockKind, blocks_of, sentences_of

FEWEST_WORDS = 3  # less claims nothing, unless it holds a number or code

_MARK = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_WORDS = re.compile(r"\w+")
_EMPTY = re.compile(
    r"(?:(?:sure|certainly|of course|hello|hi|thanks?|thank you|great|okay|ok|yes|no|note|tip"
    r"|important|summary|in summary"
    r"|example|for example|see also|sources?"
    r"|references?)\b[\s,.!:]*){1,3}$"
    r"|(?:i )?hope (?:this|that) helps|let me know|feel free|happy to help|good luck|here(?:'s| is| are)\b[^.]*[.:]$"
    r"|(?:below|above|the following) (?:is|are)\b[^.]*:$"
    r"|(?:for|to learn|to find)(?: out)? (?:more|further|additional)?\s*(?:information|details|more)\b"
    r"|see (?:also )?(?:the )?[^.]{0,80}(?:documentation|docs|guide|page|section|below|above)[^.]*\.?$"
    r"|(?:based on|according to) the (?:provided|given)\b[^,.]{0,60}[:,.]?$"
    r"|(?:the|these|those) (?:provided |given |available |retrieved )?(?:documents?|documentation|pages?|passages?"
    r"|sources?|context)"
    r" (?:do|does|did)(?:es)?(?: not|n't) (?:say|mention|contain|cover|describe|explain|provide"
    r"|specify|state|tell|include|answer)"
    r"|(?:this|it|that) (?:is|was) not (?:mentioned|covered|described|stated|specified) in",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]` of an answer: a sentence, a row, code. `claims`: it says something that needs a source."""

    start: int
    end: int
    kind: BlockKind
    claims: bool
    lead: str = ""


def pieces_of(text: str) -> Iterator[Piece]:
    """The pieces of an answer in reading order; between them lie blanks, list marks and table heads."""
    for block in blocks_of(text):
        match block.kind:
            case BlockKind.RULE:
                pass
            case BlockKind.HEADING:
                yield Piece(block.start, block.end, block.kind, claims=False)
            case BlockKind.CODE | BlockKind.ROW:
                yield Piece(block.start, block.end, block.kind, _has_words(text[block.start : block.end]), block.lead)
            case _:
                yield from _sentences(text, block)


def _sentences(text: str, block: Block) -> Iterator[Piece]:
    """The sentences of a paragraph or an item; code inside an item is a piece of its own."""
    words = text[block.start : block.end]
    fences = [match.span() for match in _FENCE.finditer(words)]
    at = 0
    for start, end in [*fences, (len(words), len(words))]:
        for first, last in sentences_of(words[at:start]):
            begin, stop = block.start + at + first, block.start + at + last
            for one, other in _lines(text, begin, stop):
                yield Piece(one, other, block.kind, claims_something(text[one:other]))
        if end > start:
            yield Piece(block.start + start, block.start + end, BlockKind.CODE, _has_words(words[start:end]))
        at = end


_FENCE = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*(?P=fence)[ \t]*$|\Z)", re.MULTILINE)
_INNER_ITEM = re.compile(r"\n[ \t]*(?=(?:[-*+]|\d{1,9}[.)])[ \t])")


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence without a full stop that goes on with an inner list is cut at its items."""
    at = start
    for match in _INNER_ITEM.finditer(text, start, end):
        if match.start() > at:
            yield at, match.start()
        at = match.end()
    if at < end:
        yield at, end


def claims_something(piece: str) -> bool:
    """Whether a sentence, an item, a row or code says anything that needs a source."""
    bare = piece.strip()
    if not bare or bare.startswith("#"):
        return False
    if bare.startswith(("```", "~~~")):
        return _has_words(bare)
    words = plain(bare[_MARK.match(bare).end() :] if _MARK.match(bare) else bare).strip(" *_>\n")  # type: ignore[union-attr]
    if words.endswith((":", "：", "?")) or not _has_words(words) or _EMPTY.match(words):
        return False
    coded = "`" in bare or any(letter.isdigit() for letter in words)
    return coded or len(_WORDS.findall(words)) >= FEWEST_WORDS


def _has_words(text: str) -> bool:
    return any(letter.isalnum() for letter in text)

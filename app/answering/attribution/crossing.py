"""Whether a sentence crosses what its passage pairs: "on Windows" with the folder for macOS. By places alone."""

from collections.abc import Sequence

from app.answering.attribution.places import Place
from app.answering.attribution.vocabulary import FRAMING
from app.answering.attribution.wording import Token, Wording
from app.answering.blocks import BlockKind


def crosses(said: Wording, places: Sequence[Place]) -> bool:
    """Whether names that the sentence joins stand apart there, with names between them that it leaves out."""
    return _mixes_records(said, places) or any(_crosses(said, place.wording) for place in places)


def _mixes_records(said: Wording, places: Sequence[Place]) -> bool:
    """Whether an item or a row about another name lends a word to the sentence that no other one has."""
    if len(places) < 2 or places[0].kind not in (BlockKind.ITEM, BlockKind.ROW):
        return False
    spoken = said.stems - FRAMING
    for block in {place.block for place in places}:
        own = [place.wording for place in places if place.block == block]
        names = [name for wording in own for name in wording.names]
        if not names or any(name in said.names for name in names):
            continue
        others = frozenset(stem for place in places if place.block != block for stem in place.wording.all_stems)
        lent = frozenset(stem for wording in own for stem in wording.stems) & spoken
        if others and lent - others - places[0].around:
            return True
    return False


def _crosses(said: Wording, there: Wording) -> bool:
    mine = {_mark(token) for token in said.tokens if _mark(token)}
    marks = [(at, _mark(token)) for at, token in enumerate(there.tokens) if _mark(token)]
    spoken = [mark for mark in marks if mark[1] in mine]
    rivals = [at for at, mark in marks if mark not in mine]
    if len({mark for _, mark in spoken}) < 2 or len(rivals) < 2:
        return False
    for one in {mark for _, mark in spoken}:
        for other in {mark for _, mark in spoken}:
            if one < other and _apart(one, other, spoken, rivals):
                return True
    return False


def _apart(one: str, other: str, spoken: Sequence[tuple[int, str]], rivals: Sequence[int]) -> bool:
    """Whether rivals stand between them: one that is nearer to the first, and a second one nearer to the other."""
    firsts = [at for at, mark in spoken if mark == one]
    seconds = [at for at, mark in spoken if mark == other]
    _, first, second = min((abs(a - b), a, b) for a in firsts for b in seconds)
    apart = abs(first - second)
    by_first = [at for at in rivals if abs(at - first) < apart and abs(at - first) < abs(at - second)]
    by_second = [at for at in rivals if abs(at - second) < apart and abs(at - second) < abs(at - first)]
    low, high = sorted((first, second))
    return bool(by_first and by_second) and any(low < at < high for at in rivals)


def _mark(token: Token) -> str:
    return token.name or (token.stem if token.proper else "")

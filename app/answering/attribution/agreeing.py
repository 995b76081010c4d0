"""Whether a passage says nothing else than a sentence: numbers and names; others judge negations and plain words.

How much of the sentence it says is not asked here.
"""

import re
from collections.abc import Callable, Sequence

from app.answering.attribution.crossing import crosses
from app.answering.attribution.negating import negations_agree, opposites_agree
from app.answering.attribution.places import Place
from app.answering.attribution.swapping import swaps
from app.answering.attribution.synonyms import CANONICAL, canonical
from app.answering.attribution.wording import STEMMER, Token, Wording, wording_of
from app.answering.blocks import BlockKind

Weigh = Callable[[str], float]
CLEARLY = 1.6  # times better: another number's surroundings must fit so much better to be the one that is meant


def agrees(said: Wording, places: Sequence[Place], weigh: Weigh) -> bool:
    """Whether nothing in the sentence contradicts the passage, which is these places in reading order."""
    return (
        _names_agree(said, places)
        and _numbers_agree(said, places, weigh)
        and negations_agree(said, places)
        and opposites_agree(said, places)
        and not swaps(said, places)
        and not crosses(said, places)
    )


# --- names -----------------------------------------------------------------------------------------------------------


def _names_agree(said: Wording, places: Sequence[Place]) -> bool:
    """Every identifier of the sentence stands in the passage, and not only beside another one that is spoken of."""
    for name in said.names:
        holding = [place for place in places if stands(name, place.wording.lower)]
        first = places[0]
        framed = stands(name, first.led_by.lower) or stands(name, first.section.wording.lower)
        if not holding and not framed:
            return False
        if len(places) > 1 and holding and not framed and not _meant(name, said, places, holding):
            return False
    proper = {token.raw: token for token in said.tokens if token.proper}
    for raw, token in proper.items():
        stem = token.stem
        if not any(
            (not _synonymous(raw) and (stem in place.wording.all_stems or stem in place.around))
            or stands(raw, place.wording.lower)
            for place in places
        ):
            return False
    return True


def _synonymous(raw: str) -> bool:
    """Whether the word goes by another one here, which no name does: "Cmd" is not "Command"."""
    return STEMMER.stemWord(raw) in CANONICAL and canonical(raw) != STEMMER.stemWord(raw)


def _meant(name: str, said: Wording, places: Sequence[Place], holding: Sequence[Place]) -> bool:
    """Whether the place that fits the name's clause best has the name, or stands behind it and names nothing else."""
    token = next(token for token in said.tokens if token.name == name)
    clause = said.near(token) - _stems(name)
    best = max(places, key=lambda place: (len(clause & place.wording.stems), place in holding))
    if best in holding or not clause & best.wording.stems:
        return True
    if best.kind in (BlockKind.ROW, BlockKind.ITEM):
        return False
    others = [other for other in best.wording.names if other not in said.names and other.strip("-") not in name]
    if all(place.kind is BlockKind.CODE for place in holding):
        return not any(
            set(place.wording.names) - set(said.names) for place in places if place.kind is not BlockKind.CODE
        )
    return not others and (holding[0].at < best.at or _stems(name) <= best.wording.stems)


def stands(name: str, text: str) -> bool:
    """Whether an identifier stands in the text as it is, or all its parts do where it is written with dots."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (_joins(before) and _joins(name[:1])) and not (_joins(after) and _joins(name[-1:])):
            return True
        at = text.find(name, at + 1)
    if name.isalpha() and name.endswith("s") and len(name) > 3:
        return stands(name[:-1], text)
    return False


def _joins(letter: str) -> bool:
    return bool(letter) and (letter.isalnum() or letter in "_-")


# --- numbers ---------------------------------------------------------------------------------------------------------


def _numbers_agree(said: Wording, places: Sequence[Place], weigh: Weigh) -> bool:
    for token in said.numbers:
        number = token.number
        if number is None:
            continue
        found = [(place, other) for place in places for other in place.wording.numbers if _same(token, other)]
        if not found:
            if any(_same(token, other) and not _soft(other) for w in _frames(places) for other in w.numbers):
                continue
            if number.soft and (number.value or 0) < 6 and not any(place.wording.numbers for place in places):
                continue
            return False
        if not _belongs(token, said, places, weigh):
            return False
    return True


def _frames(places: Sequence[Place]) -> list[Wording]:
    return [places[0].section.wording, places[0].led_by]


def _soft(token: Token) -> bool:
    return token.number is not None and token.number.soft


def _same(one: Token, other: Token) -> bool:
    return one.number is not None and other.number is not None and one.number.agrees(other.number)


def _belongs(token: Token, said: Wording, places: Sequence[Place], weigh: Weigh) -> bool:
    """Whether no other number of the passage stands in surroundings that fit the sentence's number clearly better."""
    wanted = said.near(token)
    if len(places) > 1 and places[0].kind is BlockKind.ROW:  # rows are records: what is said of one is not of another
        best = max(places, key=lambda place: len(wanted & place.wording.stems))
        if not any(_same(token, other) for other in best.wording.numbers):
            return False
    own = rival = 0.0
    for place in places:
        for other in place.wording.numbers:
            common = wanted & _surroundings(other, place)
            fit = sum(weigh(stem) for stem in common)
            if _same(token, other):
                own = max(own, fit)
            elif _alike(token, other):
                rival = max(rival, fit)
    return rival <= own * CLEARLY if own else rival <= 1.0


def _alike(token: Token, other: Token) -> bool:
    """Whether one may be taken for the other: both are of one kind."""
    one, two = token.number, other.number
    return one is not None and two is not None and one.kind == two.kind and not two.soft


def _surroundings(token: Token, place: Place) -> frozenset[str]:
    """The stems that stand with a number: its clause; in a row its cell and the head of its column, and the first."""
    near = place.wording.near(token)
    if place.kind is not BlockKind.ROW:
        return near
    cells, heads = _cells(place.text), _cells(place.lead.split("\n", 1)[0])
    for cell, head in zip(cells, heads, strict=False):
        if re.search(rf"(?<![\w.]){re.escape(token.raw)}(?![\w])", cell.casefold()):
            return near | frozenset(_stems(head)) | frozenset(_stems(cells[0]))
    return near


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _stems(text: str) -> frozenset[str]:
    return wording_of(text).stems

"""Whether a plain word of a sentence stands where its passage has another one. It knows no meanings beyond synonyms.

"Sent in HTTP cookies" where the passage says "sent in HTTP headers": most words agree, and the sentence is false.
A verb is let pass, where it is not the contrary: writers say "brings" for "introduces" all the time.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from app.answering.attribution.places import Place
from app.answering.attribution.synonyms import OPPOSITES
from app.answering.attribution.vocabulary import FRAMING
from app.answering.attribution.wording import Token, Wording, stems_of
from app.answering.blocks import BlockKind

AUXILIARIES = frozenset(
    """to can cannot could will would shall should must may might do does did not never you we they it that which
    who""".split()
)
DETERMINERS = frozenset("the a an your its their this these those all any each every".split())
PREPOSITIONS = frozenset("of in on at by for from with without into onto over under per as".split())
SAME_BEGINNING = 5  # letters: "provision" and "provider" are one word to us


def swaps(wording: Wording, places: Sequence[Place]) -> bool:
    """Whether a word that the places lack stands between the words that another one stands between there.

    A word that is known there counts only where it stands apart from its neighbours.
    """
    said = wording.content
    there = [place.wording.content for place in places if place.kind is not BlockKind.CODE]
    known = frozenset(token.stem for tokens in there for token in tokens) | places[0].around
    spoken = frozenset(token.stem for token in said)
    named = frozenset(stem for name in wording.names for stem in stems_of(name))  # looked at as names
    for at, token in enumerate(said):
        if token.number:
            continue
        for other, framed in (each for tokens in there for each in _in_its_place(said, at, tokens)):
            if other.stem in OPPOSITES.get(token.stem, ()) and token.negated == other.negated:
                return True
            if other.stem in spoken or other.number or _akin(token, other):
                continue
            if bool(token.name) is not bool(other.name) or (token.stem in named and not token.name):
                continue
            if token.stem in known and (not framed or _placed(said, at, there)):
                continue
            if token.stem in FRAMING or other.stem in FRAMING:
                continue
            if token.stem not in verbs_of(wording):
                return True
    return False


def verbs_of(wording: Wording) -> frozenset[str]:
    """The words that are used as verbs, as far as the small words around them tell."""
    found = set()
    for at, token in enumerate(wording.tokens[1:], start=1):
        if token.small or token.name or token.proper:
            continue
        before = wording.tokens[at - 1]
        after = wording.tokens[at + 1].raw if at + 1 < len(wording.tokens) else ""
        led = before.raw in AUXILIARIES and before.clause == token.clause
        if led or (after in DETERMINERS and before.raw not in DETERMINERS | PREPOSITIONS):
            found.add(token.stem)
    return frozenset(found)


def _placed(said: Sequence[Token], at: int, there: Sequence[Sequence[Token]]) -> bool:
    """Whether the word stands beside one of its neighbours in the passage as well."""
    word, beside = said[at].stem, {token.stem for token in (*said[max(0, at - 1) : at], *said[at + 1 : at + 2])}
    return any(
        {one.stem, other.stem} == {word, near} for tokens in there for one, other in pairwise(tokens) for near in beside
    )


def _in_its_place(said: Sequence[Token], at: int, there: Sequence[Token]) -> Iterator[tuple[Token, bool]]:
    """The words of the passage that have the same neighbours: one on either side, which is told, or two on one."""
    before, after = said[max(0, at - 2) : at], said[at + 1 : at + 3]
    for i, other in enumerate(there):
        left, right = there[max(0, i - 2) : i], there[i + 1 : i + 3]
        ahead = bool(before and left) and before[-1].stem == left[-1].stem
        behind = bool(after and right) and after[0].stem == right[0].stem
        if (
            (ahead and behind)
            or (ahead and not after and not right)
            or (behind and not before and not left)
            or (ahead and _same(before, left) and _one_clause(*before, said[at]) and _one_clause(*left, other))
            or (behind and _same(after, right) and _one_clause(*after, said[at]) and _one_clause(*right, other))
        ):
            yield other, ahead and behind


def _same(ones: Sequence[Token], others: Sequence[Token]) -> bool:
    return len(ones) == 2 and [one.stem for one in ones] == [other.stem for other in others]


def _one_clause(*tokens: Token) -> bool:
    return len({token.clause for token in tokens}) == 1


def _akin(one: Token, other: Token) -> bool:
    first, second = one.stem[:SAME_BEGINNING], other.stem[:SAME_BEGINNING]
    return first == second or (len(first) < SAME_BEGINNING and second.startswith(first) and len(first) > 2)

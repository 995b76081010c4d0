"""Whether a passage says no where a sentence does, and nowhere else. It goes by clauses and scopes, not by grammar."""

from collections.abc import Sequence
from itertools import pairwise

from app.answering.attribution.places import Place
from app.answering.attribution.synonyms import OPPOSITES
from app.answering.attribution.vocabulary import (
    DENIALS,
    EVERY,
    EXCLUSIVE,
    EXCLUSIVE_OR_NEAR,
    FRAMING,
    SOME,
    STRONG,
    TURNING,
)
from app.answering.attribution.wording import SHORT, SHORT_SCOPE, Token, Wording

INSTEAD = frozenset(("instead",))  # a denial whose scope is read like a negation's


def negations_agree(said: Wording, places: Sequence[Place]) -> bool:
    """Whether the passage denies what the sentence denies and nothing that it affirms, and limits it alike."""
    return (
        _what_is_negated_is_negated_there(said, places)
        and not any(_turned(said, place, places) for place in places)
        and _is_as_exclusive(said, places)
        and _denies_what_is_denied_there(said, places)
        and not any(_behind(EVERY, said) & _behind(SOME, place.wording) for place in places)
    )


def _what_is_negated_is_negated_there(said: Wording, places: Sequence[Place]) -> bool:
    """The place that fits a negated clause best says no as well, to the same words where it has them."""
    if not said.negates:
        return True
    framed = places[0].led_by.negated | places[0].section.wording.negated
    for clause in {token.clause for token in said.content if token.negated}:
        tokens = [token for token in said.content if token.clause == clause and token.negated]
        negated = frozenset(token.stem for token in tokens)
        heads = frozenset(token.stem for token in tokens if token.head)
        best = max(places, key=lambda place: len(negated & place.wording.stems))
        there = best.wording
        if (heads & there.affirmed) - there.negated - framed - _prevented(there):
            return False
        if heads & framed or (_denials_near(negated, there) | opposed(negated) & there.all_stems) - said.all_stems:
            continue
        if _lacks(said, clause) and len(negated) <= SHORT_SCOPE and not heads & (there.stems | best.around):
            continue  # "without arguments", where the passage just gives none
        if not there.negates:
            return False
        if not heads & there.negated and not there.heads & negated:
            if negated & there.negated and _excepts(said, clause):
                continue  # "unless you pass", "unless you specify"
            return False
    return True


def _denials_near(stems: frozenset[str], there: Wording) -> frozenset[str]:
    """The words that say no in a clause of the passage which has one of these words."""
    clauses = {token.clause for token in there.content if token.stem in stems}
    return frozenset(token.stem for token in there.tokens if token.clause in clauses and token.stem in DENIALS)


def _denies_what_is_denied_there(said: Wording, places: Sequence[Place]) -> bool:
    """A sentence that ignores or rejects rests on no passage that says no in no way at all."""
    strong = (said.denials & STRONG) - frozenset(stem for place in places for stem in place.around)
    if not strong:
        return True
    there = frozenset(stem for place in places for stem in place.wording.all_stems)
    denied = any(place.wording.denies for place in places) or places[0].led_by.denies
    return bool(strong & there) or denied or (bool(opposed(strong) & there) and said.negates)


def _prevented(there: Wording) -> frozenset[str]:
    """What a word like "avoid" stands directly before."""
    return frozenset(
        two.stem for one, two in pairwise(there.content) if one.stem in DENIALS and one.clause == two.clause
    )


def _lacks(said: Wording, clause: int) -> bool:
    return any(token.raw in SHORT for token in said.tokens if token.clause == clause)


def _excepts(said: Wording, clause: int) -> bool:
    return any(token.raw in ("unless", "except") for token in said.tokens if token.clause == clause)


def opposed(stems: frozenset[str]) -> frozenset[str]:
    """The opposites of all these words."""
    return frozenset(other for stem in stems for other in OPPOSITES.get(stem, ()))


def _turned(said: Wording, place: Place, places: Sequence[Place]) -> bool:
    """Whether the sentence affirms what the place negates."""
    there = place.wording
    fitting = place is _fitting(said, places)
    elsewhere = frozenset(stem for other in places if other is not place for stem in other.wording.affirmed)
    turned = (said.affirmed & there.negated) - there.affirmed
    turned |= said.affirmed & there.heads - said.negated
    far = not turned & there.heads and len(turned) < 2
    if not far and (turned - elsewhere or (turned and fitting)):
        close = {token.clause for token in said.content if token.stem in turned}
        words = frozenset(token.stem for token in said.tokens if token.clause in close) - there.all_stems
        excuses = words & (DENIALS - INSTEAD | EXCLUSIVE)
        excuses = excuses or opposed(turned) & said.all_stems or _heads_in(said, close) & there.negated
        if not excuses:
            return True
    turning = (there.denials & TURNING) - said.all_stems
    return bool(fitting and turning and not said.denies and there.tokens[0].raw != "to")


def _heads_in(said: Wording, clauses: set[int]) -> frozenset[str]:
    return frozenset(token.stem for token in said.content if token.head and token.clause in clauses)


def _fitting(said: Wording, places: Sequence[Place]) -> Place:
    return max(places, key=lambda place: len(said.stems & place.wording.stems))


def _is_as_exclusive(said: Wording, places: Sequence[Place]) -> bool:
    exclusive = any(token.raw in EXCLUSIVE for token in said.tokens)
    near = any(token.raw in EXCLUSIVE_OR_NEAR or token.negated for place in places for token in place.wording.tokens)
    led = any(token.raw in EXCLUSIVE_OR_NEAR for token in places[0].led_by.tokens)
    if exclusive and not near and not led:
        return False
    if said.denies or any(token.raw in EXCLUSIVE_OR_NEAR for token in said.tokens):
        return True
    limited = _limited(_fitting(said, places).wording)
    return not any(one.stem == two.stem for one in limited for two in said.content if two.number is None)


def _behind(quantifiers: frozenset[str], wording: Wording) -> frozenset[str]:
    """The two words of substance behind each of these."""
    found: set[str] = set()
    for at, token in enumerate(wording.tokens):
        if token.raw in quantifiers:
            next_ = [each for each in wording.tokens[at + 1 :] if not each.small and each.clause == token.clause]
            found.update(each.stem for each in next_[:2])
    return frozenset(found) - FRAMING


def _limited(there: Wording) -> list[Token]:
    """The words that "only" stands directly before: what is said of them is said of nothing else."""
    found = []
    tokens = there.tokens
    for at, token in enumerate(tokens):
        if token.raw in EXCLUSIVE and (not at or not tokens[at - 1].negator):
            found += [each for each in tokens[at + 1 :] if not each.small and each.clause == token.clause][:1]
    return found


def opposites_agree(said: Wording, places: Sequence[Place]) -> bool:
    """Where a word is missing and its opposite stands there instead, exactly one of the two is negated."""
    there = frozenset(stem for place in places for stem in place.wording.all_stems)
    for token in said.tokens:
        contrary = OPPOSITES.get(token.stem)
        if contrary is None or token.stem in there:
            continue
        met = (contrary & there) - said.all_stems
        if not met:
            continue
        if not any(t.stem in met and t.negated != token.negated for place in places for t in place.wording.tokens):
            return False
    return True

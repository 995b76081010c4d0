"""What a sentence says, as far as words tell: its stems, numbers, names and negations. No comparing.

Made for a sentence of an answer and for a passage of a document alike. Markdown's marks are left out first.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from Stemmer import Stemmer

from app.answering.attribution.synonyms import CANONICAL
from app.answering.attribution.vocabulary import (
    CLAUSE_ENDS,
    CLAUSE_WORDS,
    DENIALS,
    NEGATORS,
    NUMBER_WORDS,
    UNITS,
)
from app.answering.words import STOP_WORDS

SCOPE = 6  # content words that a negation reaches
SHORT_SCOPE = 3  # that "no" and "without" reach
SHORT = frozenset(("no", "without", "neither", "nor", "none"))
STEMMER = Stemmer("english")
SMALL = (
    (STOP_WORDS["en"] - frozenset("before after off need needs must use used uses using get gets got".split()))
    | frozenset("isn doesn don etc e g has have".split())
    | NEGATORS
)

_LINK = re.compile(
    r"!?\[((?:[^\[\]]|\[[^\[\]]*\]){0,400})\](?:\([^()\s]{0,2000}(?:\s\"[^\"]*\")?\)|\[[^\[\]\n]{0,100}\])"
)
_TAG = re.compile(
    r"</?(?:p|br|hr|div|span|a|b|i|u|em|strong|code|pre|kbd|var|li|ul|ol|dl|dt|dd|td|th|tr|table|tbody|thead|img|sub|sup|h\d|details"
    r"|summary|center|font|small|iframe|video|section|figure|button)(?:\s[^<>\n]{0,400})?/?>"
)
_TOKEN = re.compile(
    r"(?P<code>`+[^`\n]{1,300}`+)|(?P<time>\d{1,2}(?::\d\d)+)|(?P<word>[^\s,;:!?()\[\]{}\"“”«»|`*—–]+|:{2})|(?P<end>[,;:!?|()—–])"
)
_IN_CODE = re.compile(r"[^\s,;()\[\]{}\"'|=<>:]+(?:::[^\s,;()\[\]{}\"'|=<>:]+)*")
_NUMBER = re.compile(r"[vV~<>=≥≤$#]*(\d[\d_,]*(?:\.\d+)*)(?:\.x)?(\+|[snrt][tdh])?[-/]?([a-zA-Z%]{0,12})\.?$")
_NAME = re.compile(
    r"\w+(?:_\w*)+|_\w+|--?[A-Za-z][\w-]*|[A-Za-z]*[a-z][A-Z]\w*|\.?[\w-]*[\w]/[\w./-]*\w|/[\w./-]+|[A-Za-z_]\w*(?:\.\w+)+|\.\w+"
    r"|@[\w./-]+|\w+::\w+|[A-Za-z]+\d\w*"
)
_RANGE = re.compile(r"(\d+(?:\.\d+)?)[-–](\d+(?:\.\d+)?)([a-zA-Z%]{0,12})")
_NOT_UN = ("under", "until", "unit", "uniq", "union", "univ", "unless")
_SWITCH = re.compile(r"\b(?:turn|switch)(?:s|ed|ing)? (on|off)\b")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Number:
    """A number and its unit's kind; `value` is in the kind's smallest unit. `exact` is how it is written.

    `soft`: written as a word ("three"), which may count things that the document just lists.
    """

    exact: str
    value: float | None
    kind: str = ""
    soft: bool = False

    def agrees(self, other: "Number") -> bool:
        """Whether both may be the same number. Where only one has a unit, the figures must be the same."""
        if self.kind and other.kind:
            return self.kind == other.kind and self.value is not None and self.value == other.value
        return self.exact == other.exact


@dataclass(frozen=True, slots=True)
class Token:
    """One word in order: `stem` is canonical, `raw` as written; `negated`: a negation reaches it."""

    raw: str
    stem: str
    clause: int
    negated: bool = False  # and `head`, where it is the first that a negation reaches
    number: Number | None = None
    name: str = ""  # an identifier, a flag, a path: has to be found as it is
    proper: bool = False
    small: bool = False
    head: bool = False

    @property
    def negator(self) -> bool:
        return not self.name and (self.raw in NEGATORS or self.raw.endswith("n't"))


@dataclass(frozen=True)
class Wording:
    """A text's tokens and what follows from them."""

    text: str
    tokens: tuple[Token, ...] = field(repr=False)

    @cached_property
    def content(self) -> tuple[Token, ...]:
        """Tokens that carry meaning, numbers and names included."""
        return tuple(token for token in self.tokens if not token.small)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(token.stem for token in self.content if token.number is None)

    @cached_property
    def all_stems(self) -> frozenset[str]:
        """Small words, too."""
        return frozenset(token.stem for token in self.tokens)

    @cached_property
    def numbers(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.number)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(token.name for token in self.tokens if token.name))

    @cached_property
    def negated(self) -> frozenset[str]:
        return frozenset(token.stem for token in self.content if token.negated)

    @cached_property
    def heads(self) -> frozenset[str]:
        """The words that negations stand directly before."""
        return frozenset(token.stem for token in self.content if token.head)

    @cached_property
    def affirmed(self) -> frozenset[str]:
        return frozenset(token.stem for token in self.content if not token.negated)

    @cached_property
    def negates(self) -> bool:
        """Whether it says no in so many words."""
        return any(token.negator for token in self.tokens)

    @cached_property
    def denials(self) -> frozenset[str]:
        """Words that say no in other words."""
        return self.all_stems & DENIALS

    @cached_property
    def denies(self) -> bool:
        """Whether it says no in any way."""
        return self.negates or bool(self.denials)

    @cached_property
    def lower(self) -> str:
        return " ".join(plain(self.text).casefold().split())

    def near(self, token: Token) -> frozenset[str]:
        """The stems of a token's clause; of its whole text where the clause has few others."""
        own = frozenset(t.stem for t in self.content if t.clause == token.clause and t is not token and not t.number)
        return own if len(own) > 1 else own | self.stems


def plain(text: str) -> str:
    """Markdown without its links' targets and emphasis; code spans lose their backticks."""
    return _bare(text).replace("`", "").replace("**", "").replace("__", "")


def _bare(text: str) -> str:
    text = _LINK.sub(r"\1", text) if "](" in text or "][" in text else text
    return _TAG.sub(" ", text) if "<" in text else text


def _switched(text: str) -> str:
    """To switch on is to enable."""
    return _SWITCH.sub(lambda match: "enabled" if match[1] == "on" else "disabled", text)


def stems_of(text: str) -> list[str]:
    """The canonical stems of a text, small words left out: what finds candidates, quickly."""
    words = [word for word in _WORD.findall(_switched(text.casefold().replace("’", "'"))) if word not in SMALL]
    return [CANONICAL.get(stem, stem) for stem in STEMMER.stemWords(words)]


def wording_of(text: str) -> Wording:
    """Read one sentence, or one passage."""
    return Wording(text, tuple(_negations(_tokens(text))))


def _tokens(text: str) -> Iterator[Token]:
    clause = 0
    first = True  # a capital letter there says nothing
    counted = False  # the word before is a number, and this may be its unit
    raws = list(_raw(_switched(_bare(text))))
    for at, (raw, coded) in enumerate(raws):
        if not coded and raw in CLAUSE_ENDS:
            clause += 1
            first = first or raw in (".", "!", "?", ":", "|")
            continue
        following = raws[at + 1][0].casefold().rstrip(".") if at + 1 < len(raws) else ""
        low = raw.casefold().replace("’", "'")
        if low in CLAUSE_WORDS and not coded:
            clause += 1
        number = _number(raw, following)
        if number is not None:
            yield Token(low, number.exact, clause, number=number)
        elif not coded and (not _WORD.search(raw) or raw.endswith("-")):
            continue
        elif coded or _NAME.fullmatch(raw):
            name = raw.strip(".'\"").removesuffix("()").casefold()
            parts = _stemmed(name)
            yield Token(low, parts[0] if parts else name, clause, name=name if _telling(name) else "", small=not parts)
            for part in parts[1:]:
                yield Token(part, part, clause)
        else:
            shout = len(raw) > 1 and raw.isupper()
            proper = shout or (not first and raw[:1].isupper())
            for part in _WORD.findall(low):
                small = part in SMALL or part.endswith("n't") or (counted and part in UNITS)
                yield Token(part, _canonical(part), clause, small=small, proper=proper and not small)
                if len(part) > 7 and part.startswith("un") and not part.startswith(_NOT_UN):
                    yield Token(part, _canonical(part[2:]), clause, negated=True, head=True)
        counted = number is not None and bool(number.kind)
        first = False


def _raw(text: str) -> Iterator[tuple[str, bool]]:
    for match in _TOKEN.finditer(text):
        if match["code"]:
            for piece in _IN_CODE.findall(match["code"].strip("`")):
                yield piece, True
        elif match["time"]:
            yield match["time"], True
        elif match["end"]:
            yield match["end"], False
        else:
            word = match["word"].strip("'\"_~")
            bare = word.rstrip(".…'\"_")
            if range_ := _RANGE.fullmatch(bare):
                yield range_[1], False
                yield range_[2] + range_[3], False
            elif bare:
                yield bare, False
            if word.endswith((".", "…")):
                yield ".", False


def _telling(name: str) -> bool:
    return len(name) > 1 or name.isalpha()


def _stemmed(name: str) -> list[str]:
    parts = [part for part in re.split(r"[\W_]+", name) if part and part not in SMALL]
    return [CANONICAL.get(stem, stem) for stem in STEMMER.stemWords(parts)]


def _canonical(word: str) -> str:
    stem = STEMMER.stemWord(word)
    return CANONICAL.get(stem, stem)


def _number(raw: str, following: str) -> Number | None:
    word = NUMBER_WORDS.get(raw.casefold())
    if word:
        kind, factor = UNITS.get(following, ("", 1.0)) if len(following) > 2 else ("", 1.0)
        return Number(word, float(word) * factor, kind, soft=not kind)
    match = _NUMBER.match(raw)
    if match is None:
        return None
    figure = match[1].replace(",", "").replace("_", "").rstrip(".")
    unit = (match[3] or following).casefold()
    if match[3] and unit not in UNITS:
        return None if not unit.startswith("x") else Number(figure, None)
    kind, factor = UNITS.get(unit, ("", 1.0))
    if kind and not match[3] and len(unit) == 1 and unit != "%":
        kind, factor = "", 1.0
    try:
        return Number(figure, round(float(figure) * factor, 6), kind)
    except ValueError:
        return Number(figure, None)  # a version


def _negations(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens, with those marked that stand behind a negation in its clause."""
    reach, clause, head, former = 0, -1, False, ""
    for token in tokens:
        if (former, token.raw) in (("instead", "of"), ("rather", "than")):
            reach, clause, head = SHORT_SCOPE, token.clause, True
        former = token.raw
        if token.negator:
            reach, clause, head = SHORT_SCOPE if token.raw in SHORT else SCOPE, token.clause, True
            yield token
        elif reach and token.clause == clause and not token.small:
            reach -= 1
            yield replace(token, negated=True, head=head)
            head = False
        else:
            yield token

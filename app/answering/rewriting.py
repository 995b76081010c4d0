"""A follow-up made into a question that stands alone, by rules: what the talk is about is carried over. No model."""

import re
from typing import Protocol

from app.answering.words import content_words, language_of, words_of
from app.domain.answers import Question

REMEMBERED = 6  # exchanges looked back at
CARRIED = 8  # words of what was asked before, at most
FEW_WORDS = 1  # a question with no more words of its own leans on what was said
LEANING = re.compile(
    r"^\W*(?:and|but|what about|how about|or|so|then|und|aber|oder|was ist mit|wie ist es mit|ve|peki|ya)\b"
    r"|\b(?:it|its|they|them|the same|instead"
    r"|es|damit|dafür|bunu|onu|bunun|onun|aynı)\b",
    re.IGNORECASE,
)
# These point back in a short question; in a longer one they mostly join its own parts ("a function that returns").
POINTING = re.compile(
    r"\b(?:that|this|those|these|also|too|as well|sie|das|dies|diese[rsmn]?|dort|auch|ebenfalls|bu|ayrıca)\b"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )\bthere\b(?! (?:is|are|was|were|a|an|any)\b)",
    re.IGNORECASE,
)
SHORT = 4  # words of its own


class Rewriting(Protocol):
    async def standalone(self, question: Question) -> str:
        """What to search for: the question itself, or what it means within its conversation."""
        ...


class Rewriter:
    """Puts the topic of the conversation before a question that leans on it."""

    async def standalone(self, question: Question) -> str:
        """The question itself where it stands alone, or where nothing was said before."""
        earlier = ""
        for exchange in question.history[-REMEMBERED:]:
            earlier = _with_topic(exchange.question, earlier)
        return _with_topic(question.text, earlier)


def _with_topic(text: str, earlier: str) -> str:
    if not earlier or not leans(text):
        return text
    own = set(words_of(text))
    topic = [word for word in content_words(earlier, language_of(earlier)) if word not in own]
    return f"{' '.join(topic[:CARRIED])}: {text}" if topic else text


def leans(text: str) -> bool:
    """Whether a question cannot be understood without what was said before it."""
    words = len(content_words(text))
    return words <= FEW_WORDS or bool(LEANING.search(text)) or (words <= SHORT and bool(POINTING.search(text)))

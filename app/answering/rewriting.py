"""A follow-up made into a question that stands alone, by rules: what the talk is about is carried over. No model."""

import re

from app.answering.words import content_words, language_of, words_of
from app.domain.answers import Question

CARRIED = 8  # words of the earlier question at most
FEW_WORDS = 1  # a question with no more words of its own leans on what was said
LEANING = re.compile(
    r"^\W*(?:and|but|what about|how about|or|so|then|also|und|aber|oder|was ist mit|wie ist es mit|ve|peki|ya)\b"
    r"|\b(?:it|its|that|this|they|them|those|these|there|the same|instead|dort|damit|dafür|das|dies|diese[rsmn]?"
    r"|es|sie|bu|bunu|onu|bunun|onun|aynı)\b",
    re.IGNORECASE,
)


class Rewriter:
    """Puts the topic of the conversation before a question that leans on it."""

    def standalone(self, question: Question) -> str:
        """The question itself where it stands alone, or where nothing was said before."""
        if not question.history or not self._leans(question.text):
            return question.text
        own = set(words_of(question.text))
        earlier = question.history[-1].question
        topic = [word for word in content_words(earlier, language_of(earlier)) if word not in own]
        return f"{' '.join(topic[:CARRIED])}: {question.text}" if topic else question.text

    def _leans(self, text: str) -> bool:
        return len(content_words(text)) <= FEW_WORDS or bool(LEANING.search(text))

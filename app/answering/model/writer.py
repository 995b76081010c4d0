"""An answer that a language model writes from passages, as events, each sentence with what supports it.

It neither searches nor decides what is shown where the model fails.
"""

import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

import structlog

from app.answering.attribution.footnotes import Footnotes
from app.answering.evidence import Evidence, Supporting
from app.answering.model.closing import Closing, Numbering
from app.answering.model.endpoint import CutShort, ModelEndpoint
from app.answering.model.marks import Marks
from app.answering.model.prompt import prompt_for
from app.domain.answers import AnswerEvent, Question
from app.domain.errors import ModelError

MAX_TOKENS = 1200  # of an answer
SECONDS = 100.0  # of a whole answer; below the 120 s after which it is given up

log = structlog.get_logger(__name__)


class PassagesSilent(ModelError):
    """The model says that the passages do not answer the question, and nothing else: no text was given before.

    Not for readers: the caller shows pages instead.
    """


def random_delimiter() -> str:
    """Letters that no document can know."""
    return secrets.token_hex(8)


class ModelWriter:
    """Writes by one endpoint. What the model claims is checked: only what a document supports gets its number."""

    def __init__(
        self,
        endpoint: ModelEndpoint,
        numbering: Callable[[], Numbering] = Footnotes,
        *,
        delimiter: Callable[[], str] = random_delimiter,
        max_tokens: int = MAX_TOKENS,
        seconds: float = SECONDS,
    ) -> None:
        self._endpoint = endpoint
        self._numbering = numbering
        self._delimiter = delimiter
        self._max_tokens = max_tokens
        self._seconds = seconds

    async def write(
        self, question: Question, passages: Sequence[Evidence], supporting: Supporting
    ) -> AsyncGenerator[AnswerEvent, None]:
        """CitationsFound, always before the TextDelta that first uses a number, and TextDelta; no end event.

        Raises PassagesSilent where the passages do not answer, before any text. Raises ModelError for every failure,
        also in mid-text, which is void then. An answer that used up its tokens ends in "…" and is no failure. Closing
        the iterator closes the connection.
        """
        prompt = prompt_for(question, passages, self._delimiter())
        if not prompt.sources:
            raise PassagesSilent("no passage is for readers")
        marks = Marks(len(prompt.sources), {source.uri for source in prompt.sources})
        closing = Closing(prompt.sources, supporting, self._numbering())
        asked = self._endpoint.stream(prompt.messages, max_tokens=self._max_tokens, seconds=self._seconds)
        cut = False
        async with aclosing(asked) as texts:
            try:
                async for text in texts:
                    for event in closing.read(marks.feed(text)):
                        yield event
                    if closing.silent:
                        break
            except CutShort as error:
                log.info("the answer was cut short", detail=error.detail)
                cut = True
        last = [*closing.read(marks.end()), *closing.end(cut=cut)]
        if closing.silent:
            raise PassagesSilent("the model found no answer in the passages")
        for event in last:
            yield event
        if not closing.said:
            raise ModelError("an empty answer")

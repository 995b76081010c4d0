"""Provisional: to be replaced by whoever owns this file. The form that the caller relies on."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from app.answering.evidence import Evidence, Supporting
from app.domain.answers import AnswerEvent, Question
from app.domain.errors import ModelError


class PassagesSilent(ModelError):
    """The model says that the passages do not answer the question. Not for readers: the caller shows pages instead."""


class ModelWriter(Protocol):
    def write(
        self, question: Question, passages: Sequence[Evidence], supporting: Supporting
    ) -> AsyncIterator[AnswerEvent]: ...

"""What a caller of our tools is told of an error: one table, class → status word and sentence. Not where errors arise.

The words are those of google.rpc.Code, which clients of the reference server know. No text of an exception leaves.
"""

from app.domain import errors
from app.domain.errors import AppError

Refusal = tuple[str, str]

REFUSALS: dict[type[AppError], Refusal] = {
    AppError: ("INTERNAL", "Something went wrong here."),
    errors.KnowledgeError: ("UNAVAILABLE", "The documents could not be asked. Try again in a moment."),
    errors.QuotaExceeded: ("RESOURCE_EXHAUSTED", "Asked too often at the moment. Try again later."),
    errors.DayQuotaExceeded: (
        "RESOURCE_EXHAUSTED",
        "The daily quota of answers is used up. Use search_documents instead.",
    ),
    errors.SourceTooSlow: ("DEADLINE_EXCEEDED", "The documents did not reply in time. Try again, or ask for less."),
    errors.ToolNotOffered: ("UNIMPLEMENTED", "The knowledge behind this server does not offer this."),
    errors.QuestionRefused: ("PERMISSION_DENIED", "A filter turned the question away. Ask in other words."),
    errors.ToolRejected: ("INVALID_ARGUMENT", "This cannot be asked as it stands. Ask in other words, or shorter."),
    errors.DocumentNameInvalid: (
        "INVALID_ARGUMENT",
        "This is no document's name. A name is documents/ and an address without its scheme.",
    ),
    errors.AccessRefused: ("FAILED_PRECONDITION", "The knowledge behind this server refused it. Tell its operator."),
    errors.DocumentNotFound: ("NOT_FOUND", "There is no such document."),
    errors.ModelError: ("UNAVAILABLE", "The writing model gave no answer. Try again, or use search_documents."),
    errors.QuestionError: ("INVALID_ARGUMENT", "This question cannot be asked as it stands."),
    errors.QuestionEmpty: ("INVALID_ARGUMENT", "The query is empty."),
    errors.QuestionTooLong: ("INVALID_ARGUMENT", "The query is too long. Shorten it."),
    errors.QuestionUnreadable: ("INVALID_ARGUMENT", "The query holds signs that cannot be read."),
    errors.TooManyQuestions: ("RESOURCE_EXHAUSTED", "Too many questions at once. Try again in a moment."),
    errors.CorpusError: ("UNAVAILABLE", "The documents cannot be read."),
    errors.IndexMissing: ("UNAVAILABLE", "The index of the documents is being made. Try again in a minute."),
    errors.StorageError: ("UNAVAILABLE", "The documents cannot be read at the moment. Try again."),
}

UNKNOWN_TOOL: Refusal = ("UNIMPLEMENTED", "Unknown tool. Those there are: see tools/list.")
TOO_LARGE: Refusal = ("INVALID_ARGUMENT", "These documents are too large for one reply. Ask for fewer at once.")
TOO_SLOW: Refusal = REFUSALS[errors.SourceTooSlow]


def refusal_of(error: AppError) -> Refusal:
    """A class without a row of its own speaks with its parent's."""
    return next(REFUSALS[kind] for kind in type(error).__mro__ if kind in REFUSALS)

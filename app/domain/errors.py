"""What can go wrong, as a tree. An error says what happened; never HTTP, and no prose for a reader.

AppError                      code: one word for what happened
├── KnowledgeError            a tool did not do what it is for
│   ├── QuotaExceeded             retry_after, per_day                 ┐
│   │   └── DayQuotaExceeded          the day's share is used          │
│   ├── SourceUnavailable         network, 5xx                         │
│   │   └── SourceTooSlow             no reply in time                 │ FALLBACK_ON
│   ├── ToolNotOffered                                                 │
│   ├── MalformedReply            not the tool's schema                │
│   ├── QuestionRefused           a filter turned the question away    │
│   ├── NoAnswer                  empty text                           ┘
│   ├── ToolRejected              our arguments were wrong
│   │   └── DocumentNameInvalid       not of the form documents/…
│   ├── AccessRefused             our credentials were refused
│   └── DocumentNotFound          names
├── ModelError                the language model gave no answer; retry_after
├── QuestionError             QuestionEmpty · QuestionTooLong · QuestionUnreadable · TooManyQuestions
├── NotFound                  ConversationNotFound · TurnNotFound      (also when it is someone else's)
├── SignOnError               SignOnRequired (TokenRequired) · TokenInvalid · ScopeMissing
├── CorpusError               NothingToIngest · PathMissing · ManifestInvalid · IndexMissing · IndexLocked
├── StorageError              StorageUnavailable · StorageReadOnly · StorageFull · StorageCorrupt · SchemaTooNew
│                             DataInUse
└── SettingsError             before the app is up: the setting's name and the mend
"""


class AppError(Exception):
    """Something that we know how to tell a reader. `code` is stable: pages, API, log and docs/errors.md use it."""

    code = "error"

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail


class KnowledgeError(AppError):
    code = "knowledge"


def _seconds(given: float | None) -> float | None:
    return None if given is None else float(given)


class QuotaExceeded(KnowledgeError):
    """The tool may not be called now. `retry_after` in seconds, where known; `per_day` when the day's share is used."""

    code = "quota_exceeded"
    per_day = False

    def __init__(self, detail: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.retry_after = _seconds(retry_after)


class DayQuotaExceeded(QuotaExceeded):
    """`retry_after` is the time until the day's share is renewed."""

    code = "day_quota_exceeded"
    per_day = True


class SourceUnavailable(KnowledgeError):
    """`retry_after` in seconds, where source or breaker tell it. `sent`: the source may have been asked."""

    code = "source_unavailable"

    def __init__(self, detail: str = "", *, retry_after: float | None = None, sent: bool = True) -> None:
        super().__init__(detail)
        self.retry_after = _seconds(retry_after)
        self.sent = sent


class SourceTooSlow(SourceUnavailable):
    code = "source_too_slow"


class ToolNotOffered(KnowledgeError):
    code = "tool_not_offered"


class MalformedReply(KnowledgeError):
    code = "malformed_reply"


class QuestionRefused(KnowledgeError):
    """A filter of the source turned the question away; it may be harmless all the same."""

    code = "question_refused"


class NoAnswer(KnowledgeError):
    code = "no_answer"


class ToolRejected(KnowledgeError):
    code = "tool_rejected"


class DocumentNameInvalid(ToolRejected):
    code = "document_name_invalid"


class AccessRefused(KnowledgeError):
    code = "access_refused"


class DocumentNotFound(KnowledgeError):
    """No document of that name. `detail` is the name."""

    code = "document_not_found"


FALLBACK_ON = (QuotaExceeded, SourceUnavailable, ToolNotOffered, MalformedReply, QuestionRefused, NoAnswer)


class ModelError(AppError):
    """The language model gave no answer, or broke off. `retry_after` in seconds, where known."""

    code = "model"

    def __init__(self, detail: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class QuestionError(AppError):
    code = "question"


class QuestionEmpty(QuestionError):
    code = "question_empty"


class QuestionTooLong(QuestionError):
    """`limit` and `length` in characters."""

    code = "question_too_long"

    def __init__(self, limit: int, length: int) -> None:
        super().__init__(f"{length} characters, at most {limit}")
        self.limit = limit
        self.length = length


class QuestionUnreadable(QuestionError):
    """The text holds what is no character (a lone surrogate)."""

    code = "question_unreadable"


class TooManyQuestions(QuestionError):
    """`retry_after` in seconds."""

    code = "too_many_questions"

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"again in {retry_after:.0f} s")
        self.retry_after = retry_after


class NotFound(AppError):
    code = "not_found"


class ConversationNotFound(NotFound):
    code = "conversation_not_found"


class TurnNotFound(NotFound):
    code = "turn_not_found"


class SignOnError(AppError):
    code = "sign_on"


class SignOnRequired(SignOnError):
    code = "sign_on_required"


class TokenRequired(SignOnRequired):
    """Programs come in with a token here, and this one brought none."""

    code = "token_required"


class TokenInvalid(SignOnError):
    """A bearer token that we do not know, or no longer: expired or revoked."""

    code = "token_invalid"


class ScopeMissing(SignOnError):
    """The token is good, but not for this. `detail` is the scope that it lacks."""

    code = "scope_missing"


class CorpusError(AppError):
    code = "corpus"


class NothingToIngest(CorpusError):
    code = "nothing_to_ingest"


class PathMissing(CorpusError):
    code = "path_missing"


class ManifestInvalid(CorpusError):
    code = "manifest_invalid"


class IndexMissing(CorpusError):
    code = "index_missing"


class IndexLocked(CorpusError):
    """Another ingest is writing to this data folder."""

    code = "index_locked"


class StorageError(AppError):
    code = "storage"


class StorageUnavailable(StorageError):
    code = "storage_unavailable"


class StorageReadOnly(StorageError):
    code = "storage_read_only"


class StorageFull(StorageError):
    code = "storage_full"


class StorageCorrupt(StorageError):
    code = "storage_corrupt"


class SchemaTooNew(StorageError):
    code = "schema_too_new"


class DataInUse(StorageError):
    """Another server holds this data folder. `detail` names the process."""

    code = "data_in_use"


class SettingsError(AppError):
    """A setting is wrong. `setting` is its full name, `mend` says what to do."""

    code = "settings"

    def __init__(self, setting: str, problem: str, mend: str) -> None:
        super().__init__(f"{setting}: {problem} {mend}")
        self.setting = setting
        self.problem = problem
        self.mend = mend

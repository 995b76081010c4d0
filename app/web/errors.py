"""What a reader is told of an error: one table, class → status, words and what can be done. Not how it is laid out.

`docs/errors.md` explains each code at length; a test holds the tree of errors, this table and that page together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from app.domain import errors
from app.domain.answers import AnswerFailed
from app.domain.errors import AppError
from app.web.i18n import Language
from app.web.times import Line, Moment, clock, line, wait

LONGEST_WAIT = 366 * 86_400.0  # seconds; a server that names a longer one is not believed


def _(text: str) -> str:
    """Marks a text for extraction; it is translated when it is shown."""
    return text


class Remedy(StrEnum):
    """The one thing that a reader can do."""

    NONE = ""
    AGAIN = "again"  # ask the same question again
    CHANGE = "change"  # mend what was typed
    HOME = "home"  # ask a new question
    SIGN_IN = "sign_in"


@dataclass(frozen=True, slots=True)
class Face:
    """How an error is told: HTTP status, a title, a sentence that says what to do, and the remedy.

    `title` and `text` may name fields of the error as `%(field)s`, and `text` one of TIMES; then `untimed` is said
    where no time is known.
    """

    status: int
    title: str
    text: str
    remedy: Remedy = Remedy.NONE
    severe: bool = True  # a failure of ours; else a doubt that the reader can settle
    untimed: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """An error in a reader's language. `line` is its text with the time in it, where there is one."""

    code: str
    status: int
    title: str
    line: Line
    remedy: Remedy
    severe: bool

    @property
    def text(self) -> str:
        """What to do, as plain words."""
        return self.line.text


FACES: dict[type[AppError], Face] = {
    AppError: Face(
        500,
        _("Something went wrong here."),
        _("Try again. If it happens again, tell the operator the request's number."),
        Remedy.AGAIN,
    ),
    errors.KnowledgeError: Face(
        502,
        _("The documents could not be asked."),
        _("Try again in a moment. Your question is kept."),
        Remedy.AGAIN,
    ),
    errors.QuotaExceeded: Face(
        503,
        _("The knowledge service is asked too often at the moment."),
        _("Your question is kept. Try again %(wait)s."),
        Remedy.AGAIN,
        untimed=_("Your question is kept. Try again in a moment."),
    ),
    errors.DayQuotaExceeded: Face(
        503,
        _("The knowledge service has answered its share of questions for today."),
        _("It answers again from %(until)s. Until then the documents can still be searched."),
        Remedy.AGAIN,
        untimed=_("It answers again tomorrow. Until then the documents can still be searched."),
    ),
    errors.SourceUnavailable: Face(
        503,
        _("The knowledge service cannot be reached."),
        _("Your question is kept. Try again %(wait)s."),
        Remedy.AGAIN,
        untimed=_("Your question is kept. Try again in a moment."),
    ),
    errors.SourceTooSlow: Face(
        504,
        _("The knowledge service did not answer in time."),
        _("Your question is kept. Try again, or ask for less at once."),
        Remedy.AGAIN,
    ),
    errors.ToolNotOffered: Face(
        502,
        _("The knowledge service no longer offers what is needed."),
        _("The operator must look at its address and version."),
    ),
    errors.MalformedReply: Face(
        502,
        _("The knowledge service replied in a form that nobody can read."),
        _("Try again. If it happens again, tell the operator the request's number."),
        Remedy.AGAIN,
    ),
    errors.QuestionRefused: Face(
        502,
        _("A filter of the knowledge service turned the question away."),
        _("Such a filter sometimes takes harmless questions for others. Ask in other words."),
        Remedy.CHANGE,
    ),
    errors.NoAnswer: Face(
        502,
        _("The knowledge service sent an empty answer."),
        _("Try again, or ask in other words."),
        Remedy.AGAIN,
    ),
    errors.ToolRejected: Face(
        502,
        _("The knowledge service did not accept the question."),
        _("Ask in other words, or shorter."),
        Remedy.CHANGE,
    ),
    errors.DocumentNameInvalid: Face(
        404,
        _("This is no document's name."),
        _("Follow a link from an answer, or search the documents."),
        Remedy.HOME,
        severe=False,
    ),
    errors.AccessRefused: Face(
        502,
        _("The knowledge service refused this app's credentials."),
        _("The operator must renew them; asking again does not help until then."),
    ),
    errors.DocumentNotFound: Face(
        404,
        _("There is no such document here."),
        _("It was removed or renamed since the link was made. Search the documents for it."),
        Remedy.HOME,
        severe=False,
    ),
    errors.ModelError: Face(
        502,
        _("The writing model gave no answer."),
        _("Your question is kept. Try again %(wait)s."),
        Remedy.AGAIN,
        untimed=_("Your question is kept. Try again, or search the documents."),
    ),
    errors.QuestionError: Face(
        422,
        _("This question cannot be asked as it stands."),
        _("Change it and ask again."),
        Remedy.CHANGE,
        severe=False,
    ),
    errors.QuestionEmpty: Face(
        422, _("There is no question yet."), _("Type what you would like to know."), Remedy.CHANGE, severe=False
    ),
    errors.QuestionTooLong: Face(
        422,
        _("The question is too long."),
        _("It has %(length)s characters; at most %(limit)s can be asked. Shorten it and ask again."),
        Remedy.CHANGE,
        severe=False,
    ),
    errors.QuestionUnreadable: Face(
        422,
        _("The question holds signs that cannot be read."),
        _("Type it anew, without control characters or broken signs, and with at least one word."),
        Remedy.CHANGE,
        severe=False,
    ),
    errors.TooManyQuestions: Face(
        429,
        _("Too many questions at once."),
        _("The next one can be asked %(wait)s. Your question is kept."),
        Remedy.AGAIN,
        severe=False,
        untimed=_("Your question is kept. Try again in a moment."),
    ),
    errors.NotFound: Face(
        404, _("There is no page here."), _("Check the address, or ask a new question."), Remedy.HOME, severe=False
    ),
    errors.ConversationNotFound: Face(
        404,
        _("There is no such conversation."),
        _("It was deleted, or it belongs to somebody else."),
        Remedy.HOME,
        severe=False,
    ),
    errors.TurnNotFound: Face(
        404,
        _("There is no such question."),
        _("Its conversation was deleted, or it belongs to somebody else."),
        Remedy.HOME,
        severe=False,
    ),
    errors.SignOnError: Face(
        401, _("Signing in did not work."), _("Try to sign in again."), Remedy.SIGN_IN, severe=False
    ),
    errors.SignOnRequired: Face(
        401, _("Sign in to ask."), _("You will come back to this page."), Remedy.SIGN_IN, severe=False
    ),
    errors.TokenRequired: Face(
        401,
        _("A token is needed."),
        _("Send it as Authorization: Bearer. The operator makes one with: footnote token create NAME"),
        severe=False,
    ),
    errors.TokenInvalid: Face(
        401, _("The token is not valid."), _("It expired, or it was revoked. Make a new one."), severe=False
    ),
    errors.ScopeMissing: Face(
        403, _("The token does not allow this."), _("Make one with the scope that is needed."), severe=False
    ),
    errors.CorpusError: Face(
        503, _("The documents cannot be read."), _("The operator must look at the log, under the request's number.")
    ),
    errors.NothingToIngest: Face(
        503,
        _("There are no documents yet."),
        _("The operator adds them with: footnote ingest FOLDER --collection NAME"),
        severe=False,
    ),
    errors.PathMissing: Face(404, _("A folder or file is missing."), _("Check the path.")),
    errors.ManifestInvalid: Face(
        422, _("The manifest cannot be read."), _("The operator must mend the line that is named.")
    ),
    errors.IndexMissing: Face(
        503,
        _("The index of the documents is being made."),
        _("Try again in a minute. Your question is kept."),
        Remedy.AGAIN,
        severe=False,
    ),
    errors.IndexLocked: Face(
        503, _("Another ingest is writing to the documents."), _("Try again when it has ended."), Remedy.AGAIN
    ),
    errors.StorageError: Face(
        503,
        _("What is asked and answered cannot be kept."),
        _("Try again in a moment. If it happens again, tell the operator the request's number."),
        Remedy.AGAIN,
    ),
    errors.StorageUnavailable: Face(
        503, _("The database does not answer."), _("Try again in a moment. Your question is kept."), Remedy.AGAIN
    ),
    errors.StorageReadOnly: Face(
        503,
        _("The data folder cannot be written."),
        _("The operator must make it writable; nothing that was answered is lost."),
    ),
    errors.StorageFull: Face(
        507, _("The disk is full."), _("The operator must make room; nothing that was answered is lost.")
    ),
    errors.StorageCorrupt: Face(503, _("The database is damaged."), _("The operator must restore it from a backup.")),
    errors.SchemaTooNew: Face(
        503,
        _("The database was written by a newer version."),
        _("The operator must install that version again, or restore a backup."),
    ),
    errors.DataInUse: Face(503, _("Another server uses the same data."), _("The operator must stop one of the two.")),
    errors.SettingsError: Face(
        500, _("A setting is wrong."), _("The operator must mend the setting that the log names.")
    ),
}

# What an answer can fail of that is no AppError: see app/chat/live.py.
OF_ANSWERS: dict[str, Face] = {
    "answer_timeout": Face(
        504,
        _("The answer took too long."),
        _("What was written stays. Try again, or ask for less at once."),
        Remedy.AGAIN,
    ),
    "internal": FACES[AppError],
}

CODES: dict[str, Face] = {**{kind.code: face for kind, face in FACES.items()}, **OF_ANSWERS}

HTTP_FACES: dict[int, Face] = {
    400: Face(400, _("The request cannot be read."), _("Go back and try again."), Remedy.HOME, severe=False),
    403: Face(
        403,
        _("The request came from another site."),
        _("Open this page itself and ask there."),
        Remedy.HOME,
        severe=False,
    ),
    404: FACES[errors.NotFound],
    405: Face(405, _("This address does something else."), _("Go back and follow a link."), Remedy.HOME, severe=False),
    413: Face(413, _("That is too much text."), _("Shorten it and try again."), Remedy.CHANGE, severe=False),
    422: Face(422, _("The request cannot be read."), _("Go back and try again."), Remedy.HOME, severe=False),
}


TIMES: Mapping[str, Callable[[datetime, datetime, Language], Moment]] = {"wait": wait, "until": clock}
OVER = _("Your question is kept. Try again.")  # the time that was to be waited for has come


def told(error: AppError, language: Language, now: datetime | None = None) -> Told:
    """The error in the reader's language; a class without a row of its own speaks with its parent's."""
    face = next(FACES[kind] for kind in type(error).__mro__ if kind in FACES)
    values = {name: _shown(value, language) for name, value in vars(error).items()}
    now = now or datetime.now(UTC)
    seconds = getattr(error, "retry_after", None)
    until = None if seconds is None else now + timedelta(seconds=min(max(0.0, seconds), LONGEST_WAIT))
    return _told(error.code, face, _line(face, language, values, until, now), language, values)


def told_of_failure(failure: AnswerFailed, language: Language, now: datetime) -> Told:
    """What an answer's stored failure is called. A code of another version is told like `error`."""
    face = CODES.get(failure.code, FACES[AppError])
    values = {"length": "…", "limit": "…"}  # of a question that is too long; such a one has no turn
    return _told(failure.code, face, _line(face, language, values, failure.until, now), language, values)


def told_of_status(status: int, language: Language) -> Told:
    """A failure that HTTP alone knows of."""
    face = HTTP_FACES.get(status) or (HTTP_FACES[400] if status < 500 else FACES[AppError])
    return _told(f"http_{status}", face, Line(language.gettext(face.text)), language, {}, status)


def _told(code: str, face: Face, text: Line, language: Language, values: dict[str, str], status: int = 0) -> Told:
    return Told(
        code=code,
        status=status or face.status,
        title=language.gettext(face.title, **values),
        line=text,
        remedy=face.remedy,
        severe=face.severe,
    )


def _line(face: Face, language: Language, values: dict[str, str], until: datetime | None, now: datetime) -> Line:
    name = next((name for name in TIMES if f"%({name})s" in face.text), "")
    if not name:
        return Line(language.gettext(face.text, **values))
    if until is None:
        return Line(language.gettext(face.untimed))
    if until <= now:
        return Line(language.gettext(OVER))
    return line(language.gettext(face.text), TIMES[name](until, now, language), name)


def _shown(value: object, language: Language) -> str:
    return language.number(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)

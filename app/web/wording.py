"""Sentences that depend on a number or a state: status lines, announcements, reasons. Not the pages' fixed texts."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import assert_never

from babel.lists import format_list

from app.domain.answers import Answer, FallbackReason, FellBack, Step, StepStarted
from app.domain.conversations import Turn, TurnStatus
from app.web.i18n import Language
from app.web.times import Line, clock, line


def step_running(step: StepStarted, language: Language) -> str:
    """What is being done now."""
    count = step.count
    match step.step:
        case Step.ASKING:
            return language.gettext("Asking the knowledge service")
        case Step.SEARCHING if count:
            return language.ngettext("Searching %(number)s collection", "Searching %(number)s collections", count)
        case Step.SEARCHING:
            return language.gettext("Searching")
        case Step.READING if count:
            return language.ngettext("Reading %(number)s document", "Reading %(number)s documents", count)
        case Step.READING:
            return language.gettext("Reading")
        case Step.WRITING:
            return language.gettext("Writing")
        case Step.GATHERING:
            return language.gettext("Gathering pages")
        case _:
            assert_never(step.step)


def step_done(step: StepStarted, language: Language) -> str:
    """What was done before; empty for steps whose end says nothing."""
    count = step.count
    match step.step:
        case Step.ASKING:
            return language.gettext("Asked the knowledge service")
        case Step.SEARCHING if count:
            return language.ngettext("Searched %(number)s collection", "Searched %(number)s collections", count)
        case Step.SEARCHING:
            return language.gettext("Searched")
        case Step.READING if count:
            return language.ngettext("Read %(number)s document", "Read %(number)s documents", count)
        case Step.READING | Step.WRITING | Step.GATHERING:
            return ""
        case _:
            assert_never(step.step)


def trail(steps: Sequence[StepStarted], language: Language) -> tuple[str, ...]:
    """All steps, the last one as under way; `Waiting` before the first."""
    if not steps:
        return (language.gettext("Waiting"),)
    done = tuple(words for step in steps[:-1] if (words := step_done(step, language)))
    return (*done, step_running(steps[-1], language))


def verdict(turn: Turn, language: Language, *, quoted: bool) -> tuple[str, ...]:
    """How a turn ended, after what was done for it."""
    done = tuple(words for step in turn.answer.steps if (words := step_done(step, language)))
    match turn.status:
        case TurnStatus.ANSWERED:
            return (_answered(len(turn.answer.citations), language, quoted=quoted),)
        case TurnStatus.WEAK:
            return (*done, language.gettext("No clear answer"))
        case TurnStatus.NOT_FOUND:
            return (*done, language.gettext("No passage fits"))
        case TurnStatus.FAILED:
            return (*done, language.gettext("Failed"))
        case TurnStatus.STOPPED:
            return (*done, language.gettext("Stopped"))
        case TurnStatus.INTERRUPTED:
            return (*done, language.gettext("Interrupted"))
        case TurnStatus.PENDING | TurnStatus.RUNNING:
            return trail(turn.answer.steps, language)
        case _:
            assert_never(turn.status)


def _answered(documents: int, language: Language, *, quoted: bool) -> str:
    if not documents:
        return language.gettext("Answered without a source")
    if quoted:
        return language.ngettext("Quoted from %(number)s document", "Quoted from %(number)s documents", documents)
    return language.ngettext("Answered from %(number)s document", "Answered from %(number)s documents", documents)


def announcement(status: TurnStatus, answer: Answer, language: Language) -> str:
    """What a screen reader says of a turn: a short sentence for each state, never each word."""
    match status:
        case TurnStatus.PENDING:
            return language.gettext("Waiting")
        case TurnStatus.RUNNING:
            return _running(answer.steps[-1].step if answer.steps else Step.SEARCHING, language)
        case TurnStatus.ANSWERED:
            ready = language.ngettext(
                "Answer ready, %(number)s source", "Answer ready, %(number)s sources", len(answer.citations)
            )
            without = sum(segment.unsupported for segment in answer.segments)
            return f"{ready}. {doubts(without, language)}" if without else ready
        case TurnStatus.WEAK:
            return language.ngettext(
                "No clear answer, %(number)s page may help",
                "No clear answer, %(number)s pages may help",
                len(answer.citations),
            )
        case TurnStatus.NOT_FOUND:
            return language.gettext("The documents do not answer this")
        case TurnStatus.FAILED:
            return language.gettext("The answer failed")
        case TurnStatus.STOPPED:
            return language.gettext("The answer was stopped")
        case TurnStatus.INTERRUPTED:
            return language.gettext("The answer broke off")
        case _:
            assert_never(status)


def _running(step: Step, language: Language) -> str:
    match step:
        case Step.ASKING:
            return language.gettext("Asking the knowledge service")
        case Step.WRITING | Step.GATHERING:
            return language.gettext("Answering")
        case _:
            return language.gettext("Searching")


def remarks(
    answer: Answer, label: Callable[[str], str], now: datetime, language: Language, status: TurnStatus
) -> tuple[Line, ...]:
    """What stands above an answer in quiet lines: why it is written otherwise than usual, and what it lacks.

    `label` names a source as readers know it. A stored answer is read later, too: what was is told as past.
    """
    told: list[Line] = []
    if answer.fell_back:
        told.append(_reason(answer.fell_back, now, language).followed_by(_instead(status, language)))
    if answer.gave_up:
        quoted = status not in (TurnStatus.FAILED, TurnStatus.NOT_FOUND)
        instead = language.gettext("Passages of the documents are quoted instead.") if quoted else ""
        told.append(Line(language.gettext("The writing model gave no answer.")).followed_by(instead))
    if answer.unreachable:
        told.append(Line(_unreachable([label(name) for name in answer.unreachable], language, status)))
    return tuple(told)


def _instead(status: TurnStatus, language: Language) -> str:
    match status:
        case TurnStatus.WEAK | TurnStatus.NOT_FOUND:
            return language.gettext("The documents were searched instead.")
        case TurnStatus.FAILED:
            return ""
        case _:
            return language.gettext("This answer is composed from the documents.")


def _reason(event: FellBack, now: datetime, language: Language) -> Line:
    until = event.until if event.until and event.until > now else None
    gettext = language.gettext
    match event.reason:
        case FallbackReason.QUOTA_DAY if until:
            return line(gettext("The answer quota is used up until %(time)s."), clock(until, now, language), "time")
        case FallbackReason.QUOTA_MINUTE if until:
            text = gettext("The answer quota is used up for the moment, until %(time)s.")
            return line(text, clock(until, now, language), "time")
        case FallbackReason.QUOTA_DAY:
            said = gettext("The answer quota of the day was used up.")
        case FallbackReason.QUOTA_MINUTE:
            said = gettext("The answer quota was used up for a moment.")
        case FallbackReason.UNAVAILABLE:
            said = gettext("The answering service did not reply.")
        case FallbackReason.NOT_OFFERED:
            said = gettext("The knowledge service offers no ready answers.")
        case FallbackReason.MALFORMED:
            said = gettext("The answering service sent something that cannot be read.")
        case FallbackReason.REFUSED:
            said = gettext("A filter of the answering service turned the question away.")
        case FallbackReason.NO_ANSWER:
            said = gettext("The answering service had no answer.")
        case _:
            assert_never(event.reason)
    return Line(said)


def _unreachable(names: Sequence[str], language: Language, status: TurnStatus) -> str:
    listed = str(format_list(names, locale=language.locale))
    if status in (TurnStatus.WEAK, TurnStatus.NOT_FOUND):
        return language.ngettext(
            "The source %(names)s could not be asked; only the others were searched.",
            "The sources %(names)s could not be asked; only the others were searched.",
            len(names),
            names=listed,
        )
    return language.ngettext(
        "The source %(names)s could not be asked; this answer rests on the others.",
        "The sources %(names)s could not be asked; this answer rests on the others.",
        len(names),
        names=listed,
    )


def doubts(count: int, language: Language) -> str:
    """How many pieces of an answer have no source."""
    return language.ngettext("%(number)s sentence has no source", "%(number)s sentences have no source", count)

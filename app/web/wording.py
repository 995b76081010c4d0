"""Sentences that depend on a number or a state: status lines, announcements, reasons. Not the pages' fixed texts."""

from collections.abc import Sequence
from typing import assert_never

from app.domain.answers import Answer, FallbackReason, FellBack, Step, StepStarted
from app.domain.conversations import Turn, TurnStatus
from app.web.i18n import Language


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
            return ""
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
            writing = any(step.step in (Step.WRITING, Step.GATHERING) for step in answer.steps)
            return language.gettext("Answering") if writing else language.gettext("Searching")
        case TurnStatus.ANSWERED:
            return language.ngettext(
                "Answer ready, %(number)s source", "Answer ready, %(number)s sources", len(answer.citations)
            )
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


def fell_back(event: FellBack, language: Language) -> str:
    """Why the answer is composed here, in one quiet line."""
    composed = language.gettext("This answer is composed from the documents.")
    return f"{_reason(event, language)} {composed}"


def _reason(event: FellBack, language: Language) -> str:
    match event.reason:
        case FallbackReason.QUOTA_MINUTE | FallbackReason.QUOTA_DAY if event.until:
            return language.gettext("The answer quota is used up until %(time)s.", time=language.clock(event.until))
        case FallbackReason.QUOTA_MINUTE:
            return language.gettext("The answer quota is used up for the moment.")
        case FallbackReason.QUOTA_DAY:
            return language.gettext("The answer quota is used up for today.")
        case FallbackReason.UNAVAILABLE:
            return language.gettext("The answering service does not reply.")
        case FallbackReason.NOT_OFFERED:
            return language.gettext("The knowledge service offers no ready answers.")
        case FallbackReason.MALFORMED:
            return language.gettext("The answering service sent something that cannot be read.")
        case FallbackReason.REFUSED:
            return language.gettext("The answering service turned the question away.")
        case FallbackReason.NO_ANSWER:
            return language.gettext("The answering service had no answer.")
        case _:
            assert_never(event.reason)

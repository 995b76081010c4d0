"""`footnote ask` and `evaluate`: answers in a terminal, and how good they are. Not how an answer is made."""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from app.answering.evaluation import Asked, Evaluation, read_questions
from app.answering.evaluation import evaluate as evaluated
from app.answering.reporting import answer_object
from app.bootstrap.knowledge import open_knowledge
from app.bootstrap.parts import parts_named, with_parts
from app.bootstrap.storage import data_folder
from app.chat.service import question_text
from app.cli.knowledge import JsonOption
from app.cli.output import Bar, print_json
from app.cli.scope import CollectionOption, LanguageOption, ProductOption, VersionOption, scope_of
from app.domain.answers import EMPTY_ANSWER, Answer, Outcome, Question
from app.domain.conversations import TurnStatus
from app.domain.documents import Scope
from app.domain.errors import PathMissing
from app.resources import PACKAGE
from app.settings.reading import load
from app.settings.values import Settings

STATUS_OF = {
    Outcome.ANSWERED: TurnStatus.ANSWERED,
    Outcome.WEAK: TurnStatus.WEAK,
    Outcome.NOT_FOUND: TurnStatus.NOT_FOUND,
}
VERDICTS = {
    Outcome.WEAK: "These pages may help:",
    Outcome.NOT_FOUND: "The documents do not answer this.",
}


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    collection: CollectionOption = None,
    product: ProductOption = None,
    version: VersionOption = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer one question, with its footnotes."""
    settings = load()
    data_folder(settings)
    text = question_text(question, settings.question_limit)
    began = time.monotonic()
    answer = asyncio.run(_answered(settings, Question(text, scope=scope_of(collection, product, version, language))))
    status = answer.outcome or Outcome.NOT_FOUND
    if as_json:
        milliseconds = round((time.monotonic() - began) * 1000)
        print_json(answer_object(id="", status=status, answer=answer, ms=milliseconds))
    else:
        _print_remarks(answer, status)
        _print_answer(answer)


async def _answered(settings: Settings, question: Question) -> Answer:
    answer = EMPTY_ANSWER
    async with open_knowledge(settings) as knowledge:
        async for event in knowledge.answerer.answer(question):
            answer = answer.apply(event)
    return answer


def _print_remarks(answer: Answer, outcome: Outcome) -> None:
    """What a page tells above the answer, on standard error: why it is written otherwise, and what it lacks."""
    from app.web.i18n import Languages  # noqa: PLC0415  # late: most answers need no remark, and no languages
    from app.web.wording import remarks  # noqa: PLC0415

    language = Languages.load(PACKAGE / "locales").default
    for line in remarks(answer, str, datetime.now(UTC), language, STATUS_OF[outcome]):
        print(line.text, file=sys.stderr)


def _print_answer(answer: Answer) -> None:
    out = Console(highlight=False)
    if verdict := VERDICTS.get(answer.outcome or Outcome.NOT_FOUND):
        out.print(verdict, style="bold", markup=False)
    for segment in answer.segments:
        marks = "".join(f"[{number}]" for number in segment.numbers)
        body = segment.text.rstrip()
        out.print(f"{body} {marks}".rstrip() + segment.text[len(body) :], markup=False, soft_wrap=True, end="")
    out.print()
    for citation in answer.citations:
        out.print(f"[{citation.number}] {citation.title}\n    {citation.uri}", markup=False, soft_wrap=True)
    if answer.outcome is Outcome.NOT_FOUND and answer.retrieved:
        out.print("Closest pages:")
        for page in answer.retrieved[:5]:
            out.print(f"  {page.title}\n    {page.uri}", markup=False, soft_wrap=True)


def evaluate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Questions with their right pages, JSON lines.")],
    collection: CollectionOption = None,
    parts: Annotated[
        str, typer.Option("--with", metavar="PARTS", help="Optional parts that are on, such as model; else none are.")
    ] = "",
    answers: Annotated[Path | None, typer.Option(help="Write each answer here, as JSON lines.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure retrieval and answers over files of questions."""
    wanted = parts_named(parts)
    settings = with_parts(load(), wanted)
    data_folder(settings)
    for file in files:
        if not file.is_file():
            raise PathMissing(str(file))
    questions = [asked for file in dict.fromkeys(files) for asked in read_questions(file)]
    result = asyncio.run(_evaluated(settings, questions, Scope(collections=frozenset(collection or ()))))
    if answers is not None:
        with answers.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in result.lines)
    report = {"with": list(wanted), **result.report}
    if as_json:
        print_json(report)
    else:
        _print_figures(report)


async def _evaluated(settings: Settings, questions: Sequence[Asked], scope: Scope) -> Evaluation:
    with Bar("questions") as bar:
        async with open_knowledge(settings) as knowledge:
            return await evaluated(
                knowledge.source,
                knowledge.answerer,
                questions,
                scope=scope,
                on_progress=lambda done, total: bar.show("Asking", done, total),
            )


def _print_figures(report: dict[str, object]) -> None:
    out = Console(highlight=False)
    for name, figure in report.items():
        if isinstance(figure, list):
            out.print(f"{name:26} {', '.join(figure) or 'none'}", markup=False)
        elif not isinstance(figure, dict):
            out.print(f"{name:26} {figure}", markup=False)

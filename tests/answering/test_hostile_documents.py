"""Awkward documents, asked: what stands in them is answered, what they order is not obeyed."""

import json
from pathlib import Path

import pytest

from app.bootstrap.corpus import ingest_paths
from app.domain.answers import EMPTY_ANSWER, Answer, Outcome, Question
from tests.support.corpus import opened
from tests.support.shared import SharedMissing, shared_folder


def questions() -> list[tuple[str, dict[str, object]]]:
    try:
        lines = (shared_folder() / "hostile/expect.jsonl").read_text(encoding="utf-8").splitlines()
    except SharedMissing:
        return []
    entries = [json.loads(line) for line in lines]
    return [(entry["file"], each) for entry in entries for each in entry.get("questions", ())]


async def answered(place: Path, folder: Path, file: str, text: str) -> Answer:
    """The answer over that document alone, among nothing else."""
    async with opened(place / "data") as corpus:
        await ingest_paths(corpus, [folder / file], collection="hostile", base_uri="https://docs.example.com")
        answer = EMPTY_ANSWER
        async for event in corpus.answerer.answer(Question(text)):
            answer = answer.apply(event)
    return answer


def test_the_questions_are_there(shared: Path) -> None:
    assert len(questions()) >= 3


@pytest.mark.parametrize(("file", "asked"), questions(), ids=[file for file, _ in questions()])
async def test_what_a_document_says_is_told_and_what_it_orders_is_not(
    shared: Path, tmp_path: Path, file: str, asked: dict[str, list[str]]
) -> None:
    answer = await answered(tmp_path, shared / "hostile", file, str(asked["q"]))
    if asked.get("refuse"):
        assert answer.outcome in (Outcome.WEAK, Outcome.NOT_FOUND), "the documents do not tell"
        return
    assert answer.outcome in (Outcome.ANSWERED, Outcome.WEAK)
    for words in asked.get("has", ()):
        assert words in answer.text
    for words in asked.get("lacks", ()):
        assert words not in answer.text
        assert all(words not in citation.uri for citation in answer.citations)


async def test_the_whole_folder_ends_with_a_report_and_a_second_time_changes_nothing(
    shared: Path, tmp_path: Path
) -> None:
    async with opened(tmp_path / "data") as corpus:
        first = await ingest_paths(
            corpus, [shared / "hostile"], collection="hostile", base_uri="https://docs.example.com"
        )
        second = await ingest_paths(
            corpus, [shared / "hostile"], collection="hostile", base_uri="https://docs.example.com"
        )
    assert first.added > 30
    assert all(skipped.reason for skipped in first.skipped)
    assert (second.added, second.changed, second.same) == (0, 0, first.added)

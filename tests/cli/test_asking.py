"""Measuring from the command line: several files, and the optional parts that are on."""

import json
from pathlib import Path

import pytest

from tests.cli.test_program import footnote, with_plant
from tests.support.corpus import BASE
from tests.support.model import FakeModel

QUESTION = {
    "question": "What is the highest speed of the pump?",
    "gold_uris": [f"{BASE}/pump"],
    "gold_facts": ["The highest speed is 85 percent"],
}


def question_files(place: Path) -> tuple[str, str]:
    for name in ("a", "b"):
        (place / f"{name}.jsonl").write_text(json.dumps({"id": "q", **QUESTION}), encoding="utf-8")
    return "a.jsonl", "b.jsonl"


def settings_of(model: FakeModel) -> dict[str, str]:
    return {"FOOTNOTE_MODEL_URL": model.url, "FOOTNOTE_MODEL_NAME": "tiny"}


async def test_several_files_are_measured_together_and_each_answer_names_its_own(tmp_path: Path) -> None:
    await with_plant(tmp_path)
    files = question_files(tmp_path)
    done = await footnote(tmp_path, "evaluate", *files, files[0], "--answers", "answers.jsonl", "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert (report["questions"], report["hit1"], report["facts"]) == (2, 1.0, 1.0)
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["id"], line["file"]) for line in lines] == [("q", "a.jsonl"), ("q", "b.jsonl")]


async def test_a_model_that_is_set_is_left_alone_unless_it_is_asked_for(tmp_path: Path) -> None:
    await with_plant(tmp_path)
    files = question_files(tmp_path)
    async with FakeModel() as model:
        without = await footnote(tmp_path, "evaluate", files[0], **settings_of(model))
        assert (without.code, model.asked) == (0, []), without.err
        asked = await footnote(tmp_path, "evaluate", files[0], "--with", "model", "--json", **settings_of(model))
        assert len(model.asked) == 1
    assert "with                       none" in without.out
    assert "written_by_model           0" in without.out
    report = json.loads(asked.out)
    assert (report["with"], report["written_by_model"]) == (["model"], 1)


@pytest.mark.parametrize(("part", "said"), [("model", "FOOTNOTE_MODEL_URL"), ("oracle", "oracle")])
async def test_a_part_that_is_not_set_or_not_known_is_wrong_use(part: str, said: str, tmp_path: Path) -> None:
    done = await footnote(tmp_path, "evaluate", *question_files(tmp_path), "--with", part)
    assert (done.code, said in done.err, done.out) == (2, True, ""), done.err
    assert "Traceback" not in done.err

"""The command line as a program: what it prints where, and its exit codes."""

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.corpus import BASE, write_pages

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str


async def footnote(place: Path, *words: str | bytes, **settings: str) -> Done:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FOOTNOTE_")}
    environment |= {"PYTHONPATH": str(ROOT), "FOOTNOTE_DATA": str(place / "data"), **settings}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app", *words, cwd=place, env=environment, stdout=-1, stderr=-1
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return Done(process.returncode or 0, out.decode(), err.decode())


async def with_plant(place: Path) -> Done:
    pages = write_pages(place / "pages")
    return await footnote(place, "ingest", str(pages), "-c", "plant", "--base-uri", BASE, "--json")


async def test_ingest_reports_counts_as_one_object(tmp_path: Path) -> None:
    done = await with_plant(tmp_path)
    assert done.code == 0
    report = json.loads(done.out)
    counts = {name: report[name] for name in ("added", "changed", "same", "removed", "skipped")}
    assert counts == {"added": 4, "changed": 0, "same": 0, "removed": 0, "skipped": 0}
    assert report["seconds"] >= 0


async def test_ask_search_and_get_answer_programs(tmp_path: Path) -> None:
    await with_plant(tmp_path)
    asked = json.loads((await footnote(tmp_path, "ask", "What is the highest speed of the pump?", "--json")).out)
    assert asked["status"] == "answered"
    assert asked["citations"][0]["uri"] == f"{BASE}/pump"
    found = json.loads((await footnote(tmp_path, "search", "vinegar", "--json")).out)
    assert found["results"][0]["parent"] == "documents/docs.example.com/plant/tank"
    got = json.loads((await footnote(tmp_path, "get", f"{BASE}/tank", "--json")).out)
    assert got.keys() == {"name", "uri", "title", "content", "description"}
    assert "vinegar" in got["content"]


async def test_what_was_filed_under_a_product_and_a_version_is_found_there_alone(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages")
    filed = ("-c", "plant", "--base-uri", BASE, "--product", "Plant", "--version", "2")
    await footnote(tmp_path, "ingest", str(pages), *filed)
    for scope, number in (
        (("--product", "Plant", "--version", "2", "--language", "en"), 1),
        (("--product", "Plant", "--product", "Other"), 1),
        (("--version", "1"), 0),
        (("--language", "de"), 0),
    ):
        found = json.loads((await footnote(tmp_path, "search", "vinegar", *scope, "--json")).out)
        assert len(found["results"]) == number, scope
    asked = json.loads((await footnote(tmp_path, "ask", "What cleans the tank?", "--version", "1", "--json")).out)
    assert asked["status"] == "not_found"


async def test_people_read_the_answer_with_its_numbers(tmp_path: Path) -> None:
    await with_plant(tmp_path)
    done = await footnote(tmp_path, "ask", "What is the highest speed of the pump?")
    assert done.code == 0
    assert "85 percent" in done.out
    assert f"[1] Pump\n    {BASE}/pump" in done.out
    assert done.err == ""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("ask", ""), 2, "question_empty"),
        (("ask", b"half \xff a sign"), 2, "question_unreadable"),
        (("ask", "a" * 4001), 2, "question_too_long"),
        (("get", "nonsense"), 1, "document_not_found"),
        (("get", "documents/"), 2, "document_name_invalid"),
        (("ingest", "/nowhere", "-c", "x"), 2, "path_missing"),
        (("ingest", ".", "-c", "x"), 1, "nothing_to_ingest"),
        (("evaluate", "/nowhere"), 2, "path_missing"),
        (("nonsense",), 2, "No such command"),
        (("ask",), 2, "Missing argument"),
    ],
)
async def test_what_is_wrong_is_said_in_a_sentence_with_its_code(
    tmp_path: Path, words: tuple[str | bytes, ...], code: int, said: str
) -> None:
    done = await footnote(tmp_path, *words)
    assert (done.code, said in done.err) == (code, True), done.err
    assert "Traceback" not in done.err
    assert done.out == ""


async def test_a_wrong_setting_stops_every_command_with_its_name(tmp_path: Path) -> None:
    done = await footnote(tmp_path, "settings", FOOTNOTE_PORT="eighty")
    assert done.code == 2
    assert "FOOTNOTE_PORT" in done.err


async def test_settings_are_listed_without_secrets(tmp_path: Path) -> None:
    done = await footnote(tmp_path, "settings", "--json", FOOTNOTE_SECRET_KEY="s3cr3t" * 8)
    listed = {line["name"]: line for line in json.loads(done.out)}
    assert listed["FOOTNOTE_SECRET_KEY"]["value"] == "••••••••"
    assert "s3cr3t" not in done.out


async def test_check_says_what_is_missing_and_fails(tmp_path: Path) -> None:
    empty = await footnote(tmp_path, "check", "--json")
    assert empty.code == 1
    assert {part["name"]: part["ok"] for part in json.loads(empty.out)} == {
        "data": True,
        "database": True,
        "index": False,
    }
    await with_plant(tmp_path)
    assert (await footnote(tmp_path, "check")).code == 0


async def test_a_damaged_database_is_told_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/footnote.sqlite3").write_bytes(b"not a database at all" * 100)
    done = await footnote(tmp_path, "ask", "pump")
    assert (done.code, "storage_corrupt" in done.err) == (1, True)
    assert (tmp_path / "data/footnote.sqlite3").read_bytes().startswith(b"not a database")

"""`footnote index` as a program: what it prints, and its exit codes."""

import json
from pathlib import Path

from tests.cli.test_program import footnote, with_plant


async def test_an_index_is_told_verified_and_rebuilt(tmp_path: Path) -> None:
    await with_plant(tmp_path)
    status = json.loads((await footnote(tmp_path, "index", "status", "--json")).out)
    assert status["agrees"]
    assert status["index"]["documents"] == status["database"]["documents"] == 4
    assert status["writer"] is None
    rebuilt = json.loads((await footnote(tmp_path, "index", "rebuild", "--json")).out)
    assert (rebuilt["documents"], rebuilt["bytes"] > 1000) == (4, True)
    verified = await footnote(tmp_path, "index", "verify", "--json")
    assert verified.code == 0
    assert json.loads(verified.out)["sound"]
    shown = await footnote(tmp_path, "index", "status")
    assert "they agree" in shown.out


async def test_a_damaged_index_is_told_with_its_mend_and_exit_code_1(tmp_path: Path) -> None:
    await with_plant(tmp_path)
    (file,) = (tmp_path / "data" / "index").glob("v*/chunks/*.term")
    file.write_bytes(b"x")
    verified = await footnote(tmp_path, "index", "verify")
    assert verified.code == 1
    assert f"FAIL chunks/{file.name} is not as it was written" in verified.out
    assert "footnote index rebuild" in verified.out
    as_json = await footnote(tmp_path, "index", "verify", "--json")
    assert (as_json.code, json.loads(as_json.out)["mend"]) == (1, "footnote index rebuild")
    assert "they differ" in (await footnote(tmp_path, "index", "status")).out
    assert (await footnote(tmp_path, "index", "rebuild")).out.startswith("4 documents")
    assert (await footnote(tmp_path, "index", "verify")).code == 0


async def test_before_the_first_ingest_there_is_nothing_wrong(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert "never" in (await footnote(tmp_path, "index", "status")).out
    assert (await footnote(tmp_path, "index", "verify")).code == 0

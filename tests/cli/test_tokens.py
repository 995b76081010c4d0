"""`footnote token` as a program: what is shown once, what never, and the exit codes."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.test_program import footnote

SECRET = re.compile(r"fn_[A-Za-z0-9_-]{43}")


async def test_a_secret_is_printed_once_and_alone_on_standard_output(tmp_path: Path) -> None:
    made = await footnote(tmp_path, "token", "create", "my editor", "--scope", "mcp", "--days", "7", "--owner", "ada")
    assert made.code == 0, made.err
    assert SECRET.fullmatch(made.out.strip())
    assert "shown once" in made.err
    assert made.out.strip() not in made.err
    listed = await footnote(tmp_path, "token", "list", "--json")
    (found,) = json.loads(listed.out)
    assert (found["name"], found["owner"], found["scopes"], found["state"]) == ("my editor", "ada", ["mcp"], "valid")
    table = await footnote(tmp_path, "token", "list")
    for shown in (listed, table):
        assert not SECRET.search(shown.out + shown.err)
        assert made.out.strip()[7:] not in shown.out + shown.err


async def test_a_token_is_revoked_by_its_id(tmp_path: Path) -> None:
    made = json.loads((await footnote(tmp_path, "token", "create", "[red]x", "--json")).out)
    assert made["scopes"] == ["ask", "mcp", "search"]
    assert SECRET.fullmatch(made["token"])
    assert (await footnote(tmp_path, "token", "revoke", made["id"])).code == 0
    (found,) = json.loads((await footnote(tmp_path, "token", "list", "--json")).out)
    assert found["state"] == "revoked"
    assert "token" not in found
    assert "[red]x" in (await footnote(tmp_path, "token", "list")).out  # a name is no markup
    unknown = await footnote(tmp_path, "token", "revoke", "0000")
    assert unknown.code == 1
    assert "footnote token list" in unknown.err


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("",),
        ("a\nb",),
        ("x" * 201,),
        ("x", "--scope", "admin"),
        ("x", "--days", "0"),
        ("x", "--days", "9999"),
        ("x", "--owner", "a\x07b"),
    ],
)
async def test_wrong_use_of_create_makes_no_token(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = await footnote(tmp_path, "token", "create", *words)
    assert done.code == 2
    assert not SECRET.search(done.out)

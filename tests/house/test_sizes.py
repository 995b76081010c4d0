"""Small files with plain names: what can be read in one sitting is read."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CEILING = 400  # lines; beyond 300 a file should have a reason, beyond this it stands below with one
LONG_FOR_A_REASON: dict[str, str] = {}
WORDS_FOR_NOTHING = {"utils", "util", "helpers", "helper", "common", "core", "misc", "manager", "processor", "base"}

SOURCES = sorted((ROOT / "app").rglob("*.py"))
IDS = [str(path.relative_to(ROOT)) for path in SOURCES]


@pytest.mark.parametrize("path", SOURCES, ids=IDS)
def test_a_file_is_short_enough_to_be_read(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    name = str(path.relative_to(ROOT))
    assert lines <= CEILING or name in LONG_FOR_A_REASON, f"{name} has {lines} lines"


def test_exceptions_are_still_needed() -> None:
    for name in LONG_FOR_A_REASON:
        assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) > CEILING, f"{name} became short"


@pytest.mark.parametrize("path", SOURCES, ids=IDS)
def test_a_file_is_named_for_what_it_holds_and_says_so(path: Path) -> None:
    assert path.stem not in WORDS_FOR_NOTHING
    text = path.read_text(encoding="utf-8")
    if path.name == "__init__.py":
        assert not text.strip() or path.parent == ROOT / "app", "an __init__.py is empty"
    else:
        assert ast.get_docstring(ast.parse(text)), "a module begins with what it is"


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=lambda path: path.name)
def test_tests_are_named_as_sentences(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            assert node.name.count("_") >= 3, f"{node.name} is no sentence"


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.name)
def test_no_test_waits_by_the_clock(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "time.sleep":
            pytest.fail(f"{path.name}:{node.lineno} sleeps; wait for what you wait for, with a bound")

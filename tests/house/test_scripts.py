"""The scripts keep their own rules: nothing that the policy forbids, no data of their own, one behaviour a file."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.web.assets import Assets

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
# What Trusted Types and the policy refuse, and what would make a second way to data.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|createContextualFragment|"
    r"setHTMLUnsafe|parseFromString|\bfetch\(|XMLHttpRequest|EventSource|WebSocket|sendBeacon|localStorage|\.onclick|"
    r"https?://|^\s*(?:import|export)\b",
    re.MULTILINE,
)


def code_of(path: Path) -> str:
    return re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_does_nothing_that_is_forbidden(path: Path) -> None:
    assert FORBIDDEN.findall(code_of(path)) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_says_first_what_it_is_for(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("// ")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_that_makes_an_element_has_its_name(path: Path) -> None:
    made = re.findall(r'customElements\.define\("([\w-]+)"', code_of(path))
    assert made in ([], [path.stem])


def test_the_joined_script_can_be_parsed(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("No node here to parse scripts with; the journeys run them in a browser.")
    joined = tmp_path / "app.mjs"
    joined.write_bytes(Assets.load(ROOT / "static", "cdn", None).files["app.js"].content)
    parsed = subprocess.run(["node", "--check", joined], capture_output=True, text=True, check=False)
    assert parsed.returncode == 0, parsed.stderr

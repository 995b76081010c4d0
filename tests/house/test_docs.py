"""The documents under test: what they list is complete, what they link to exists, and they tell of no machine."""

import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import typer.main

from app.cli.operating import as_markdown
from app.cli.program import program
from app.domain.errors import AppError
from app.settings.reading import listing
from app.settings.values import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
IDS = [str(page.relative_to(ROOT)) for page in PAGES]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


# --- settings, commands, errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["docs/settings.md", "README.md"])
def test_the_table_of_settings_is_the_one_that_the_program_prints(name: str) -> None:
    found = re.search(r"<!-- settings: .*? -->\n(.*)<!-- /settings -->", text_of(name), re.DOTALL)
    assert found, f"{name} has no place for the table"
    expected = as_markdown(tuple(listing(Settings.model_construct())))
    assert found[1].strip() == expected, f"put the output of `footnote settings --markdown` into {name}"


def test_every_command_and_option_is_explained() -> None:
    text = text_of("docs/command-line.md")
    commands = typer.main.get_command(program).commands  # type: ignore[attr-defined]
    assert len(commands) >= 9
    for name, command in commands.items():
        section = re.search(rf"^## footnote {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert section, f"docs/command-line.md has no section for {name}"
        for parameter in command.params:
            long = next((option for option in parameter.opts if option.startswith("--")), None)
            if long and long != "--help":
                assert long in section[1], f"docs/command-line.md does not tell of {name} {long}"


def error_classes(parent: type[AppError] = AppError) -> Iterator[type[AppError]]:
    for child in parent.__subclasses__():
        yield child
        yield from error_classes(child)


@pytest.mark.parametrize("error", sorted(error_classes(), key=lambda error: error.code), ids=lambda error: error.code)
def test_every_error_has_its_place_in_the_documents(error: type[AppError]) -> None:
    assert f"`{error.code}`" in text_of("docs/errors.md"), f"docs/errors.md does not tell of {error.code}"


# --- links -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.relative_to(ROOT)} links to {target}"
        if anchor:
            assert anchor in anchors(there), f"{page.relative_to(ROOT)} links to {target}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [page for page in PAGES if "docs" in page.parts], ids=lambda page: page.name)
def test_a_page_can_be_reached_from_the_first_one(page: Path) -> None:
    reached, waiting = set[Path](), [ROOT / "docs" / "index.md"]
    while waiting:
        here = waiting.pop()
        if here not in reached and here.is_file() and here.suffix == ".md":
            reached.add(here)
            links = LINK.findall(here.read_text(encoding="utf-8"))
            waiting += [(here.parent / link.partition("#")[0]).resolve() for link in links if ":" not in link]
    assert page in reached


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_a_page_has_one_title_and_steps_down_one_level_at_a_time(page: Path) -> None:
    levels = [
        len(marks) for marks in re.findall(r"^(#+) ", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    ]
    assert levels[:1] == [1]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


# --- what no file may hold -------------------------------------------------------------------------------------------

FOREIGN = {
    "a path of some machine": re.compile(r"(?<![\w.])/(?:home|Users|work|root|mnt)/[\w.-]+"),
    "the host of a package registry": re.compile(r"\b(?:pypi|npmjs|pythonhosted)\.(?:org|com)\b"),
    "a secret": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bghp_\w{30,}"),
    "an open end": re.compile(r"\b(?:TODO|FIXME|XXX)\b"),
}


def tracked_texts() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("no repository here")
    paths = (ROOT / name for name in listed.stdout.decode("utf-8").split("\0") if name)
    return [
        path for path in paths if path.is_file() and path.suffix not in (".png", ".lock") and path != Path(__file__)
    ]


@pytest.mark.parametrize("what", FOREIGN)
def test_no_tracked_file_holds(what: str) -> None:
    for path in tracked_texts():
        found = FOREIGN[what].search(path.read_text(encoding="utf-8"))
        assert not found, f"{path.relative_to(ROOT)} holds {what}: {found[0]}"

"""What is installed: fixed by hash, from nowhere in particular, and new enough to be safe."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# Below these a known hole is open. Raise one when an advisory says so; see docs/security.md.
FLOORS = {
    "starlette": "1.3.1",
    "python-multipart": "0.0.30",
    "h11": "0.16.0",
    "jinja2": "3.1.6",
    "sse-starlette": "3.7.0",
    "uvicorn": "0.54",
    "nh3": "0.3.7",
    "pyjwt": "2.15.1",
    "joserfc": "1.6.8",
    "authlib": "1.7.1",
    "mcp": "2.3.0",
}


def locked(name: str) -> dict[str, Version]:
    text = (ROOT / name).read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)", text, re.MULTILINE)
    return {canonicalize_name(package): Version(pin) for package, pin in pins}


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_names_versions_and_hashes_and_no_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^-", text, re.MULTILINE), "options belong to who installs"
    for entry in re.split(r"\n(?=\S)", text.strip()):
        assert "==" in entry.splitlines()[0], entry.splitlines()[0]
        assert "--hash=sha256:" in entry, entry.splitlines()[0]


def test_the_lock_holds_all_that_the_project_and_its_build_need() -> None:
    pins = locked("requirements.lock")
    needed = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"], "editables"]
    for line in needed:
        requirement = Requirement(line)
        pin = pins.get(canonicalize_name(requirement.name))
        assert pin is not None, f"{requirement.name} is not locked: make lock"
        assert requirement.specifier.contains(pin), f"{requirement} is locked at {pin}: make lock"


def test_the_development_lock_adds_to_the_other_and_changes_nothing() -> None:
    pins, more = locked("requirements.lock"), locked("requirements-dev.lock")
    assert {package: more.get(package) for package in pins} == pins
    for line in PROJECT["project"]["optional-dependencies"]["dev"]:
        assert canonicalize_name(Requirement(line).name) in more, f"{line} is not locked: make lock"


@pytest.mark.parametrize(("package", "floor"), FLOORS.items())
def test_no_version_with_a_known_hole_is_locked_or_installed(package: str, floor: str) -> None:
    pin = locked("requirements-dev.lock").get(canonicalize_name(package))
    if pin is None:
        assert not any(
            canonicalize_name(Requirement(line).name) == package for line in PROJECT["project"]["dependencies"]
        )
        return
    assert pin >= Version(floor)
    assert Version(version(package)) >= Version(floor)

"""The one artefact that is shipped: built from here, run away from here, asked for a page."""

import os
import re
import selectors
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 60


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    built = subprocess.run([*command, "--wheel-dir", out, ROOT], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files in a folder of their own; the libraries are those of this environment."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def environment(installed: Path, tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FOOTNOTE_")}
    return {
        **kept,
        "PYTHONPATH": str(installed),
        "PYTHONSAFEPATH": "1",
        "FOOTNOTE_DATA": str(tmp_path / "data"),
        "FOOTNOTE_DEFAULT_KNOWLEDGE": "false",
    }


def test_the_wheel_holds_code_templates_style_and_handbook_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for kind, folder in (("templates", "templates"), ("static", "static"), ("docs", "docs")):
        shipped = {name.removeprefix(f"app/{kind}/") for name in names if name.startswith(f"app/{kind}/")}
        assert shipped == {
            str(file.relative_to(ROOT / folder)) for file in (ROOT / folder).rglob("*") if file.is_file()
        }
    assert "app/storage/migrations/env.py" in names
    assert [name for name in names if not name.startswith(("app/", "footnote_web-"))] == []
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_installed_program_runs_from_the_wheel(
    installed: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    script = (
        "import app, app.resources as r; print(app.__file__); print(*map(r.folder, ('templates', 'static', 'docs')))"
    )
    where = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert all(path.startswith(str(installed)) for path in where.stdout.split())
    version = subprocess.run(
        [sys.executable, "-m", "app", "--version"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.fullmatch(r"footnote \d+\.\d+\.\d+\n", version.stdout)


@pytest.fixture
def server(environment: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """The address of a server started from the wheel; stopped at the end."""
    log = tmp_path / "server.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "serve", "--port", "0"],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    assert process.stdout is not None
    with process, selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        try:
            ready = process.stdout.readline().decode() if waiting.select(SECONDS) else ""
            found = re.search(r"http://\S+", ready)
            assert found, f"not ready: {ready!r} {log.read_text(encoding='utf-8')}"
            yield found[0]
        finally:
            process.terminate()
            process.wait(SECONDS)


def test_the_installed_server_answers_a_page_with_its_style(server: str) -> None:
    with urllib.request.urlopen(server, timeout=SECONDS) as reply:
        page = reply.read().decode("utf-8")
    assert reply.status == 200
    assert "<form" in page
    style = re.search(r'<link[^>]+rel="stylesheet"[^>]+href="([^"]+)"|<link[^>]+href="([^"]+\.css)"', page)
    assert style
    with urllib.request.urlopen(server + (style[1] or style[2]), timeout=SECONDS) as sheet:
        assert sheet.headers.get_content_type() == "text/css"
        assert len(sheet.read()) > 1000

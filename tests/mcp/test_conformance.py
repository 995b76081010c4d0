"""The protocol's own conformance suite against our endpoint, in both eras. It needs node, npm and once the network.

The suite and its runtime are installed once for this machine, in its folder for temporary files. Where they cannot be
had the tests are left out and say why; where `CI` is set that is a failure.
"""

import asyncio
import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.corpus import plant
from tests.support.programs import LEGACY, MODERN, listening, program_app

PACKAGES = ("@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22")
FOLDER = Path(tempfile.gettempdir()) / f"footnote-conformance-0.2.0-alpha.12-{os.getuid()}"
INSTALL_SECONDS, RUN_SECONDS = 300, 60

SCENARIOS = [
    *((MODERN, name) for name in ("http-header-validation", "server-stateless")),
    *((LEGACY, name) for name in ("server-initialize", "ping", "server-session-lifecycle")),
    *(
        (era, name)
        for era in (MODERN, LEGACY)
        for name in ("tools-list", "tools-call-error", "server-sse-multiple-streams", "dns-rebinding-protection")
    ),
]
# These two call a tool of the suite's own, which a server would have to offer for them.
NOT_OURS = {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"}

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CHECK = re.compile(r"\[([\w-]+) *\] (SUCCESS|FAILURE)")

pytestmark = pytest.mark.timeout(INSTALL_SECONDS + 2 * RUN_SECONDS)


def missing(why: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """The command that runs the suite; installed by whichever test process comes first, while the others wait."""
    npm = shutil.which("npm")
    if npm is None:
        missing("npm is not installed")
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    if FOLDER.stat().st_uid != os.getuid():
        missing(f"{FOLDER} belongs to somebody else")
    script = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    node = FOLDER / "node_modules/.bin/node"
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (FOLDER / "installed").is_file():
            command = [str(npm), "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), *PACKAGES]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
            except subprocess.TimeoutExpired:
                missing("npm did not end in time")
            if done.returncode or not script.is_file() or not node.exists():
                missing(f"npm could not install the suite: {done.stderr[-400:]}")
            (FOLDER / "installed").touch()
    return [str(node), str(script)]


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    async with plant(tmp_path):
        pass
    async with listening(program_app(tmp_path / "data")) as there:
        yield f"{there}/mcp"


@pytest.mark.parametrize(("era", "scenario"), SCENARIOS)
async def test_the_suite_finds_nothing_wrong(suite: list[str], address: str, era: str, scenario: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *suite,
        *("server", "--url", address, "--scenario", scenario, "--spec-version", era),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(RUN_SECONDS):
        out, _ = await process.communicate()
    text = COLOUR.sub("", out.decode())
    checks = CHECK.findall(text)
    failed = {name for name, verdict in checks if verdict == "FAILURE"}
    assert failed <= (NOT_OURS if scenario == "server-stateless" else set()), text
    assert process.returncode == (1 if failed else 0), text
    assert "Test Results:" in text, text
    stateless = ("server-session-lifecycle", "server-sse-multiple-streams") if era == LEGACY else ()
    assert ("SUCCESS" in {verdict for _, verdict in checks}) or scenario in stateless, text

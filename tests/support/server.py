"""A server in a process of its own, for tests that need a real one. Not how it is talked to.

Run as a program it serves the app over a data folder; with `--scripted` its answers are those of `tests.support.plays`.
"""

import argparse
import re
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from app.main import create_app
from app.settings.values import Settings
from app.telemetry.logging import configure_logging
from tests.support.plays import PLAYS

ROOT = Path(__file__).parents[2]
START_SECONDS = 60.0
STOP_SECONDS = 20.0


@dataclass(slots=True)
class Server:
    """Serves `data` on a free port, and on the same one again after a restart. Settings are those of the environment.

    `scripted`: answers come from a script, chosen by the question's first word.
    """

    data: Path
    environment: Mapping[str, str]
    scripted: bool = False
    port: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.data.with_name(f"{self.data.name}.log")

    def start(self) -> None:
        """Returns when it can be reached."""
        command = [sys.executable, "-m", "tests.support.server", "--data", str(self.data), "--port", str(self.port)]
        with self.log.open("ab") as errors:
            self.process = subprocess.Popen(
                command + (["--scripted"] if self.scripted else []),
                cwd=ROOT,
                env=dict(self.environment),
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.process.stdout, selectors.EVENT_READ)
            line = self.process.stdout.readline().decode() if waiting.select(START_SECONDS) else ""
        found = re.search(r"ready on (\d+)", line)
        if found is None:
            self.kill()
            raise AssertionError(f"the server did not start: {self.log.read_text(encoding='utf-8')[-4000:]}")
        self.port = int(found[1])

    def kill(self) -> None:
        """As a crash does it: kill -9."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(STOP_SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.process = None


class _Announced(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            print(f"ready on {port}", flush=True)  # noqa: T201


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--scripted", action="store_true")
    options = parser.parse_args()
    settings = Settings(data=options.data, default_knowledge=False, assets="local")
    configure_logging(level="warning", form="console")  # to standard error: the other line is for who started us
    app = create_app(settings, source=PLAYS if options.scripted else None)
    _Announced(
        uvicorn.Config(app, port=options.port, log_config=None, timeout_graceful_shutdown=5, server_header=False)
    ).run()


if __name__ == "__main__":
    main()

"""Programs measured as a whole: how long they take, how much memory they and their children hold. Not what they do."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, "-m", "app")
SAMPLE_SECONDS = 0.05
READY_SECONDS = 300


class Failed(Exception):
    """A program ended otherwise than well; the text is what it said."""


@dataclass(frozen=True, slots=True)
class Ended:
    """`peak` is the greatest sum of memory of the program and its children, in bytes."""

    seconds: float
    peak: int
    output: str


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that can be asked; `seconds` is the time from its start until it was ready."""

    address: str
    pid: int
    seconds: float


def run(arguments: Sequence[str], settings: Mapping[str, str], log: Path) -> Ended:
    """Run a command of ours to its end; what it says besides goes to `log`. Raises Failed."""
    began = perf_counter()
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [*PROGRAM, *arguments],
            cwd=ROOT,
            env=_environment(settings),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        with _watched(process.pid) as memory:
            output, _ = process.communicate()
    if process.returncode:
        raise Failed(f"{' '.join(arguments)}: {_end_of(log)}")
    return Ended(perf_counter() - began, memory.peak, output)


@contextmanager
def serving(settings: Mapping[str, str], log: Path, until_ready: Callable[[str], None]) -> Iterator[Serving]:
    """A server on a free port, stopped at the end; `until_ready` waits for the address given to it. Raises Failed."""
    began = perf_counter()
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [*PROGRAM, "serve", "--port", "0"],
            cwd=ROOT,
            env=_environment(settings),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    watchdog = threading.Timer(READY_SECONDS, process.kill)
    watchdog.start()
    with process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            if not found:
                raise Failed(f"serve: {_end_of(log)}")
            until_ready(found[0])
            watchdog.cancel()
            yield Serving(found[0], process.pid, perf_counter() - began)
        finally:
            watchdog.cancel()
            process.terminate()


def memory_of(pid: int) -> int:
    """What a process and its children hold, in bytes, shared pages counted once; 0 where the system does not tell."""
    held, waiting = 0, [pid]
    while waiting:
        here = waiting.pop()
        try:
            told = Path(f"/proc/{here}/smaps_rollup").read_text(encoding="ascii")
            for children in Path(f"/proc/{here}/task").glob("*/children"):  # each thread has its own
                waiting += map(int, children.read_text(encoding="ascii").split())
        except OSError:  # it has just ended
            continue
        held += sum(int(size) * 1024 for size in re.findall(r"^Pss:\s+(\d+) kB", told, re.MULTILINE))
    return held


@dataclass(slots=True)
class _Memory:
    peak: int = 0


@contextmanager
def _watched(pid: int) -> Iterator[_Memory]:
    memory, done = _Memory(), threading.Event()

    def look() -> None:
        while not done.wait(SAMPLE_SECONDS):
            memory.peak = max(memory.peak, memory_of(pid))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield memory
    finally:
        done.set()
        watcher.join()


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FOOTNOTE_")}
    return {**kept, **settings}


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-2000:]

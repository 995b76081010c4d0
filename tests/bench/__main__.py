"""`make bench`: speed and size against the goals, each from a program run as a whole. No test, no promise."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.asking import answers, page_weight, percentile, questions_of, until_ready
from tests.bench.attribution import control, judged
from tests.bench.processes import Failed, memory_of, run, serving
from tests.bench.remote import added_by_us, silence
from tests.support.shared import SharedMissing, shared_folder

MB = 1_000_000
COLLECTION = "corpus"
NOTES = Console(stderr=True, highlight=False)
# Asked where there are no questions of real users: plain ones about the default knowledge.
PLAIN = (
    "How do I write rows to a CSV file?",
    "How do I run a program and read its output?",
    "What does a weak answer mean?",
    "How do I compress a folder into an archive?",
)


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, and the goal: at most, or at least where the sign is ≥."""

    name: str
    value: float
    unit: str
    sign: str = "≤"
    goal: float | None = None

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        return self.value <= self.goal if self.sign == "≤" else self.value >= self.goal


def main() -> int:
    out = Console()
    table = Table("Figure", "Measured", "Goal", "", title=f"On {os.cpu_count()} cores, Python {sys.version.split()[0]}")
    missed = False
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        try:
            for figure in _measured(Path(folder)):
                goal = "" if figure.goal is None else f"{figure.sign} {figure.goal:g} {figure.unit}"
                verdict = {True: "met", False: "missed", None: ""}[figure.met]
                missed |= figure.met is False
                table.add_row(figure.name, f"{figure.value:.4g} {figure.unit}", goal, verdict)
                NOTES.print(f"{figure.name}: {figure.value:.4g} {figure.unit} {verdict}", markup=False)
        except Failed as error:
            NOTES.print(f"bench: {error}", markup=False)
            return 1
    out.print(table)
    return int(missed)


def _measured(folder: Path) -> Iterator[Figure]:
    settings = {"FOOTNOTE_DATA": str(folder / "data"), "FOOTNOTE_DEFAULT_KNOWLEDGE": "false"}
    questions = list(PLAIN)
    try:
        shared = shared_folder()
    except SharedMissing as missing:
        NOTES.print(f"{missing} The default knowledge is measured instead.", markup=False)
        settings["FOOTNOTE_DEFAULT_KNOWLEDGE"] = "true"
        yield from _first_start(settings, folder)
    else:
        yield from _ingest(shared, folder, settings)
        yield from _evaluation(shared, folder, settings)
        questions = questions_of((shared / "eval" / "questions.jsonl").read_text(encoding="utf-8"))
    yield from _server(settings, folder, questions)
    for name, milliseconds, goal in added_by_us(folder):
        yield Figure(name, milliseconds, "ms", "≤", goal)
    if (seen := silence(folder)) is None:
        NOTES.print("no nginx here: a silent source behind a proxy is not measured", markup=False)
    else:
        NOTES.print(f"behind nginx: {seen.pings} signs of life, ended as {seen.ended}", markup=False)
        yield Figure("silent source behind nginx, longest wait", seen.longest_wait, "s", "≤", 20)
        yield Figure("silent source behind nginx, stream kept for", seen.seconds, "s", "≥", 85)
    yield from _attribution()


def _attribution() -> Iterator[Figure]:
    """Over the part that no threshold was chosen on; see tests/data/attribution."""
    score = judged("fresh")
    yield Figure("attribution, precision", score.precision, "", "≥", 0.90)
    yield Figure("attribution, recall", score.recall, "", "≥", 0.75)
    yield Figure("attribution, numbered by foreign documents", control("fresh"), "", "≤", 0.03)


def _ingest(shared: Path, folder: Path, settings: dict[str, str]) -> Iterator[Figure]:
    pages = folder / "corpus"
    pages.mkdir()
    for archive in sorted((shared / "corpus").glob("*.tar.zst")):
        subprocess.run(["tar", "--zstd", "-xf", archive, "-C", pages], check=True)
    manifest = str(shared / "corpus" / "manifest.jsonl")
    command = ["ingest", str(pages), "--collection", COLLECTION, "--manifest", manifest, "--json"]
    first = run(command, settings, folder / "ingest.log")
    taken = json.loads(first.output)
    yield Figure("ingest, pages a second", taken["added"] / taken["seconds"], "1/s", "≥", 100)
    yield from _memory("ingest, peak memory", first.peak, 500)
    again = run(command, settings, folder / "again.log")
    same = json.loads(again.output)
    if same["added"] or same["changed"]:
        raise Failed(f"the second ingest found changes: {same['added']} added, {same['changed']} changed")
    yield Figure("ingest again, share of the time", again.seconds / first.seconds, "")


def _evaluation(shared: Path, folder: Path, settings: dict[str, str]) -> Iterator[Figure]:
    done = run(["evaluate", str(shared / "eval" / "questions.jsonl"), "--json"], settings, folder / "evaluate.log")
    report = json.loads(done.output)
    yield Figure("search, p95", report["search_p95_ms"], "ms", "≤", 15)
    yield Figure("answer in the process, p95", report["ask_p95_ms"], "ms", "≤", 300)


def _first_start(settings: dict[str, str], folder: Path) -> Iterator[Figure]:
    with serving(settings, folder / "first.log", until_ready) as server:
        yield Figure("first start with default knowledge", server.seconds, "s")


def _server(settings: dict[str, str], folder: Path, questions: list[str]) -> Iterator[Figure]:
    try:
        run(["assets"], settings, folder / "assets.log")
        settings = {**settings, "FOOTNOTE_ASSETS": "local"}
    except Failed:
        NOTES.print("htmx could not be fetched: the page is weighed without it", markup=False)
    with serving(settings, folder / "serve.log", until_ready) as server:
        yield Figure("start to ready", server.seconds, "s", "≤", 3)
        weight, elsewhere = page_weight(server.address)
        yield Figure("first page, all included", weight / 1000, "kB", "≤", 60)
        for address in elsewhere:
            NOTES.print(f"not weighed, on another host: {address}", markup=False)
        yield from _memory("memory before the first question", memory_of(server.pid))
        timings = answers(server.address, questions)
        yield Figure(
            "first message, p95", percentile([timing.first for timing in timings], 0.95) * 1000, "ms", "≤", 100
        )
        yield Figure("whole answer, p95", percentile([timing.whole for timing in timings], 0.95) * 1000, "ms", "≤", 300)
        yield from _memory("idle memory", memory_of(server.pid), 180)


def _memory(name: str, held: int, goal: float | None = None) -> Iterator[Figure]:
    if held:  # not every system tells
        yield Figure(name, held / MB, "MB", "≤", goal)


if __name__ == "__main__":
    sys.exit(main())

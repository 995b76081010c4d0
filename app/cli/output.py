"""What commands print: progress on standard error, results on standard output. Not what is printed."""

import json
import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from app.corpus.ingest import Progress as IngestProgress


def print_json(value: object, *, indent: int | None = 2) -> None:
    """One JSON value on standard output, for programs; characters as they are."""
    print(json.dumps(value, ensure_ascii=False, indent=indent))


class Bar:
    """A progress bar with rate and time left. Where standard error is no terminal it stays silent."""

    def __init__(self, unit: str) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._unit = unit
        self._task = self._progress.add_task("", total=None, rate="", visible=False)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, what: str, done: int, total: int) -> None:
        """`what` is being done; `done` of `total` units are finished."""
        speed = self._progress.tasks[0].speed
        rate = f"{speed:.0f} {self._unit}/s" if speed else ""
        self._progress.update(self._task, description=what, completed=done, total=total, rate=rate, visible=True)


class IngestBar(Bar):
    """The bar of an ingest: phases and pages."""

    def __init__(self) -> None:
        super().__init__("pages")

    def update(self, progress: IngestProgress) -> None:
        self.show(progress.phase, progress.done, progress.total)

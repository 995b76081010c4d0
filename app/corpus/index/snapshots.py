"""Which folder holds the index that counts: one line of JSON names it, with a sum over its files. Not what is in them.

    index/index.json        {"recipe": …, "generation": …, "folder": "v17…", "files": {"chunks/….idx": [size, crc], …}}
    index/v17…/             the files of that generation; written once, never changed

A writer makes a folder of its own (hard links to the files that stay), and names it when all is written. So whatever
is named is whole: a crash leaves a folder that nobody names, and the next writer sweeps it away. All sums are compared
where a process opens an index first or builds upon it; who follows a writer that has just named one compares sizes.
"""

import json
import os
import shutil
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.corpus.index.keeping import Named

NAME = "index.json"
BLOCK = 1 << 20

Stamp = tuple[int, int]
Sums = Mapping[str, tuple[int, int]]  # size and CRC-32 of each file


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A named folder, found whole."""

    generation: int
    place: Path


@dataclass(frozen=True, slots=True)
class _Name:
    """What the one line says."""

    recipe: str
    snapshot: Snapshot
    files: Sums


def newest(folder: Path, recipe: str, *, whole: bool = True) -> Snapshot | None:
    """The snapshot that is named, or None where none is; with `whole` its files are read and compared with their sums.

    Raises ValueError where it is damaged or of another recipe.
    """
    found = _read(folder)
    if found is None:
        return None
    if found.recipe != recipe:
        raise ValueError(f"made by another version ({found.recipe})")
    if _sizes(found.snapshot.place) != {path: size for path, (size, _) in found.files.items()} or (
        whole and sums(found.snapshot.place) != found.files
    ):
        raise ValueError("its files are not as they were written")
    return found.snapshot


def described(folder: Path) -> Named | None:
    """What is named, sound or not; None where nothing is, or nothing that can be read."""
    try:
        found = _read(folder)
        if found is None:
            return None
        made_at = datetime.fromtimestamp((folder / NAME).stat().st_mtime, UTC)
    except (OSError, ValueError):
        return None
    held = sum(size for size, _ in found.files.values())
    return Named(found.recipe, found.snapshot.generation, made_at, held)


def faults(folder: Path, recipe: str) -> tuple[str, ...]:
    """What is wrong with the files, each as a sentence; all of them are read."""
    try:
        found = _read(folder)
    except (OSError, ValueError) as error:
        return (str(error),)
    if found is None:
        return ("there is no index",)
    if found.recipe != recipe:
        return (f"the index was made by another version ({found.recipe}, now {recipe})",)
    present = sums(found.snapshot.place)
    return tuple(
        f"{path} {_fault(present.get(path), found.files.get(path))}"
        for path in sorted({*present, *found.files})
        if present.get(path) != found.files.get(path)
    )


def _fault(present: tuple[int, int] | None, written: tuple[int, int] | None) -> str:
    if present is None:
        return "is missing"
    return "is not as it was written" if written else "does not belong to the index"


def _read(folder: Path) -> _Name | None:
    """Raises ValueError where it cannot be understood."""
    try:
        named = json.loads((folder / NAME).read_bytes())
    except FileNotFoundError:
        return None
    try:
        files = {str(path): (int(size), int(crc)) for path, (size, crc) in dict(named["files"]).items()}
        return _Name(str(named["recipe"]), Snapshot(int(named["generation"]), folder / str(named["folder"])), files)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{NAME} is damaged") from error


def stamp(folder: Path) -> Stamp | None:
    """Changes whenever another snapshot is named; cheap."""
    try:
        found = (folder / NAME).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


def begin(folder: Path, former: Snapshot | None) -> Path:
    """A folder for the next snapshot, with the files of the former one, if any."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"v{time.time_ns()}"
    if former is None:
        place.mkdir()
    else:
        shutil.copytree(former.place, place, copy_function=_linked, ignore=shutil.ignore_patterns("*.lock"))
    return place


def name(folder: Path, recipe: str, snapshot: Snapshot, files: Sums) -> None:
    """Make the snapshot the newest, at once. `files` are its sums."""
    named = {
        "recipe": recipe,
        "generation": snapshot.generation,
        "folder": snapshot.place.name,
        "files": files,
    }
    fresh = folder / f"{NAME}.new"
    with fresh.open("w", encoding="utf-8") as file:
        json.dump(named, file)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(folder / NAME)


def sweep(folder: Path, snapshot: Snapshot) -> None:
    """Remove all snapshots but this one. Who still reads their files keeps them."""
    for place in folder.glob("v*"):
        if place != snapshot.place:
            drop(place)


def drop(place: Path) -> None:
    """Remove a snapshot's folder."""
    shutil.rmtree(place, ignore_errors=True)


def sums(place: Path) -> Sums:
    """Size and CRC-32 of each file: enough to see what a crash or a full disk did to it."""
    found = {}
    for name, path in _files(place).items():
        size = crc = 0
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                size += len(block)
                crc = zlib.crc32(block, crc)
        found[name] = (size, crc)
    return found


def _sizes(place: Path) -> dict[str, int]:
    return {name: path.stat().st_size for name, path in _files(place).items()}


def _files(place: Path) -> dict[str, Path]:
    found = (path for path in sorted(place.rglob("*")) if path.suffix != ".lock" and path.is_file())
    return {path.relative_to(place).as_posix(): path for path in found}


def _linked(source: str, target: str) -> None:
    with suppress(OSError):
        os.link(source, target)
        return
    shutil.copyfile(source, target)  # a file system without hard links

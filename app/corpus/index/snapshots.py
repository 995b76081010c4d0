"""Which folder holds the index that counts: one line of JSON names it, with a sum over its files. Not what is in them.

    index/index.json        {"recipe": …, "generation": …, "folder": "v17…", "files": {"chunks/….idx": [size, crc], …}}
    index/v17…/             the files of that generation; written once, never changed

A writer makes a folder of its own (hard links to the files that stay), and names it when all is written. So whatever
is named is whole: a crash leaves a folder that nobody names, and the next writer sweeps it away.
"""

import json
import os
import shutil
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

NAME = "index.json"
BLOCK = 1 << 20

Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A named folder, found whole."""

    generation: int
    place: Path


def newest(folder: Path, recipe: str) -> Snapshot | None:
    """The snapshot that is named, or None where none is. Raises ValueError where it is damaged or of another recipe."""
    try:
        named = json.loads((folder / NAME).read_bytes())
    except FileNotFoundError:
        return None
    try:
        generation, name, files = int(named["generation"]), str(named["folder"]), dict(named["files"])
        found_recipe = named["recipe"]
    except (KeyError, TypeError) as error:
        raise ValueError(f"{NAME} is damaged") from error
    if found_recipe != recipe:
        raise ValueError(f"made by another version ({found_recipe})")
    place = folder / name
    if _sums(place) != {path: tuple(sum_) for path, sum_ in files.items()}:
        raise ValueError("its files are not as they were written")
    return Snapshot(generation, place)


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


def name(folder: Path, recipe: str, snapshot: Snapshot) -> None:
    """Make the snapshot the newest, at once, and sweep the others away. Who still reads their files keeps them."""
    named = {
        "recipe": recipe,
        "generation": snapshot.generation,
        "folder": snapshot.place.name,
        "files": _sums(snapshot.place),
    }
    fresh = folder / f"{NAME}.new"
    with fresh.open("w", encoding="utf-8") as file:
        json.dump(named, file)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(folder / NAME)
    for place in folder.glob("v*"):
        if place != snapshot.place:
            drop(place)


def drop(place: Path) -> None:
    """Remove a snapshot's folder."""
    shutil.rmtree(place, ignore_errors=True)


def _sums(place: Path) -> dict[str, tuple[int, int]]:
    """Size and CRC-32 of each file: enough to see what a crash or a full disk did to it."""
    sums = {}
    for path in sorted(place.rglob("*")):
        if not path.is_file() or path.suffix == ".lock":
            continue
        size = crc = 0
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                size += len(block)
                crc = zlib.crc32(block, crc)
        sums[path.relative_to(place).as_posix()] = (size, crc)
    return sums


def _linked(source: str, target: str) -> None:
    with suppress(OSError):
        os.link(source, target)
        return
    shutil.copyfile(source, target)  # a file system without hard links

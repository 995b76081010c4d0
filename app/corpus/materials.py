"""What is to be ingested: files of folders, each with its address. Not what is in them.

Addresses, in this order: the manifest's; the base address and the path below the folder; else
`footnote://{collection}/{path}`, an address that only our own reader knows. `index` and `README` are their folder.
Where two files have one address, the first wins (an index file before its namesake) and the other is told.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from app.corpus.readers.reading import SUFFIXES
from app.domain.documents import name_of
from app.domain.errors import ManifestInvalid, PathMissing

OWN_SCHEME = "footnote"
FOLDER_PAGES = ("index", "readme", "_index")
PATH_SAFE = "/-._~!$&'()*+,;=:@"  # RFC 3986, 3.3: what may stand in a path as it is; a percent sign may not


@dataclass(frozen=True, slots=True)
class Material:
    """One document to be. `origin` is its stable path; its bytes lie in `data` or in the file at `path`."""

    origin: str
    uri: str
    file_name: str
    path: Path | None = None
    data: bytes | None = None
    title: str = ""
    language: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was not taken, or was taken with a warning, and why."""

    origin: str
    reason: str


@dataclass(frozen=True, slots=True)
class Materials:
    found: tuple[Material, ...]
    skipped: tuple[SkippedFile, ...] = ()


def materials_of(
    paths: Sequence[Path], *, collection: str, base_uri: str | None = None, manifest: Path | None = None
) -> Materials:
    """The files below `paths`, in a stable order. Raises PathMissing and ManifestInvalid."""
    for path in paths:
        if not path.exists():
            raise PathMissing(str(path))
    skipped: list[SkippedFile] = []
    if manifest is not None:
        found = list(_of_manifest(paths, manifest, skipped))
    else:
        found = [_of_file(file, origin, collection, base_uri) for file, origin in _walked(paths, skipped)]
    return Materials(tuple(_without_clashes(found, skipped)), tuple(skipped))


def _of_file(file: Path, origin: str, collection: str, base_uri: str | None) -> Material:
    stem, _, _ = origin.rpartition(".")
    head, _, last = stem.rpartition("/")
    page = head if last.lower() in FOLDER_PAGES else stem
    base = base_uri.rstrip("/") if base_uri else f"{OWN_SCHEME}://{quote(collection, safe='')}"
    address = f"{base}/{quote(page, safe=PATH_SAFE, errors='surrogateescape')}".rstrip("/")
    return Material(origin=origin, uri=address, file_name=file.name, path=file)


def _walked(paths: Sequence[Path], skipped: list[SkippedFile]) -> Iterator[tuple[Path, str]]:
    """Regular files with a suffix that we read; links are followed only to files inside the same folder."""
    for path in paths:
        root = path.resolve()
        if root.is_file():
            yield root, path.name
            continue
        targets: set[Path] = set()
        for folder, folders, files in os.walk(root, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files, key=lambda name: (_rank(name), name)):
                file = Path(folder, name)
                if file.suffix.lower() not in SUFFIXES:
                    continue
                origin = _origin(file.relative_to(root))
                if reason := _why_not(file, root, targets):
                    skipped.append(SkippedFile(origin, reason))
                else:
                    targets.add(file.resolve())
                    yield file, origin


def _rank(name: str) -> bool:
    return Path(name).stem.lower() not in FOLDER_PAGES


def _why_not(file: Path, root: Path, taken: set[Path]) -> str:
    if file.is_symlink():
        target = file.resolve()
        if not target.exists():
            return "a link to nothing"
        if not target.is_relative_to(root):
            return "a link that leaves the folder"
        if target in taken or target.suffix.lower() in SUFFIXES:
            return "a link to a file that is taken by itself"
    if not file.is_file():
        return "not a regular file"
    if file.name.startswith("."):
        return "a hidden file"
    return ""


def _origin(relative: Path) -> str:
    return os.fsencode(relative.as_posix()).decode("utf-8", "backslashreplace")


def _of_manifest(paths: Sequence[Path], manifest: Path, skipped: list[SkippedFile]) -> Iterator[Material]:
    roots = [path.resolve() for path in paths]
    try:
        lines = manifest.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise PathMissing(str(manifest)) from error
    except UnicodeDecodeError as error:
        raise ManifestInvalid(f"{manifest}: not UTF-8") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        entry = _entry(line, f"{manifest.name}, line {number}")
        site, path = entry.get("site", ""), entry["path"]
        origin = f"{site}/{path}" if site else path
        file = next((file for root in roots if (file := _inside(root, origin) or _inside(root, path))), None)
        if file is None:
            skipped.append(SkippedFile(origin, "named by the manifest, but no such file in the folders given"))
            continue
        yield Material(
            origin=origin,
            uri=entry["uri"],
            file_name=file.name,
            path=file,
            title=entry.get("title", ""),
            language=entry.get("lang", ""),
        )


def _entry(line: str, where: str) -> dict[str, str]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ManifestInvalid(f"{where}: not JSON") from error
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("path", "uri")):
        raise ManifestInvalid(f"{where}: needs path and uri")
    try:
        parts = urlsplit(entry["uri"])
    except ValueError as error:
        raise ManifestInvalid(f"{where}: uri is no address") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ManifestInvalid(f"{where}: uri must begin with https:// or http://")
    return {key: value for key, value in entry.items() if isinstance(value, str)}


def _inside(root: Path, relative: str) -> Path | None:
    file = (root / relative).resolve()
    return file if file.is_relative_to(root) and file.is_file() else None


def _without_clashes(found: Sequence[Material], skipped: list[SkippedFile]) -> Iterator[Material]:
    first: dict[str, str] = {}
    for material in found:
        name = name_of(material.uri)
        if name in first:
            skipped.append(SkippedFile(material.origin, f"has the same address as {first[name]}: {material.uri}"))
        else:
            first[name] = material.origin
            yield material

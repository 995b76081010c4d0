"""What is to be ingested: files of folders, each with its address. Not what is in them.

Addresses, in this order: the manifest's; the base address and the path below the folder; else
`footnote://{collection}/{path}`, an address that only our own reader knows. `index` and `README` are their folder.
The order of the files is stable: `index` first, `README` next, then by name; a folder's own files before those below.
"""

import json
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from app.corpus.readers.reading import SUFFIXES
from app.domain.documents import host_of
from app.domain.errors import CorpusError, ManifestInvalid, PathMissing

OWN_SCHEME = "footnote"
FOLDER_PAGES = ("index", "_index", "readme")
LONGEST_LABEL = 200  # of a product's or a version's name
PATH_SAFE = "/-._~!$&'()*+,;=:@"  # RFC 3986, 3.3: what may stand in a path as it is; a percent sign may not

_ADDRESS = re.compile(r"https?://[^\s\x00-\x20\x7f]+", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}")


@dataclass(frozen=True, slots=True)
class Material:
    """One document to be. `origin` is its stable path; its bytes lie in `data` or in the file at `path`.

    What is given here (title, language, description, product, version) holds, whatever the file says. `claims` is the
    host below which the file may say its own address (front matter, canonical link); empty: `uri` holds.
    """

    origin: str
    uri: str
    file_name: str
    path: Path | None = None
    data: bytes | None = None
    title: str = ""
    language: str = ""
    description: str = ""
    product: str = ""
    version: str = ""
    claims: str = ""


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
    paths: Sequence[Path],
    *,
    collection: str,
    base_uri: str | None = None,
    manifest: Path | None = None,
    product: str = "",
    version: str = "",
) -> Materials:
    """The files below `paths`. `product` and `version` are those of all that the manifest files under none.

    Raises PathMissing, ManifestInvalid, and CorpusError for a base that is no address or a label that is none.
    """
    if base_uri is not None and not (_ADDRESS.fullmatch(base_uri) and host_of(base_uri)):
        raise CorpusError(f"{base_uri} is no base for addresses: give one that begins with https:// or http://")
    for path in paths:
        if not _there(path):
            raise PathMissing(str(path))
    for given in (product, version):
        if len(given) > LONGEST_LABEL or not given.isprintable():
            raise CorpusError(f"a product or version is named on one line of at most {LONGEST_LABEL} characters")
    skipped: list[SkippedFile] = []
    if manifest is not None:
        found = tuple(_of_manifest(paths, manifest, skipped))
    else:
        found = tuple(_of_file(file, origin, collection, base_uri) for file, origin in _walked(paths, skipped))
    filed = (replace(each, product=each.product or product, version=each.version or version) for each in found)
    return Materials(tuple(filed), tuple(skipped))


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # not allowed to look
        return False


# --- folders ---------------------------------------------------------------------------------------------------------


def _walked(paths: Sequence[Path], skipped: list[SkippedFile]) -> Iterator[tuple[Path, PurePosixPath]]:
    """Regular files with a suffix that we read, with their path below the folder given."""

    def untold(error: OSError) -> None:
        skipped.append(SkippedFile(_shown(Path(error.filename)), f"cannot be entered: {error.strerror}"))

    for path in paths:
        root = Path(os.path.realpath(path))
        if root.is_file():
            yield root, PurePosixPath(path.name)
            continue
        for folder, folders, files in os.walk(root, onerror=untold, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            links = (link for name in folders if (link := Path(folder, name)).is_symlink())
            skipped.extend(SkippedFile(_shown(link.relative_to(root)), "is a link to a folder") for link in links)
            for name in sorted(files, key=_in_order):
                file = Path(folder, name)
                relative = file.relative_to(root)
                if file.suffix.lower() not in SUFFIXES:
                    continue
                if reason := _why_not(file, root):
                    skipped.append(SkippedFile(_shown(relative), reason))
                else:
                    yield file, PurePosixPath(relative)


def _in_order(name: str) -> tuple[int, str]:
    stem = Path(name).stem.lower()
    return FOLDER_PAGES.index(stem) if stem in FOLDER_PAGES else len(FOLDER_PAGES), name


def _why_not(file: Path, root: Path) -> str:
    if file.name.startswith("."):
        return "is a hidden file"
    if file.is_symlink():
        target = Path(os.path.realpath(file))
        if not target.exists():
            return "is a link to nothing"
        if not target.is_relative_to(root):
            return "is a link that leaves the folder"
        hidden = any(part.startswith(".") for part in target.relative_to(root).parts)  # so a mounted volume has it
        if not hidden and target.suffix.lower() in SUFFIXES:
            return "is a link to a file that is taken by itself"
    return "" if file.is_file() else "is no regular file"


def _of_file(file: Path, relative: PurePosixPath, collection: str, base_uri: str | None) -> Material:
    page = relative.parent if relative.stem.lower() in FOLDER_PAGES else relative.with_suffix("")
    base = base_uri.rstrip("/") if base_uri else f"{OWN_SCHEME}://{quote(collection, safe='')}"
    below = "" if page == PurePosixPath() else _composed(str(page))
    address = f"{base}/{quote(below, safe=PATH_SAFE, errors='surrogateescape')}".rstrip("/")
    return Material(
        origin=_shown(relative),
        uri=address,
        file_name=file.name,
        path=file,
        claims=host_of(base_uri) if base_uri else "",
    )


def _shown(path: Path | PurePosixPath) -> str:
    """A path as text: composed, since some systems take letters and their accents apart; odd bytes as escapes."""
    return os.fsencode(_composed(path.as_posix())).decode("utf-8", "backslashreplace")


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


# --- the manifest ----------------------------------------------------------------------------------------------------


def _of_manifest(paths: Sequence[Path], manifest: Path, skipped: list[SkippedFile]) -> Iterator[Material]:
    """A file is looked for at `site/path` and at `path` below each folder given."""
    roots = [Path(os.path.realpath(path)) for path in paths]
    for number, line in enumerate(_lines(manifest), 1):
        if not line.strip():
            continue
        entry = _entry(line, f"{manifest.name}, line {number}")
        site, path = entry.get("site", ""), entry["path"]
        origin = f"{site}/{path}" if site else path
        file = next((file for root in roots if (file := _inside(root, origin) or _inside(root, path))), None)
        if file is None:
            skipped.append(SkippedFile(origin, "is named by the manifest, but there is no such file in the folders"))
            continue
        yield Material(
            origin=origin,
            uri=entry["uri"],
            file_name=PurePosixPath(path).name,
            path=file,
            title=" ".join(entry.get("title", "").split()),
            language=entry.get("lang", ""),
            description=" ".join(entry.get("description", "").split()),
            product=" ".join(entry.get("product", "").split())[:LONGEST_LABEL],
            version=" ".join(entry.get("version", "").split())[:LONGEST_LABEL],
        )


def _lines(manifest: Path) -> list[str]:
    try:
        return manifest.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise PathMissing(str(manifest)) from error
    except UnicodeDecodeError as error:
        raise ManifestInvalid(f"{manifest}: not UTF-8") from error


def _entry(line: str, where: str) -> dict[str, str]:
    """One line's texts. Raises ManifestInvalid with the line's number."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ManifestInvalid(f"{where}: not JSON") from error
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("path", "uri")):
        raise ManifestInvalid(f"{where}: needs path and uri")
    texts = {key: value for key, value in entry.items() if isinstance(value, str)}
    if any(not _sound(value) for value in texts.values()):
        raise ManifestInvalid(f"{where}: holds control characters, or half of a character")
    if not _ADDRESS.fullmatch(texts["uri"]) or not host_of(texts["uri"]):
        raise ManifestInvalid(f"{where}: uri must be an address that begins with https:// or http://")
    if texts.get("lang") and not _LANGUAGE.fullmatch(texts["lang"]):
        raise ManifestInvalid(f"{where}: lang must be a tag such as en or pt-BR")
    return texts


def _sound(text: str) -> bool:
    return not any(unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\t\n" for sign in text)


def _inside(root: Path, relative: str) -> Path | None:
    file = Path(os.path.realpath(root / relative))
    return file if file.is_relative_to(root) and file.is_file() else None

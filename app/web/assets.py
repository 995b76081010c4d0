"""Styles, scripts and the pinned htmx files: where browsers get them, and that they are what they should be.

htmx comes from the CDN with integrity hashes, or from the data folder, verified by the same hashes. Own styles and
scripts are joined at start into one file each, served below a version made of their content, so caches may keep them.
"""

import base64
import gzip
import hashlib
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import httpx

from app.domain.errors import SettingsError

PACKAGE, VERSION = "htmx.org", "4.0.1"
CDN = f"https://cdn.jsdelivr.net/npm/{PACKAGE}@{VERSION}/"
FETCH_SECONDS = 30
SETTING = "FOOTNOTE_ASSETS"
# Computed from the published package; the page, the local copies and the tests all go by these.
HTMX: Mapping[str, str] = {
    "dist/htmx.min.js": "sha384-Qp9rdC8H7EqOoX+nR0P3RPG2Noji+qdwJlGpfzwQJsfOpp3sGwIdSP9xO3+UlEhn",
    "dist/ext/hx-csp.min.js": "sha384-l1UlMMjlxqJ9heYFHycJZCe5JK5ercIbf4mufiyK4B5B/8Hk3xk05wPOiWNv2OUX",
    "dist/ext/hx-sse.min.js": "sha384-v8HvucQ+ohQhMg0arboXc5049yNR46QKMjphs7YDch+Wm7zpfK5XVS01f26mQDJV",
}
_COMMENT_LINE = re.compile(r"^\s*//.*\n", re.MULTILINE)
_COMMENT = re.compile(r"\s*/\*.*?\*/", re.DOTALL)
# In the order of the cascade: `order.css` first, since it names the layers.
STYLES = ("order", "tokens", "base", "layout", "components/*", "screens/*", "media")


@dataclass(frozen=True, slots=True)
class Script:
    """One htmx file as a page names it. `path` is below the static address; `address` is set when a CDN serves it."""

    path: str
    integrity: str
    deferred: bool
    address: str = ""


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file in memory, ready to be sent either way."""

    content: bytes
    packed: bytes
    kind: str


@dataclass(frozen=True, slots=True)
class Assets:
    """All that pages link to. `files` are by path below `/static/{version}/`."""

    version: str
    files: Mapping[str, StaticFile]
    htmx: tuple[Script, ...]
    script_sources: tuple[str, ...]

    @classmethod
    def load(cls, static: Path, mode: Literal["cdn", "local"], folder: Path | None) -> "Assets":
        """Join own files; with `local` read and verify htmx in `folder`. Raises SettingsError where it is not there."""
        files = {
            "app.css": _file(_styles(static / "css"), "text/css; charset=utf-8"),
            "app.js": _file(_scripts(static / "js"), "text/javascript; charset=utf-8"),
            "mark.svg": _file((static / "mark.svg").read_bytes(), "image/svg+xml"),
        }
        if mode == "local":
            files |= {
                f"htmx/{name}": _file(content, "text/javascript; charset=utf-8")
                for name, content in verified(folder).items()
            }
        seen = hashlib.sha256()
        for path, file in sorted(files.items()):
            seen.update(path.encode())
            seen.update(file.content)
        scripts = tuple(
            Script(f"htmx/{name}", integrity, name != "dist/htmx.min.js", CDN + name if mode == "cdn" else "")
            for name, integrity in HTMX.items()
        )
        return cls(seen.hexdigest()[:12], files, scripts, (CDN,) if mode == "cdn" else ())


def verified(folder: Path | None) -> dict[str, bytes]:
    """The htmx files in `folder` by their path in the package. Raises SettingsError if one is missing or wrong."""
    found = {}
    for name, integrity in HTMX.items():
        try:
            content = ((folder or Path()) / name).read_bytes()
        except OSError as error:
            raise SettingsError(SETTING, f"{name} is missing in {folder}.", "Run: footnote assets") from error
        if integrity_of(content) != integrity:
            raise SettingsError(SETTING, f"{name} in {folder} is not htmx {VERSION}.", "Run: footnote assets")
        found[name] = content
    return found


def fetch(folder: Path) -> None:
    """Put the htmx files into `folder`: from the CDN, else by the npm client. Raises SettingsError where both fail.

    Nothing is written that does not have its hash, and the files that were there stay until all are fetched.
    """
    contents = _genuine(_from_cdn()) or _genuine(_from_npm())
    if contents is None:
        raise SettingsError(
            SETTING,
            f"htmx {VERSION} can be had neither from the CDN nor by npm.",
            f"Where there is a network run: npm pack {PACKAGE}@{VERSION}; then copy its dist folder into {folder}.",
        )
    try:
        for name, content in contents.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            written = place.with_suffix(".new")
            written.write_bytes(content)
            written.replace(place)
    except OSError as error:
        raise SettingsError(SETTING, f"{folder} cannot be written: {error.strerror}.", "Make it writable.") from error


def integrity_of(content: bytes) -> str:
    """As the `integrity` attribute has it: SHA-384 in base 64."""
    return "sha384-" + base64.b64encode(hashlib.sha384(content).digest()).decode("ascii")


def _genuine(contents: Mapping[str, bytes]) -> Mapping[str, bytes] | None:
    """The files, if all are there and are what they should be: a network may answer with a page of its own."""
    right = all(integrity_of(contents.get(name, b"")) == integrity for name, integrity in HTMX.items())
    return contents if right else None


def _from_cdn() -> dict[str, bytes]:
    try:
        with httpx.Client(timeout=FETCH_SECONDS) as client:
            return {name: client.get(CDN + name).content for name in HTMX}
    except httpx.HTTPError:
        return {}


def _from_npm() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as place:
        try:
            subprocess.run(  # noqa: S603  # fixed words, no text of anybody's
                ["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"],  # noqa: S607  # wherever npm is installed
                cwd=place,
                check=True,
                capture_output=True,
                timeout=FETCH_SECONDS * 2,
            )
            with tarfile.open(next(Path(place).glob("*.tgz"))) as packed:
                members = {name: packed.extractfile(f"package/{name}") for name in HTMX}
                return {name: member.read() for name, member in members.items() if member is not None}
        except (OSError, subprocess.SubprocessError, StopIteration, tarfile.TarError, KeyError):
            return {}


def _styles(folder: Path) -> bytes:
    """The style files in the order of the cascade, without their comments."""
    paths = [path for pattern in STYLES for path in sorted(folder.glob(f"{pattern}.css"))]
    joined = "".join(path.read_text(encoding="utf-8") for path in paths)
    return _COMMENT.sub("", joined).encode()


def _scripts(folder: Path) -> bytes:
    """The scripts as one module, without the lines that are comments.

    Each stands in braces of its own, so their names do not meet: they talk by events of the page.
    """
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.js"))]
    return "".join(f"{{\n{_COMMENT_LINE.sub('', text).strip()}\n}}\n" for text in texts).encode()


def _file(content: bytes, kind: str) -> StaticFile:
    return StaticFile(content, gzip.compress(content, 9, mtime=0), kind)

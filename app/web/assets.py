"""Styles, scripts and the pinned htmx files: where browsers get them, and that they are what they should be.

htmx comes from the CDN with integrity hashes, or from the data folder, verified by the same hashes. Own styles and
scripts are joined at start into one file each, served below a version made of their content, so caches may keep them.
"""

import base64
import gzip
import hashlib
import io
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
# In the order of the cascade: `order.css` first, since it names the layers.
STYLES = ("order", "tokens", "base", "layout", "components/*", "screens", "media")
SCRIPTS = ("*",)


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
            "app.css": _file(_joined(static / "css", STYLES, ".css"), "text/css; charset=utf-8"),
            "app.js": _file(_joined(static / "js", SCRIPTS, ".js"), "text/javascript; charset=utf-8"),
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
    """The htmx files in `folder`, by their path in the package. Raises SettingsError where one is not as it should be."""
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
    """Put the htmx files into `folder`: from the CDN, else by the npm client. Raises SettingsError where both fail."""
    contents = _from_cdn() or _from_npm()
    if contents is None:
        raise SettingsError(
            SETTING,
            f"htmx {VERSION} can be had neither from the CDN nor by npm.",
            f"Where there is a network run: npm pack {PACKAGE}@{VERSION}, and unpack its dist into {folder}.",
        )
    for name, content in contents.items():
        if integrity_of(content) != HTMX[name]:
            raise SettingsError(SETTING, f"{name} was fetched, but is not htmx {VERSION}.", "Do not use that network.")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def integrity_of(content: bytes) -> str:
    """As the `integrity` attribute has it: SHA-384 in base 64."""
    return "sha384-" + base64.b64encode(hashlib.sha384(content).digest()).decode("ascii")


def _from_cdn() -> dict[str, bytes] | None:
    try:
        with httpx.Client(timeout=FETCH_SECONDS) as client:
            replies = {name: client.get(CDN + name) for name in HTMX}
    except httpx.HTTPError:
        return None
    return (
        {name: reply.content for name, reply in replies.items()}
        if all(r.is_success for r in replies.values())
        else None
    )


def _from_npm() -> dict[str, bytes] | None:
    with tempfile.TemporaryDirectory() as place:
        try:
            subprocess.run(  # fixed words, no text of anybody's
                ["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"],  # wherever npm is installed
                cwd=place,
                check=True,
                capture_output=True,
                timeout=FETCH_SECONDS * 2,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        archive = next(Path(place).glob("*.tgz"), None)
        if archive is None:
            return None
        with tarfile.open(archive) as packed:
            members = {name: packed.extractfile(f"package/{name}") for name in HTMX}
            return {name: member.read() for name, member in members.items() if member is not None}


def _joined(folder: Path, patterns: tuple[str, ...], suffix: str) -> bytes:
    joined = io.BytesIO()
    for pattern in patterns:
        for path in sorted(folder.glob(pattern + suffix)):
            joined.write(path.read_bytes().rstrip() + b"\n")
    return joined.getvalue()


def _file(content: bytes, kind: str) -> StaticFile:
    return StaticFile(content, gzip.compress(content, 9, mtime=0), kind)

"""What pages take from the CDN is pinned, is what was published, and comes from nowhere else."""

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from app.web.assets import CDN, HTMX, PACKAGE, VERSION, Assets, integrity_of

ROOT = Path(__file__).parents[2]


def test_the_published_package_has_the_pinned_files(tmp_path: Path) -> None:
    """By the npm client, since the CDN serves that same package."""
    reason = "No npm here to fetch htmx with: install it."
    if shutil.which("npm") is not None:
        packing = ["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"]
        packed = subprocess.run(packing, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
        reason = f"npm could not fetch htmx: {packed.stderr.strip()[-300:]}"
        if packed.returncode == 0:
            with tarfile.open(tmp_path / packed.stdout.split()[-1]) as archive:
                for name, integrity in HTMX.items():
                    member = archive.extractfile(f"package/{name}")
                    assert member is not None
                    assert integrity_of(member.read()) == integrity
            return
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def test_addresses_name_the_exact_version() -> None:
    assets = Assets.load(ROOT / "static", "cdn", None)
    assert [script.address for script in assets.htmx] == [CDN + name for name in HTMX]
    assert re.fullmatch(r"https://cdn\.jsdelivr\.net/npm/htmx\.org@\d+\.\d+\.\d+/", CDN)
    assert assets.script_sources == (CDN,)


def test_htmx_waits_for_nothing_and_its_extensions_wait_for_it() -> None:
    """Deferred, htmx could start before hx-csp, and an element without a nonce would be obeyed."""
    first, *extensions = Assets.load(ROOT / "static", "cdn", None).htmx
    assert first.path == "htmx/dist/htmx.min.js"
    assert not first.deferred
    assert all(script.deferred for script in extensions)


def test_no_page_names_another_host() -> None:
    """Templates, styles and scripts know no address outside; htmx's comes from the one table above."""
    for folder in ("templates", "static"):
        for path in (ROOT / folder).rglob("*.*"):
            found = re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", path.read_text(encoding="utf-8"))
            assert [address for address in found if address != "http://www.w3.org"] == [], path.name

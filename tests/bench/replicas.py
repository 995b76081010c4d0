"""A corpus many times over: each copy under names and addresses of its own. Not a corpus to judge answers by.

    python -m tests.bench.replicas FOLDER MANIFEST TARGET TIMES

writes the pages below TARGET/pages and their manifest to TARGET/manifest.jsonl. The first copy is the corpus itself.
"""

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit


def replicate(folder: Path, manifest: Path, target: Path, times: int) -> int:
    """How many pages the copies have together. Files are hard links where the file system has them."""
    pages = target / "pages"
    pages.mkdir(parents=True)
    entries = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines() if line.strip()]
    written = 0
    with (target / "manifest.jsonl").open("w", encoding="utf-8") as out:
        for number in range(times):
            for entry in entries:
                file = folder / entry.get("site", "") / entry["path"]
                if not file.is_file():
                    continue
                copy = renamed(entry, number)
                place = pages / copy.get("site", "") / copy["path"]
                place.parent.mkdir(parents=True, exist_ok=True)
                _link(file, place)
                out.write(json.dumps(copy, ensure_ascii=False) + "\n")
                written += 1
    return written


def renamed(entry: dict[str, str], number: int) -> dict[str, str]:
    """The manifest's entry of a page's copy: path, address and title tell which copy it is."""
    if not number:
        return entry
    mark = f"copy-{number}"
    address = urlsplit(entry["uri"])
    return entry | {
        "path": f"{mark}/{entry['path']}",
        "uri": urlunsplit(address._replace(path=f"/{mark}{address.path}")),
        **({"title": f"{entry['title']} ({mark})"} if entry.get("title") else {}),
    }


def _link(file: Path, place: Path) -> None:
    try:
        os.link(file, place)
    except OSError:
        shutil.copyfile(file, place)


def main() -> None:
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("folder", type=Path)
    wanted.add_argument("manifest", type=Path)
    wanted.add_argument("target", type=Path)
    wanted.add_argument("times", type=int)
    given = wanted.parse_args()
    sys.stdout.write(f"{replicate(given.folder, given.manifest, given.target, given.times)} pages\n")


if __name__ == "__main__":
    main()

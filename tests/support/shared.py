"""Where the material that lies beside the project is found. Not the material itself: tests read it as it is."""

import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


class SharedMissing(Exception):
    """The folder with the corpus, the questions and the hostile files is not there."""


def shared_folder() -> Path:
    """The folder named by `FOOTNOTE_SHARED`, else `shared` beside the project. Raises SharedMissing."""
    named = os.environ.get("FOOTNOTE_SHARED")
    folder = Path(named) if named else PROJECT.parent / "shared"
    if not folder.is_dir():
        raise SharedMissing(f"No folder {folder}: put the shared material there or name it in FOOTNOTE_SHARED.")
    return folder

"""Where templates, style files and the handbook lie: inside the package in a wheel, beside it in a checkout."""

from pathlib import Path

PACKAGE = Path(__file__).parent


def folder(name: str) -> Path:
    """The folder `templates`, `static` or `docs`; raises FileNotFoundError in a broken installation."""
    for candidate in (PACKAGE / name, PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(name)

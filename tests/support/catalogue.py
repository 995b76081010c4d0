"""All texts of the interface, as Babel finds them in code and templates: python -m tests.support.catalogue writes them.

Not their translations: those are one `.po` file a language, which `pybabel update` brings up to date from this.
"""

import io
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import write_po

ROOT = Path(__file__).parents[2]
CATALOGUE = ROOT / "app" / "locales" / "messages.pot"
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2)}


def _files() -> Iterator[tuple[Path, str]]:
    for path in sorted((ROOT / "app" / "web").rglob("*.py")):
        yield path, "python"
    for path in sorted((ROOT / "templates").rglob("*.html")):
        yield path, "jinja2.ext:babel_extract"


def extracted() -> Catalog:
    """Every text, in the order of the files. Places carry no line numbers, which change for no reason."""
    catalogue = Catalog(project="Footnote", charset="utf-8", header_comment="# The texts of the interface.")
    for path, method in _files():
        options = {"trimmed": "true", "silent": "false"} if "jinja2" in method else {}
        for _, message, comments, context in extract_from_file(method, path, keywords=KEYWORDS, options=options):
            place = (path.relative_to(ROOT).as_posix(), 0)
            catalogue.add(message, None, [place], auto_comments=comments, context=context)
    return catalogue


def written(catalogue: Catalog) -> str:
    """The catalogue as a file without dates, so that the same texts are the same file."""
    out = io.BytesIO()
    write_po(out, catalogue, width=110, include_lineno=False, omit_header=True)
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    return header + out.getvalue().decode("utf-8")


if __name__ == "__main__":
    CATALOGUE.write_text(written(extracted()), encoding="utf-8")

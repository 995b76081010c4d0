"""Jupyter notebooks -> Markdown: words, code, short outputs of text. Nothing is run, no picture is kept."""

import json
import re

from app.corpus.readers.draft import Draft, Unreadable
from app.corpus.readers.front_matter import Header
from app.corpus.readers.markdown_pages import draft_of
from app.corpus.readers.vault import Vault

MAX_OUTPUT_LINES = 12
MAX_OUTPUT_CHARACTERS = 1000

_LICENCE = re.compile(
    r"#\s*(?:@title\s+)?(?:Licensed under|Copyright \d{4}|SPDX-License)|(?:#[^\n]*\n){3,}\s*#[^\n]*WITHOUT WARRANTIES",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(r"\s*#{0,6}\s*Copyright\s+(?:\(c\)|©|\d{4})[^\n]*\s*", re.IGNORECASE)
_FORM = re.compile(r"^#\s*@(?:title|markdown|param)\s*", re.MULTILINE)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def read_notebook(text: str, *, uri: str, file_name: str) -> Draft:
    """The cells of a notebook as one page. Raises Unreadable where the file is no notebook."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("The notebook is not valid JSON.") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Unreadable("The file is no notebook: it has no cells.")
    language = _language(notebook)
    vault = Vault()
    parts: list[str] = []
    for cell in notebook["cells"]:
        if isinstance(cell, dict):
            parts.extend(_cell(cell, language, vault))
    return draft_of(Header("\n\n".join(parts)), vault, uri=uri, file_name=file_name)


def _cell(cell: dict[str, object], language: str, vault: Vault) -> list[str]:
    source = _joined(cell.get("source"))
    if not source.strip():
        return []
    match cell.get("cell_type"):
        case "markdown":
            return [] if _COPYRIGHT.fullmatch(source) else [source]
        case "code":
            if _LICENCE.match(source.lstrip()):
                return []
            shell = source.startswith(("%%bash", "%%shell", "%%sh"))
            code = vault.fence(_FORM.sub("# ", source), "bash" if shell else language)
            return [code, *_outputs(cell.get("outputs"), vault)]
        case "raw":
            return [source]
        case _:
            return []


def _outputs(outputs: object, vault: Vault) -> list[str]:
    """What a cell printed, where it is short text: a picture, a table of HTML or a long log says little in words."""
    texts: list[str] = []
    for output in outputs if isinstance(outputs, list) else []:
        if not isinstance(output, dict):
            continue
        match output.get("output_type"):
            case "stream" if output.get("name") != "stderr":
                texts.append(_joined(output.get("text")))
            case "execute_result":
                data = output.get("data")
                texts.append(_joined(data.get("text/plain")) if isinstance(data, dict) else "")
            case "error":
                texts.append(f"{output.get('ename', '')}: {output.get('evalue', '')}")
            case _:
                pass
    text = _ESCAPES.sub("", "".join(part if part.endswith("\n") else part + "\n" for part in texts if part)).strip("\n")
    short = text.strip() and len(text) <= MAX_OUTPUT_CHARACTERS and text.count("\n") < MAX_OUTPUT_LINES
    return [vault.fence(text, "text")] if short else []


def _joined(source: object) -> str:
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _language(notebook: dict[str, object]) -> str:
    metadata = notebook.get("metadata")
    if not isinstance(metadata, dict):
        return "python"
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        found = metadata.get(part)
        if isinstance(found, dict) and isinstance(found.get(key), str):
            return str(found[key]).lower()
    return "python"

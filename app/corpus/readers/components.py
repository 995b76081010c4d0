"""The words that a component of MDX or a custom element holds in its attributes. Not the words between its tags."""

from collections.abc import Mapping

from app.corpus.readers.labels import STYLES, note_label, tab_label
from app.corpus.readers.vault import Vault

_COMMANDS = ("command", "cmd")
_PROSE = ("title", "label", "caption", "description", "text", "summary", "alt", "heading")
_SILENT = ("youtube", "iframe", "video", "embed", "icon", "docvideo", "image")


def component_words(name: str, attributes: Mapping[str, str | None], vault: Vault, *, whole: bool) -> str:
    """Markdown for what an opening tag says by itself: a command, a note's title, a tab's label, a card's text."""
    lower = name.lower()
    for command in _COMMANDS:
        if value := attributes.get(command):
            return f"\n\n{vault.fence(vault.raw(value).strip('`'), 'sh')}\n\n"
    said = {key: " ".join(value.split()) for key in _PROSE if (value := attributes.get(key)) and _is_prose(value)}
    if lower in STYLES:
        return f"\n\n{note_label(attributes.get('type') or lower, said.get('title', ''))}\n"
    if any(silent in lower for silent in _SILENT):
        return said.get("alt") or said.get("caption", "")
    if not whole and ("tab" in lower or lower in ("lang", "language", "codeblock")):
        label = tab_label(said.get("label") or said.get("title") or _languages(attributes))
        return f"\n\n{label}\n\n" if label else ""
    if not said:
        return ""
    head = said.pop("title", "") or said.pop("label", "") or said.pop("heading", "")
    rest = " ".join(dict.fromkeys(said.values()))
    if head and rest:
        return f"\n\n**{head}**: {rest}\n\n"
    return f"\n\n**{head}**\n\n" if head else f"\n\n{rest}\n\n"


def _languages(attributes: Mapping[str, str | None]) -> str:
    value = attributes.get("lang") or attributes.get("value") or ""
    return ", ".join(tab_label(part).strip("*") for part in value.replace(",", " ").split()) if len(value) < 60 else ""


def _is_prose(value: str) -> bool:
    return any(character.isalpha() for character in value) and "://" not in value.partition(" ")[0]

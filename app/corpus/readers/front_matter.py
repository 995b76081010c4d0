"""The fields that stand before a page's text: YAML, TOML, JSON in a comment, Google's header lines. Not their meaning.

Only the plain fields of the outermost level are read, from the parser's events: no object is built, no alias followed,
no type guessed, so a hostile header costs nothing and `1.10` stays `1.10`.
"""

import json
import re
import tomllib
from dataclasses import dataclass, field

import yaml

MAX_HEADER = 65_536  # characters; a longer one is no header

_YAML_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TOML_END = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"[\w\"'-]+[ \t]*:(?:\s|$)")
_HEADER_LINE = re.compile(r"(?:Project|Book|page_type|keywords|description|title):[^\n]*\n", re.IGNORECASE)
_PLAIN_LINE = re.compile(r"^(title|description|lang|language|url|uri):[ \t]+([^\n]+)$", re.MULTILINE | re.IGNORECASE)
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True, slots=True)
class Header:
    """The plain fields, keys in lower case, and the text after them."""

    body: str
    fields: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def split_header(text: str) -> Header:
    """The header of a page and the text below it. A broken header stays in the text, and a warning tells it."""
    text = text.lstrip("\n")
    if text.startswith("---"):
        return _yaml(text)
    if text.startswith("+++"):
        return _toml(text)
    if text.startswith("<!--{"):
        return _json(text)
    if text.startswith(("Project:", "Book:")):
        return _lines(text)
    return Header(text)


def _yaml(text: str) -> Header:
    first, _, rest = text.partition("\n")
    if first.strip() != "---" or not _KEY.match(rest.lstrip()):
        return Header(text)
    end = _YAML_END.search(rest, 0, MAX_HEADER)
    if end is None:
        return Header(text, warnings=("The front matter is never closed: it was read as ordinary text.",))
    body = rest[end.end() :].lstrip("\n")
    try:
        fields, odd = _scalars(rest[: end.start()])
    except yaml.YAMLError:
        plain = {match[1].lower(): match[2].strip("\"' ") for match in _PLAIN_LINE.finditer(rest, 0, end.start())}
        return Header(body, plain, ("The front matter is not valid YAML: only its plain lines were read.",))
    return Header(body, fields, _odd(odd))


def _scalars(source: str) -> tuple[dict[str, str], list[str]]:
    """Plain fields of the outermost mapping, and the names of wanted fields that hold something else."""
    fields: dict[str, str] = {}
    odd: list[str] = []
    depth, key = 0, None
    for event in yaml.parse(source, Loader=_LOADER):
        match event:
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                if depth == 1 and key is not None:
                    odd.append(key)
                    key = None
                depth += 1
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                depth -= 1
            case yaml.ScalarEvent() if depth == 1:
                if key is None:
                    key = event.value.lower()
                else:
                    fields.setdefault(key, event.value)
                    key = None
            case yaml.AliasEvent() if depth == 1:
                key = None
            case _:
                pass
    return fields, odd


def _toml(text: str) -> Header:
    first, _, rest = text.partition("\n")
    end = _TOML_END.search(rest, 0, MAX_HEADER) if first.strip() == "+++" else None
    if end is None:
        return Header(text)
    body = rest[end.end() :].lstrip("\n")
    try:
        values = tomllib.loads(rest[: end.start()])
    except (tomllib.TOMLDecodeError, RecursionError):
        return Header(body, warnings=("The front matter is not valid TOML and was left out.",))
    return _plain(body, values)


def _json(text: str) -> Header:
    end = text.find("-->", 0, MAX_HEADER)
    if end < 0:
        return Header(text)
    body = text[end + 3 :].lstrip("\n")
    try:
        values = json.loads(text[len("<!--") : end])
    except (ValueError, RecursionError):
        return Header(body, warnings=("The front matter is not valid JSON and was left out.",))
    return _plain(body, values) if isinstance(values, dict) else Header(body)


def _plain(body: str, values: dict[str, object]) -> Header:
    fields = {key.lower(): str(value) for key, value in values.items() if isinstance(value, str | int | float)}
    odd = [key.lower() for key, value in values.items() if isinstance(value, dict | list)]
    return Header(body, fields, _odd(odd))


def _lines(text: str) -> Header:
    fields: dict[str, str] = {}
    at = 0
    while match := _HEADER_LINE.match(text, at):
        key, _, value = match[0].partition(":")
        fields.setdefault(key.lower(), value.strip())
        at = match.end()
    return Header(text[at:].lstrip("\n"), fields)


def _odd(names: list[str]) -> tuple[str, ...]:
    wanted = [name for name in names if name in ("title", "description", "url", "uri")]
    return tuple(f"The front matter's {name} is no plain text and was left out." for name in wanted)

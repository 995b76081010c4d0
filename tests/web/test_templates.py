"""The templates themselves: nothing unescaped, no style or script of their own, every text through the catalogue."""

import re
from pathlib import Path

import pytest

from tests.support.pages import presented

FOLDER = Path(__file__).parents[2] / "templates"
TEMPLATES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.html"))
JINJA = re.compile(r"\{% block body_class %\}.*?\{% endblock %\}|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
TAG = re.compile(r"<[^>]*>", re.DOTALL)
READ_ATTRIBUTES = re.compile(r'\b(aria-label|placeholder|title|alt|data-copy|data-copied|data-open)="([^"]*)"')


def source(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_compiles_in_the_apps_own_environment(name: str) -> None:
    presented()[1].environment.get_template(name)


@pytest.mark.parametrize("name", TEMPLATES)
def test_nothing_is_written_unescaped(name: str) -> None:
    assert not re.search(r"\|\s*safe\b|autoescape|Markup", source(name))


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_style_and_no_script_stands_in_a_template(name: str) -> None:
    text = source(name)
    assert not re.search(r"\sstyle\s*=|<style|\son[a-z]+\s*=|javascript:|hx-on", text)
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_word_goes_through_the_catalogue(name: str) -> None:
    text = source(name)
    literal = TAG.sub(" ", JINJA.sub("", text)).replace("&nbsp;", "")
    assert not re.findall(r"[A-Za-z]{2,}", literal.replace("Esc", ""))  # the name of a key
    for attribute, value in READ_ATTRIBUTES.findall(JINJA.sub("", text)):
        assert not re.search(r"[A-Za-z]{2,}", value), f"{attribute} is not translated"


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_element_that_htmx_reads_carries_the_nonce(name: str) -> None:
    for tag in re.findall(r"<[a-z][^>]*\shx-(?:get|post|sse:connect)=[^>]*>", source(name)):
        assert 'hx-nonce="{{ frame.nonce }}"' in tag


@pytest.mark.parametrize("name", TEMPLATES)
def test_addresses_are_made_and_not_written(name: str) -> None:
    for value in re.findall(r'\b(?:href|src|action|hx-get|hx-post|hx-sse:connect)="([^"]*)"', source(name)):
        assert value.startswith(("{{", "#")), f"{value} is written by hand"

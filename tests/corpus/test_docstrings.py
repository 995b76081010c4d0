"""Docstrings as Markdown: what must survive, and what must not turn into markup."""

import pytest

from app.corpus.docstrings import first_sentence, inline, markdown


def test_an_example_becomes_one_block_of_code_with_its_output() -> None:
    text = "Add.\n\n>>> add(1, 2)\n3\n\n>>> add(2, 2)\n4\n\nThat is all."
    assert markdown(text, level=2) == ("Add.\n\n```python\n>>> add(1, 2)\n3\n\n>>> add(2, 2)\n4\n```\n\nThat is all.")


def test_what_follows_a_double_colon_is_code_over_empty_lines_too() -> None:
    text = "Use it so::\n\n    a = 1\n\n    b = 2\n\nEnd."
    assert markdown(text, level=2) == "Use it so:\n\n```python\na = 1\n\nb = 2\n```\n\nEnd."


def test_a_simple_table_becomes_a_table() -> None:
    text = (
        "Modes:\n\n========= =======\nCharacter Meaning\n--------- -------\n'r'       read\n"
        "          only\n'a|b'     either\n========= =======\n\nEnd."
    )
    assert "| Character | Meaning |\n| --- | --- |\n| 'r' | read only |\n| 'a\\|b' | either |" in markdown(
        text, level=2
    )


def test_explained_terms_become_a_list_and_their_wrapped_lines_stay_with_them() -> None:
    text = "Arguments:\n    name -- what it is\n        called\n    size_hint -- how big"
    assert markdown(text, level=2) == "Arguments:\n\n- `name`: what it is called\n- `size_hint`: how big"


def test_an_underlined_title_becomes_a_heading_below_the_level() -> None:
    assert markdown("Main API\n========\nText.", level=2) == "### Main API\n\nText."


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("the ``fp`` argument", "the `fp` argument"),
        (":class:`~json.JSONDecoder` decodes", "`JSONDecoder` decodes"),
        (":func:`open` and :py:meth:`str.join`", "`open` and `str.join`"),
        ("pass *name* and **kwargs", "pass `name` and `**kwargs`"),
        ("calls __init__ and sort_keys", "calls `__init__` and `sort_keys`"),
        ("see `the page <https://example.org/a_b>`_", "see [the page](https://example.org/a_b)"),
        ("see https://example.org/a_b*c", "see https://example.org/a_b*c"),
        ("a <script> here, 1 < 2", "a \\<script> here, 1 < 2"),
        ("`name' as of old", "`name` as of old"),
        ("ends in '\\r\\n'", "ends in '`\\r\\n`'"),
    ],
)
def test_prose_keeps_its_words_and_gains_no_markup(said: str, shown: str) -> None:
    assert inline(said) == shown


@pytest.mark.parametrize("line", ["# no heading", "> no quotation", "1986. A year"])
def test_a_paragraph_that_begins_like_markup_stays_a_paragraph(line: str) -> None:
    assert markdown(line, level=2).replace("\\", "") == line
    assert "\\" in markdown(line, level=2)


def test_a_fence_inside_an_example_does_not_end_it() -> None:
    assert markdown(">>> print('```')\n```", level=2).startswith("````python\n")


def test_the_description_is_the_first_sentence_and_no_title() -> None:
    assert first_sentence("ast\n~~~\n\nHelps with trees.  More of it.") == "Helps with trees."
    assert first_sentence("") == ""

"""A text's blocks and sentences stand where a reader sees them."""

from itertools import pairwise

import pytest

from app.answering.blocks import Block, BlockKind, blocks_of, sentences_of

PAGE = """\
# The *Guide* to `x_y`

Run these steps:

1. One
   more of it

   ```sh
   make
   ```
2. Two
   - nested

Setext
------

| a | b |
|---|---|
| 1 | 2 |
| 3 | 4 |

> quoted
> words

***

Then use this.

    indented code
"""


def shown(text: str) -> list[tuple[BlockKind, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks_of(text)]


def test_a_page_is_its_blocks_in_reading_order_and_verbatim() -> None:
    assert shown(PAGE) == [
        (BlockKind.HEADING, "# The *Guide* to `x_y`"),
        (BlockKind.PARAGRAPH, "Run these steps:"),
        (BlockKind.ITEM, "1. One\n   more of it\n\n   ```sh\n   make\n   ```"),
        (BlockKind.ITEM, "2. Two\n   - nested"),
        (BlockKind.HEADING, "Setext\n------"),
        (BlockKind.ROW, "| 1 | 2 |"),
        (BlockKind.ROW, "| 3 | 4 |"),
        (BlockKind.QUOTE, "> quoted\n> words"),
        (BlockKind.RULE, "***"),
        (BlockKind.PARAGRAPH, "Then use this."),
        (BlockKind.CODE, "    indented code"),
    ]


def test_headings_know_their_level_and_plain_text() -> None:
    headings = [block for block in blocks_of(PAGE) if block.kind is BlockKind.HEADING]
    assert [(block.level, block.text) for block in headings] == [(1, "The Guide to x_y"), (2, "Setext")]


def test_items_know_their_list_and_the_sentence_that_leads_in() -> None:
    items = [block for block in blocks_of(PAGE) if block.kind is BlockKind.ITEM]
    assert {(block.ordered, block.level, block.lead) for block in items} == {(True, 1, "Run these steps:")}
    assert {PAGE[slice(*block.lead_span)] for block in items if block.lead_span} == {"Run these steps:"}


def test_rows_carry_the_head_of_their_table() -> None:
    rows = [block for block in blocks_of(PAGE) if block.kind is BlockKind.ROW]
    assert {block.lead for block in rows} == {"| a | b |\n|---|---|"}


def test_bold_words_alone_lead_in_like_a_colon() -> None:
    code = blocks_of("**Python**\n\n```python\nx = 1\n```\n")[1]
    assert (code.kind, code.lead) == (BlockKind.CODE, "**Python**")


def test_a_long_item_is_several_blocks() -> None:
    text = "- First " + "word " * 100 + "\n\n  ```sh\n  make\n  ```\n\n  - inner " + "word " * 50 + "\n- second\n"
    assert [(block.kind, block.level) for block in blocks_of(text)] == [
        (BlockKind.ITEM, 1),
        (BlockKind.CODE, 0),
        (BlockKind.ITEM, 2),
        (BlockKind.ITEM, 1),
    ]


@pytest.mark.parametrize("text", ["a\r\n\r\n# b\r\n\r\nc", "a\r\r# b\r\rc", "a\n\n# b\n\nc"])
def test_offsets_hold_for_every_kind_of_line_end(text: str) -> None:
    assert [part for _, part in shown(text)] == ["a", "# b", "c"]


def test_html_and_references_stay_paragraphs() -> None:
    assert shown("<div>\n\nx\n\n[a]: http://b.example.com\n") == [
        (BlockKind.PARAGRAPH, "<div>"),
        (BlockKind.PARAGRAPH, "x"),
        (BlockKind.PARAGRAPH, "[a]: http://b.example.com"),
    ]


def test_an_empty_text_has_no_blocks() -> None:
    assert blocks_of("") == ()
    assert blocks_of("\n \n") == ()


def test_blocks_never_overlap() -> None:
    blocks: tuple[Block, ...] = blocks_of(PAGE * 3)
    assert all(before.end <= after.start for before, after in pairwise(blocks))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Use e.g. version 1.2.3 of `a. B`. Then go.", ["Use e.g. version 1.2.3 of `a. B`.", "Then go."]),
        ("See [the. Part](http://a.example.com/b.c). Next.", ["See [the. Part](http://a.example.com/b.c).", "Next."]),
        ("Das geht z. B. am 3. Mai. Dann nicht.", ["Das geht z. B. am 3. Mai.", "Dann nicht."]),
        ("Podlar, servisler vb. nesneler. İkinci cümle.", ["Podlar, servisler vb. nesneler.", "İkinci cümle."]),
        ("Dr. Who came. J. Doe too.", ["Dr. Who came.", "J. Doe too."]),
        ("Pods, nodes etc. Then go.", ["Pods, nodes etc.", "Then go."]),
        ("日本語です。次の文です。", ["日本語です。", "次の文です。"]),
        ('He said "stop." Then\nhe went (far away.) Good.', ['He said "stop."', "Then\nhe went (far away.)", "Good."]),
        ("Wait... what? Node.js is here. .NET too.", ["Wait... what?", "Node.js is here.", ".NET too."]),
        ("  spaced  ", ["spaced"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences_of(text)] == expected

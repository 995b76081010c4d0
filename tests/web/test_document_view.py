"""A document with its passages marked."""

import time
from collections.abc import Sequence

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.domain.documents import Document, Passage
from app.web.document_view import DOCUMENT_LIMIT, RenderedDocument, document_html, passage_html, slug

URI = "https://docs.example/guide/page.html"
PAGE = """# Drain a node

It *empties* a node. When it returns **without an error**, every Pod has left.

## Before {#first}

- The applications may be away, or
- each has a [budget](../budget.md).
  More of it.

```sh
kubectl drain node-7
kubectl uncordon node-7
```

## Replies

| Reply | Meaning |
| --- | --- |
| `200` | granted |
| `429` | not *now* |

## Replies

See [before](#first), [replies](#replies), [else](#elsewhere), [out](https://x.example/#replies)
and [itself](https://docs.example/guide/page.html#replies-2).
"""


def rendered(content: str, *words: str) -> RenderedDocument:
    """The document with the given words marked, each a passage."""
    return document_html(document(content), [span(content, each) for each in words])


def document(content: str) -> Document:
    return Document("documents/docs.example/guide/page.html", URI, content)


def span(content: str, words: str) -> tuple[int, int]:
    start = content.index(words)
    return start, start + len(words)


def tree(made: RenderedDocument) -> LexborHTMLParser:
    return LexborHTMLParser(str(made.html))


def by_id(made: RenderedDocument, name: str) -> LexborNode:
    (node,) = tree(made).css(f"#{name}")
    return node


def marked(made: RenderedDocument) -> list[str]:
    return [node.text() for node in tree(made).css("mark")]


# --- passages ---------------------------------------------------------------------------------------------------------


def test_the_words_of_a_passage_are_marked_and_can_be_jumped_to() -> None:
    made = rendered(PAGE, "every Pod has left")
    assert marked(made) == ["every Pod has left"]
    assert by_id(made, "passage-1").text() == "every Pod has left"
    assert made.marked == (True,)


def test_their_block_is_cited_and_no_other() -> None:
    (cited,) = tree(rendered(PAGE, "every Pod has left")).css(".cited")
    assert cited.tag == "p"
    assert cited.text().startswith("It empties")


def test_a_mark_never_breaks_an_element() -> None:
    made = rendered(PAGE, "node. When it returns **without an error**, every Pod")
    assert marked(made) == ["node. When it returns ", "without an error", ", every Pod"]
    assert [node.parent.tag for node in tree(made).css("mark") if node.parent] == ["p", "strong", "p"]
    assert len(tree(made).css("#passage-1")) == 1


def test_a_passage_of_several_blocks_is_marked_in_each() -> None:
    made = rendered(PAGE, PAGE[PAGE.index("every Pod") : PAGE.index("of it.")])
    assert [node.tag for node in tree(made).css(".cited")] == ["p", "h2", "li", "li"]
    assert marked(made) == [
        "every Pod has left.",
        "Before",
        "The applications may be away, or",
        "each has a ",
        "budget",
        ".\nMore ",
    ]


def test_of_a_table_the_touched_rows_are_marked() -> None:
    made = rendered(PAGE, "not *now*")
    (row,) = tree(made).css(".cited")
    assert row.tag == "tr"
    assert marked(made) == ["429", "not ", "now"]


def test_marked_headings_keep_their_names_in_labels_and_outline() -> None:
    made = rendered(PAGE, "Reply | Meaning", "## Replies\n\n|", "# Drain")
    assert made.outline == rendered(PAGE).outline
    assert 'aria-label="Reply, Meaning"' in made.html
    assert marked(made) == ["Drain", "Replies", "Reply", "Meaning"]


def test_a_code_block_is_cited_as_a_whole() -> None:
    made = rendered(PAGE, "kubectl uncordon", "kubectl drain")
    (figure,) = tree(made).css("figure.cited")
    assert figure.attributes["id"] == "passage-1"
    assert by_id(made, "passage-2").tag == "span"
    assert marked(made) == []
    assert made.marked == (True, True)


def test_passages_may_overlap_and_each_keeps_its_place() -> None:
    made = rendered(PAGE, "When it returns", "it returns **without an error**", "When it")
    assert made.marked == (True, True, True)
    assert "".join(marked(made)) == "When it returns without an error"
    for number in (1, 2, 3):
        assert by_id(made, f"passage-{number}")


@pytest.mark.parametrize("wrong", [(-1, 5), (5, 5), (9, 3), (0, 10_000), (10_000, 10_001)])
def test_a_span_that_is_not_there_is_told(wrong: tuple[int, int]) -> None:
    made = document_html(document(PAGE), [wrong, span(PAGE, "every Pod")])
    assert made.marked == (False, True)
    assert by_id(made, "passage-2").text() == "every Pod"


def test_a_span_of_blanks_alone_marks_nothing() -> None:
    start = PAGE.index("\n\n## Before")
    assert document_html(document(PAGE), [(start, start + 2)]).marked == (False,)


@pytest.mark.parametrize("end_of_line", ["\r\n", "\r"])
def test_spans_count_the_line_ends_of_the_document_as_they_are(end_of_line: str) -> None:
    content = PAGE.replace("\n", end_of_line)
    made = rendered(content, "every Pod has left", "each has a [budget]", "not *now*")
    assert made.html == rendered(PAGE, "every Pod has left", "each has a [budget]", "not *now*").html


@pytest.mark.parametrize("start", range(0, len(PAGE) - 1, 7))
def test_marks_change_nothing_of_the_document_but_themselves(start: int) -> None:
    def skeleton(spans: Sequence[tuple[int, int]]) -> list[tuple[str | None, str]]:
        parsed = tree(document_html(document(PAGE), spans))
        parsed.unwrap_tags(["mark"])
        return [(node.tag, node.text()) for node in parsed.css("main *, body *") if node.tag != "span"]

    plain = skeleton([])
    for end in range(start + 1, len(PAGE), 13):
        assert skeleton([(start, end)]) == plain


# --- outline and links ------------------------------------------------------------------------------------------------


def test_the_outline_lists_the_headings_below_the_title() -> None:
    made = rendered(PAGE)
    assert made.titled
    assert [(entry.level, entry.text, entry.anchor) for entry in made.outline] == [
        (2, "Before", "section-first"),
        (2, "Replies", "section-replies"),
        (2, "Replies", "section-replies-2"),
    ]
    for entry in made.outline:
        assert by_id(made, entry.anchor).text() == entry.text


def test_a_document_without_title_says_so() -> None:
    assert not rendered("Text\n\n# Late title").titled
    assert [entry.text for entry in rendered("Text\n\n# Late title").outline] == ["Late title"]


def test_awkward_headings_have_anchors_of_their_own() -> None:
    made = rendered("# \n\n# `a` *b*\n\n# !!!\n\n# a b\n\n# Größe 设置\n\n# main\n\n# passage-1\n\n#### deep\n")
    anchors = [entry.anchor for entry in made.outline]
    assert anchors == [
        "section-a-b",
        "section-untitled",
        "section-a-b-2",
        "section-größe-设置",
        "section-main",
        "section-passage-1",
        "section-deep",
    ]
    assert len(tree(made).css("[id]")) == len(anchors)


def test_links_to_the_page_itself_stay_in_it_and_others_open_elsewhere() -> None:
    links = {node.text(): node.attributes for node in tree(rendered(PAGE)).css("a")}
    assert links["before"]["href"] == "#section-first"
    assert links["replies"]["href"] == "#section-replies"
    assert links["itself"]["href"] == "#section-replies-2"
    assert "target" not in links["replies"]
    assert links["else"]["href"] == f"{URI}#elsewhere"
    assert links["out"]["href"] == "https://x.example/#replies"
    assert links["budget"] == {
        "href": "https://docs.example/budget.md",
        "target": "_blank",
        "rel": "noopener noreferrer",
    }


def test_without_an_address_relative_links_are_text() -> None:
    made = document_html(Document("documents/x", "", "[a](b.md) [c](#d) [e](https://x.example)"), [])
    assert [node.text() for node in tree(made).css("a")] == ["e"]
    assert tree(made).text().strip() == "a c e"


def test_slugs_are_those_of_most_generators() -> None:
    assert slug("Set up: the *API* (v1.2)") == "set-up-the-api-v12"
    assert slug("  ") == ""


# --- length -----------------------------------------------------------------------------------------------------------


def test_a_huge_document_is_cut_by_whole_sections_round_its_passage() -> None:
    section = "## Section {}\n\n" + "Some words of text. " * 50 + "\n\n"
    content = "".join(section.format(number) for number in range(1_500))
    assert len(content) > 2 * DOCUMENT_LIMIT
    wanted = content.index("Section 900\n") + 20
    made = document_html(document(content), [(wanted, wanted + 15)])
    assert made.shortened
    assert made.marked == (True,)
    assert made.outline[0].text.startswith("Section 7")
    assert "Section 900" in [entry.text for entry in made.outline]
    assert len(made.html) < 2 * DOCUMENT_LIMIT


def test_a_huge_document_without_headings_is_cut_too() -> None:
    content = "Some words of text.\n\n" * 50_000
    made = document_html(document(content), [(900_000, 900_010)])
    assert made.shortened
    assert len(made.html) < 3 * DOCUMENT_LIMIT


def test_half_a_megabyte_takes_about_a_second() -> None:
    content = (PAGE + "\n") * (DOCUMENT_LIMIT // len(PAGE) - 1)
    started = time.process_time()
    assert not document_html(document(content), [(10, 20)]).shortened
    assert time.process_time() - started < 6


def test_a_row_quoted_without_its_head_is_a_row_with_its_words_marked() -> None:
    row = "| `429` | not *now* |"
    html = LexborHTMLParser(str(passage_html(Passage(row, start=0, marks=((10, 19),)))))
    assert [cell.text() for cell in html.css("tbody td")] == ["429", "not now"]
    assert "not" in [mark.text().strip() for mark in html.css("mark")]  # a row is marked whole
    assert "|" not in html.text()


def test_lines_with_bars_that_are_no_rows_stay_as_they_are() -> None:
    html = LexborHTMLParser(str(passage_html(Passage("a | b\nc"))))
    assert html.css_first("table") is None
    assert "a | b" in html.text()

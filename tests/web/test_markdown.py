"""The one pipeline: nothing foreign becomes active, on any of its ways; one-line texts; text fragments."""

import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from markupsafe import Markup
from selectolax.lexbor import LexborHTMLParser

from app.corpus.readers.reading import Skipped, read
from app.domain.answers import Segment
from app.domain.documents import Document, Passage
from app.web.markdown import AnswerRendering, answer_html, document_html, passage_html, plain, text_fragment
from tests.support.shared import SharedMissing, shared_folder
from tests.web.active_content import active, assert_harmless, elements
from tests.web.payloads import PAYLOADS

HERE = "https://docs.example/guide/page"


def cite(number: int, first: bool) -> Markup:
    return Markup('<a class="cite" href="https://docs.example/">{}</a>').format(number)


def document_of(text: str, spans: Sequence[tuple[int, int]] = ()) -> str:
    return str(document_html(Document("documents/docs.example/guide/page", HERE, text), spans).html)


def answer_of(text: str) -> str:
    return "".join(answer_html([Segment(text, (1,))], cite, address=lambda number: HERE))


def doubt_of(text: str) -> str:
    segments = [Segment("One.", (1,)), Segment(f" Two.\n\n{text}", unsupported=True), Segment(text, unsupported=True)]
    return "".join(answer_html(segments, cite, address=lambda number: HERE))


def passage_of(text: str) -> str:
    return str(passage_html(Passage(text, marks=((0, len(text)), (1, 3))), uri=HERE))


def half_arrived(text: str) -> str:
    """All that a reader sees while the text comes in, sign by sign."""
    rendering = AnswerRendering(cite, address=lambda number: HERE)
    seen: list[str] = []
    for end in range(1, len(text) + 1):
        update = rendering.update([Segment(text[:end])], ended=False)
        seen += [*update.closed, update.tail]
    return "".join(seen)


WAYS: dict[str, Callable[[str], str]] = {
    "document": document_of,
    "document with marks": lambda text: document_of(text, [(0, len(text)), (2, 5), (5, 9)]),
    "answer": answer_of,
    "without a source": doubt_of,
    "passage": passage_of,
    "answer as it comes": half_arrived,
    "in a list": lambda text: answer_of("- one\n- " + text.replace("\n", "\n  ")),
    "in a cell": lambda text: answer_of("| a |\n| --- |\n| " + text.replace("\n", " ") + " |"),
    "in a quote": lambda text: answer_of("> " + text.replace("\n", "\n> ")),
    "as a heading": lambda text: document_of("## " + text.replace("\n", " ")),
    "twice": lambda text: answer_of(LexborHTMLParser(answer_of(text)).text()),
}


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_no_payload_becomes_active(payload: str) -> None:
    for way in WAYS.values():
        html = way(payload)
        assert_harmless(html)
        for value in active(html):
            assert "evil.invalid" not in value or value.startswith("https://evil.invalid/"), value


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_one_line_is_one_line_of_readable_characters(payload: str) -> None:
    line = plain(payload)
    assert "\n" not in line
    assert "\r" not in line
    assert "\x00" not in line
    line.encode()  # no halves of pairs


def test_templates_and_markup_are_text() -> None:
    shown = LexborHTMLParser(answer_of("{{7*7}} <b>bold</b> &lt;i&gt; List<String> data: x")).text()
    assert shown.strip() == "{{7*7}} <b>bold</b> <i> List<String> data: x1"


def test_forged_signs_become_no_marks() -> None:
    html = answer_of("one \U0010f000 two \u2000\U0010f000\u2000 three")
    assert html.count("<sup") == 1
    assert html.index("<sup") > html.index("three")


def files_with_expectations() -> list[dict[str, object]]:
    try:
        lines = (shared_folder() / "hostile" / "expect.jsonl").read_text(encoding="utf-8").splitlines()
    except SharedMissing:
        return []
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("expected", files_with_expectations(), ids=lambda expected: str(expected["file"]))
@pytest.mark.parametrize("way", [document_of, answer_of, passage_of])
def test_no_hostile_file_becomes_active(shared: Path, expected: dict[str, object], way: Callable[[str], str]) -> None:
    text = (shared / "hostile" / str(expected["file"])).read_bytes().decode("utf-8", "surrogateescape")
    html = way(text)
    assert_harmless(html)
    never = expected.get("never_active", [])
    assert isinstance(never, list)
    for seen in active(html):
        assert not any(str(word).lower() in seen.lower() for word in never), seen


@pytest.mark.parametrize("expected", files_with_expectations(), ids=lambda expected: str(expected["file"]))
def test_no_hostile_file_becomes_active_on_its_way_through_the_readers(
    shared: Path, expected: dict[str, object]
) -> None:
    name = str(expected["file"])
    document = read(name, (shared / "hostile" / name).read_bytes(), uri=HERE)
    if isinstance(document, Skipped):
        assert expected["ingest"] != "ok" or name.endswith((".rst", ".adoc"))
        return
    never = expected.get("never_active", [])
    assert isinstance(never, list)
    for way in (document_of, answer_of, passage_of):
        html = way(document.content)
        assert_harmless(html)
        for seen in active(html):
            assert not any(str(word).lower() in seen.lower() for word in never), seen


@pytest.mark.parametrize("expected", files_with_expectations(), ids=lambda expected: str(expected["file"]))
def test_what_is_split_anywhere_stays_harmless(shared: Path, expected: dict[str, object]) -> None:
    text = (shared / "hostile" / str(expected["file"])).read_bytes().decode("utf-8", "replace")[:400]
    assert_harmless(half_arrived(text))


def test_words_of_hostile_files_are_shown(shared: Path) -> None:
    def shown(name: str) -> str:
        text = (shared / "hostile" / name).read_bytes().decode("utf-8", "replace")
        return " ".join(LexborHTMLParser(document_of(text)).text().split())

    assert "this one is code and must be shown as code" in shown("script-tags.md")
    assert "lantern seven" in shown("script-tags.md")
    assert "List<String>" in shown("entities-and-generics.md")
    assert "quoted sixty deep: plum" in shown("deep-headings.md")
    assert "item depth 39" in shown("deep-headings.md")
    assert "still in the tilde fence" in shown("nested-fences.md")
    assert "needle-in-cell" in shown("huge-table.md")
    assert "marmalade" in shown("control-chars.md")


def test_links_of_hostile_files_lead_where_they_say_or_nowhere(shared: Path) -> None:
    text = (shared / "hostile" / "link-schemes.md").read_text(encoding="utf-8")
    targets = {attributes["href"] for tag, attributes in elements(document_of(text)) if tag == "a"}
    assert targets == {
        "https://evil.invalid/x",  # //evil.invalid/x, as it stands
        "https://xn--pple-43d.example.com/",  # the look-alike shows its true name
        "https://example.com/guide",
        "mailto:docs@example.com",
        "https://docs.example/other/page.md#part",
    }


def test_addresses_survive_encoded_once(shared: Path) -> None:
    text = (shared / "hostile" / "odd-urls.md").read_text(encoding="utf-8")
    targets = [attributes["href"] for tag, attributes in elements(document_of(text)) if tag == "a"]
    for target in (
        "https://en.wikipedia.org/wiki/Set_(mathematics)",
        "https://example.com/a_(b)_(c)",
        "https://example.com/a%20b/c%20d.html",
        "https://example.com/page?x=1&y=2#Section-1.2",
        "https://example.com/100%25",
        "https://example.com/a%2Fb",
        "https://example.com/%2520",
        "https://example.com/%C3%BCber/%E6%97%A5%E6%9C%AC",
        "https://xn--bcher-kva.example.com/",
        "https://docs.example/docs/start",
    ):
        assert target in targets, target
    assert not any("%25C3" in target or "pw@" in target for target in targets)


# --- time -------------------------------------------------------------------------------------------------------------

PATHOLOGICAL = {
    "brackets": "[" * 100_000 + "](" * 100_000 + "*a_" * 50_000,
    "links": "[a](" * 25_000,
    "images": "![" * 50_000,
    "images within the limit": "![" * 5_000,
    "stars": "*" * 100_000,
    "emphasis within the limit": "**a *b " * 2_800,
    "backticks": "".join("`" * (count % 80) + "x" for count in range(2_000)),
    "quotes": ">" * 20_000 + " deep",
    "dashes": "- " * 20_000 + "deep",
    "angles": "<" * 100_000,
    "references": "&#" * 50_000,
    "one word": "a" * 5_000_000,
    "one line": "lorem ipsum dolor " * 290_000,
    "wide table": "|a" * 3_000 + "\n" + "|-" * 3_000 + "\n" + "|b" * 3_000,
    "definitions": "".join(f"[a{count}]: /u\n" for count in range(5_000)),
    "blank lines": "\n" * 200_000,
    "deep list": "".join(" " * 2 * count + "- x\n" for count in range(300)),
    "code": "```python\n" + "x = 1\n" * 50_000,
    "pipes": "|" * 100_000,
    "underlines": "a\n" + "=" * 100_000,
    "spaces": "a" + " " * 100_000 + "b",
}


@pytest.mark.parametrize("text", PATHOLOGICAL.values(), ids=PATHOLOGICAL)
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()
    answer_of(text)
    document_of(text, [(0, 300), (len(text) - 50, len(text))])
    passage_of(text)
    AnswerRendering(cite).update([Segment(text)], ended=False)
    plain(text)
    assert time.process_time() - started < 8  # seconds for five renderings; most take a tenth, none grows by squares


def test_a_long_table_that_grows_is_not_rendered_over_and_over() -> None:
    text = "| a | b |\n| - | - |\n" + "| x | y |\n" * 3_000
    rendering = AnswerRendering(cite)
    rendering.update([Segment(text[:9_000])], ended=False)
    started = time.process_time()
    for end in range(9_000, len(text), 10):
        rendering.update([Segment(text[:end])], ended=False)
    assert time.process_time() - started < 3  # each of the 2,100 updates would take a tenth of a second
    (table,) = rendering.update([Segment(text)], ended=True).closed
    assert table.count("<tr>") == 3_001


# --- one line ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# A *bold* `title`", "A bold title"),
        ("one\ntwo\n\n- three\n- [four](https://x.example)", "one two three four"),
        ("![what it shows](https://x.example/p.png)", "what it shows"),
        ("| a | b |\n|---|---|\n| c | d |", "a b c d"),
        ("```sh\nls  -l\n```", "ls -l"),
        ("Tom & Jerry &amp; <b>", "Tom & Jerry & <b>"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_markdown_as_one_line(text: str, line: str) -> None:
    assert plain(text) == line


# --- text fragments ---------------------------------------------------------------------------------------------------

PROSE = "Give the service a budget first, then drain the node: the command evicts each Pod."


def test_a_verbatim_passage_is_found_by_its_first_and_last_words() -> None:
    assert text_fragment(HERE, Passage(PROSE, start=7)) == (
        f"{HERE}#:~:text=Give%20the%20service%20a%20budget,the%20command%20evicts%20each%20Pod."
    )


def test_signs_with_a_meaning_of_their_own_are_encoded() -> None:
    found = text_fragment(HERE, Passage("A re-try, R&D: 100% “done”.", start=0))
    assert found == f"{HERE}#:~:text=A%20re%2Dtry%2C%20R%26D%3A%20100%25%20%E2%80%9Cdone%E2%80%9D."


def test_the_supporting_words_are_taken_where_they_are_known() -> None:
    start = PROSE.index("then")
    passage = Passage(PROSE, start=0, marks=((start, PROSE.index(":")),))
    assert text_fragment(f"{HERE}#drain", passage) == f"{HERE}#drain:~:text=then%20drain%20the%20node"


def test_inline_markup_is_no_part_of_what_a_page_shows() -> None:
    passage = Passage("Use **the** [`drain`](x.md) command.", start=0)
    assert text_fragment(HERE, passage) == f"{HERE}#:~:text=Use%20the%20drain%20command."


@pytest.mark.parametrize(
    "passage",
    [
        Passage(PROSE),  # not verbatim
        Passage("```sh\nkubectl get nodes --all\n```", start=0),
        Passage("| a | b | c |\n|---|---|---|\n| d | e | f |", start=0),
        Passage("    indented code of four words", start=0),
        Passage("# Only a long heading here", start=0),
        Passage("two words", start=0),
        Passage("See ![the picture](x.png) over there now", start=0),
        Passage("", start=0),
    ],
)
def test_other_passages_leave_the_address_alone(passage: Passage) -> None:
    assert text_fragment(HERE, passage) == HERE


def test_an_address_with_a_text_fragment_keeps_it() -> None:
    uri = f"{HERE}#:~:text=already"
    assert text_fragment(uri, Passage(PROSE, start=0)) == uri


# --- passages ---------------------------------------------------------------------------------------------------------


def marked(html: str) -> list[str]:
    return [node.text() for node in LexborHTMLParser(html).css("mark")]


def test_the_supporting_words_of_a_passage_are_marked() -> None:
    start = PROSE.index("then")
    html = str(passage_html(Passage(PROSE, marks=((start, PROSE.index(":")),))))
    assert html == (
        '<p dir="auto">Give the service a budget first, <mark>then drain the node</mark>: '
        "the command evicts each Pod.</p>\n"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("one **two three** four", ["two"]),
        ("one **two** three", ["two"]),
        ("one `two` three", ["two"]),
        ("one [two](https://x.example) three", ["two"]),
        ("one _two_ three", ["two"]),
        ("> one\n> two three", ["two"]),
        ("- one\n  two three", ["two"]),
        ("1. one\n\n   two", ["two"]),
        ("one\r\ntwo three", ["two"]),
        ("# two", ["two"]),
        ("one &amp; two", ["two"]),
    ],
)
def test_a_mark_lies_exactly_on_its_words(text: str, words: list[str]) -> None:
    start = text.index("two")
    assert marked(str(passage_html(Passage(text, marks=((start, start + 3),))))) == words


@pytest.mark.parametrize("start", range(0, 80, 4))
def test_a_mark_at_any_place_changes_nothing_but_itself(start: int) -> None:
    text = "a **b *c* d** [e `f`](https://x.example/a_b) <https://y.example> \\*g\\* ~~h~~\n- i _j_\n  1. k"
    bare = str(passage_html(Passage(text)))
    for end in range(start + 1, len(text) + 1):
        html = str(passage_html(Passage(text, marks=((start, end),))))
        assert re.sub(r"</?mark>", "", html) == bare
        assert all(marked(html))


def test_headings_of_a_passage_are_bold_lines() -> None:
    assert str(passage_html(Passage("## Drain\n\nText."))) == (
        '<p dir="auto" class="part">Drain</p>\n<p dir="auto">Text.</p>\n'
    )

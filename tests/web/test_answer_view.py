"""An answer that grows: its blocks, its open rest, its marks."""

import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from markupsafe import Markup
from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.domain.answers import EMPTY_ANSWER, Segment, TextDelta
from app.web.answer_view import ANSWER_LIMIT, AnswerRendering, Rendered, answer_html
from app.web.blocks import Words

ANSWER = """Give the service a *budget* first, then **drain the node.** Use `kubectl`.

[ref]: https://x.example/ref

## Set the budget

A budget selects Pods by [label](../labels.md) and states
how many must stay.

```yaml
kind: PodDisruptionBudget

spec:
  maxUnavailable: 1  # follows
```

1. Find its name:

   ```sh
   kubectl get nodes
   ```

2. Drain it.
   - Pods of a DaemonSet stay.
3. Allow new Pods again.

| Reply | Meaning |
| --- | :-: |
| `200` | granted \\| done |
| `429` | not now |

> Quoted, and
> quoted on.

Setext
------

***

    indented code

    goes on

Last [link][ref] and <https://x.example/a>, ~~gone~~, a \\* star & an &amp;.
"""


def cite(number: int, first: bool) -> Markup:
    return Markup('<a class="cite{}">{}</a>').format(f" c{number}" if first else "", number)


NONE = 0  # in place of a number: the text has no source


def segments_of(*pieces: str | int) -> list[Segment]:
    """Texts, each followed by the numbers that close it, or by NONE."""
    answer = EMPTY_ANSWER
    for piece in pieces:
        if isinstance(piece, str):
            answer = answer.apply(TextDelta(piece))
        else:
            answer = answer.apply(TextDelta("", (piece,) if piece else (), piece == NONE))
    return list(answer.segments)


def whole(*pieces: str | int) -> str:
    return "".join(answer_html(segments_of(*pieces), cite))


def steps(segments: Sequence[Segment], sizes: Iterator[int]) -> Iterator[list[Segment]]:
    """The segments as they grow, some signs at a time; numbers come after the text, one by one."""
    done: list[Segment] = []
    for segment in segments:
        end = 0
        while end < len(segment.text):
            end += next(sizes)
            yield [*done, Segment(segment.text[:end])]
        for count in range(1, len(segment.numbers) + 1):
            yield [*done, Segment(segment.text, segment.numbers[:count])]
        if segment.unsupported:
            yield [*done, segment]
        done.append(segment)


def streamed(segments: Sequence[Segment], sizes: Iterator[int]) -> tuple[Markup, ...]:
    rendering = AnswerRendering(cite)
    closed: list[Markup] = []
    for grown in steps(segments, sizes):
        closed += rendering.update(grown, ended=False).closed
    return (*closed, *rendering.update(segments, ended=True).closed)


def random_sizes(seed: int) -> Iterator[int]:
    choice = random.Random(seed)
    while True:
        yield choice.choice((1, 2, 5, 17, 80, 400))


def one_by_one() -> Iterator[int]:
    while True:
        yield 1


def with_marks(text: str, seed: int) -> list[Segment]:
    choice = random.Random(seed)
    pieces: list[str | int] = []
    place = 0
    while place < len(text):
        size = choice.randrange(1, 90)
        pieces.append(text[place : place + size])
        pieces += choice.choice(([], [NONE], [NONE], [choice.randrange(1, 5) for _ in range(choice.choice((1, 2)))]))
        place += size
    return segments_of(*pieces)


# --- the stream and the whole -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_however_an_answer_arrives_its_blocks_are_the_same(seed: int) -> None:
    segments = with_marks(ANSWER, seed)
    expected = answer_html(segments, cite)
    assert streamed(segments, one_by_one()) == expected
    assert streamed(segments, random_sizes(seed)) == expected


@pytest.mark.parametrize("place", range(0, len(ANSWER), 3))
def test_an_answer_cut_in_two_anywhere_is_the_same(place: int) -> None:
    rendering = AnswerRendering(cite)
    first = rendering.update([Segment(ANSWER[:place])], ended=False).closed
    rest = rendering.update([Segment(ANSWER)], ended=True).closed
    assert (*first, *rest) == answer_html([Segment(ANSWER)], cite)


def test_awkward_pages_as_answers_are_the_same_too(shared: Path) -> None:
    for seed, path in enumerate(sorted((shared / "hostile").glob("*.md"))):
        segments = with_marks(path.read_bytes().decode("utf-8", "replace")[:1_500], seed)
        assert streamed(segments, random_sizes(seed)) == answer_html(segments, cite), path.name


def test_line_ends_of_any_system_make_the_same_answer() -> None:
    expected = answer_html([Segment(ANSWER)], cite)
    for ending in ("\r\n", "\r"):
        text = ANSWER.replace("\n", ending)
        assert answer_html([Segment(text)], cite) == expected
        assert streamed([Segment(text)], one_by_one()) == expected


def test_a_finished_block_is_rendered_once() -> None:
    calls: list[int] = []

    def counting(number: int, first: bool) -> Markup:
        calls.append(number)
        return cite(number, first)

    rendering = AnswerRendering(counting)
    segments = segments_of("One.", 1, "\n\nTwo.", 2, "\n\nThree.", 3, "\n\nFour")
    rendering.update(segments, ended=False)
    calls.clear()
    rendering.update([*segments[:-1], Segment("\n\nFour and more")], ended=False)
    assert calls == []


def test_what_is_not_the_same_answer_is_refused() -> None:
    rendering = AnswerRendering(cite)
    rendering.update([Segment("One text.")], ended=False)
    with pytest.raises(ValueError, match="do not continue"):
        rendering.update([Segment("Another text.")], ended=False)


def test_a_long_list_is_closed_in_parts_and_its_numbers_go_on() -> None:
    text = "Before.\n\n" + "".join(f"1. Item {count} with some words to fill the line.\n" for count in range(1, 301))
    rendering = AnswerRendering(cite)
    part = rendering.update([Segment(text)], ended=False)
    assert len(part.closed) > 2
    assert len(part.tail) < 12_000
    blocks = answer_html([Segment(text)], cite)
    items = 0
    for block in blocks[1:]:
        (opening,) = LexborHTMLParser(block).css("ol")
        assert int(opening.attributes.get("start") or 1) == items + 1
        items += block.count("<li")
    assert items == 300


def test_nothing_gives_nothing() -> None:
    assert answer_html([], cite) == ()
    assert answer_html([Segment(" \n\n ", (1,))], cite) == ()
    assert AnswerRendering(cite).update([], ended=False) == Rendered((), Markup(""))


# --- the open rest ----------------------------------------------------------------------------------------------------


def shown_of(text: str) -> str:
    """What a reader sees of an answer that has come so far."""
    rendered = AnswerRendering(cite).update([Segment(text)], ended=False)
    return "".join([*rendered.closed, rendered.tail])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Plain wor", '<p dir="auto">Plain wor</p>\n'),
        ("A **bold te", '<p dir="auto">A <strong>bold te</strong></p>\n'),
        ("A **bold text*", '<p dir="auto">A <strong>bold text</strong></p>\n'),
        ("A **", '<p dir="auto">A</p>\n'),
        ("An *em **strong", '<p dir="auto">An <em>em <strong>strong</strong></em></p>\n'),
        ("A `cod", '<p dir="auto">A <code>cod</code></p>\n'),
        ("A ``co`d", '<p dir="auto">A <code>co`d</code></p>\n'),
        ("A `", '<p dir="auto">A </p>\n'),
        ("A `*.py", '<p dir="auto">A <code>*.py</code></p>\n'),
        ("A [li", '<p dir="auto">A li</p>\n'),
        ("A [link]", '<p dir="auto">A link</p>\n'),
        ("A [link](https://x.exa", '<p dir="auto">A link</p>\n'),
        ('A [link](https://x.example/a "ti', '<p dir="auto">A link</p>\n'),
        ("A [link][la", '<p dir="auto">A link</p>\n'),
        ("A ![pict", '<p dir="auto">A pict</p>\n'),
        ("A <https://x.ex", '<p dir="auto">A</p>\n'),
        ("Tom &am", '<p dir="auto">Tom</p>\n'),
        ("2 * 3 and *.py files", '<p dir="auto">2 * 3 and *.py files</p>\n'),
        ("snake_case_na", '<p dir="auto">snake_case_na</p>\n'),
        ("Text\n---", '<p dir="auto">Text</p>\n'),
        ("Text\n\n-", '<p dir="auto">Text</p>\n'),
        ("Text\n\n12", '<p dir="auto">Text</p>\n'),
        ("Text\n\n##", '<p dir="auto">Text</p>\n'),
        ("Text\n\n``", '<p dir="auto">Text</p>\n'),
        ("Text\n\n```ya", '<p dir="auto">Text</p>\n'),
        ("Text\n\n| a | b", '<p dir="auto">Text</p>\n'),
        ("Text\n\n| a | b |\n", '<p dir="auto">Text</p>\n'),
        ("Text\n\n| a | b |\n| -", '<p dir="auto">Text</p>\n'),
        ("- one\n- two **th", '<ul>\n<li dir="auto">one</li>\n<li dir="auto">two <strong>th</strong></li>\n</ul>\n'),
    ],
)
def test_nothing_half_arrived_is_shown(text: str, shown: str) -> None:
    assert shown_of(text) == shown


def test_an_open_code_block_is_a_code_block() -> None:
    text = "Run:\n\n```\nls\n\ncd *x"
    assert "<code>ls\n\ncd *x</code>" in shown_of(text)
    assert "``" not in shown_of(text + "\n``")


def test_an_open_table_shows_its_whole_rows() -> None:
    shown = shown_of("| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 |")
    assert shown.count("<tr>") == 2
    assert "<td" in shown


def test_no_sign_of_markdown_flickers_while_an_answer_arrives() -> None:
    rendering = AnswerRendering(cite)
    for grown in steps([Segment(ANSWER)], one_by_one()):
        shown = LexborHTMLParser(str(rendering.update(grown, ended=False).tail))
        for code in shown.css("code"):
            code.decompose()
        text = shown.text().replace("granted | done", "")
        for sign in ("**", "`", "](", "[l", "##", "|", "~~", "---", "https://x.example/ref"):
            assert sign not in text, (grown[0].text[-40:], text)


def test_an_update_is_quick_however_long_the_answer_is() -> None:
    text = "".join(f"Sentence {count} says *something* about `x{count}`.\n\n" for count in range(2_200))
    assert len(text) > 90_000
    rendering = AnswerRendering(cite)
    rendering.update([Segment(text[:-2_000])], ended=False)
    started = time.process_time()
    for end in range(len(text) - 2_000, len(text), 10):
        rendering.update([Segment(text[:end])], ended=False)
    assert (time.process_time() - started) / 200 < 0.02


def test_an_endless_answer_is_cut_and_says_so() -> None:
    blocks = answer_html([Segment("word " * ANSWER_LIMIT, (1,))], cite)
    assert len(blocks[0]) < 2 * ANSWER_LIMIT
    assert blocks[-1] == "<p>…</p>"


# --- marks ------------------------------------------------------------------------------------------------------------

ONE = '<sup class="ref"><a class="cite c1">1</a></sup>'


@pytest.mark.parametrize(
    ("pieces", "html"),
    [
        (("A sentence.", 1), f'<p dir="auto">A sentence.{ONE}</p>\n'),
        (("A sentence. ", 1), f'<p dir="auto">A sentence.{ONE}</p>\n'),
        (("A sentence.\n\n", 1), f'<p dir="auto">A sentence.{ONE}</p>\n'),
        (("A sentence.", 1, " Another."), f'<p dir="auto">A sentence.{ONE} Another.</p>\n'),
        (("**Bold.**", 1, " On."), f'<p dir="auto"><strong>Bold.</strong>{ONE} On.</p>\n'),
        (("**Bold.", 1, " Still.** On."), f'<p dir="auto"><strong>Bold.{ONE} Still.</strong> On.</p>\n'),
        (("Use `a b", 1, " c` on."), f'<p dir="auto">Use <code>a b c</code>{ONE} on.</p>\n'),
        (("- one", 1, "\n- two"), f'<ul>\n<li dir="auto">one{ONE}</li>\n<li dir="auto">two</li>\n</ul>\n'),
        (("## Head", 1), f'<h3 dir="auto">Head{ONE}</h3>\n'),
        (("> quoted", 1), f'<blockquote>\n<p dir="auto">quoted{ONE}</p>\n</blockquote>\n'),
    ],
)
def test_a_mark_stands_at_the_end_of_its_text(pieces: tuple[str | int, ...], html: str) -> None:
    assert whole(*pieces) == html


def test_a_mark_in_a_link_stands_behind_it() -> None:
    html = whole("See [the page", 1, " here](https://x.example) now.")
    assert "</a><sup" in html
    assert "the page here</a>" in html


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("```sh\nls\n```", "</figure>\n"),
        ("    ls", "</figure>\n"),
        ("| a |\n| - |\n| b |", "</table></div>\n"),
        ("***", "<hr>\n"),
    ],
)
def test_a_mark_behind_a_block_without_room_stands_below_it(text: str, end: str) -> None:
    assert whole(text, 1, "\n\nOn.").startswith(whole(text).removesuffix("\n") + f'\n<p class="refs">{ONE}</p>\n')
    assert whole(text).endswith(end)


def test_marks_of_many_rows_are_one_line_below_the_table() -> None:
    html = whole("| a |\n| - |\n| b |", 1, "\n| c |", 2, "\n| d |", 1)
    assert html.count("<sup") == 1
    assert html.endswith('c1">1</a><a class="cite c2">2</a></sup></p>\n')


def test_several_marks_share_one_place_and_none_comes_twice() -> None:
    html = whole("A sentence.", 1, 2, 1, " ", 2)
    assert html.count("<sup") == 1
    assert html.count("<a") == 2


def test_only_the_first_use_of_a_number_says_so() -> None:
    html = whole("One.", 1, " Two.", 2, "\n\nThree.", 1)
    assert html.count(" c1") == 1
    assert html.count(">1<") == 2


def test_the_open_rest_does_not_use_up_a_first_use() -> None:
    rendering = AnswerRendering(cite)
    segments = segments_of("One.", 1, " Two")
    for _ in range(3):
        assert " c1" in rendering.update(segments, ended=False).tail
    assert " c1" in rendering.update(segments, ended=True).closed[0]


def test_a_number_that_nobody_knows_leaves_nothing() -> None:
    segments = segments_of("A sentence.", 9, "\n\n```\nx\n```", 9)
    html = "".join(answer_html(segments, lambda number, first: Markup("")))
    assert "sup" not in html
    assert "refs" not in html


def test_numbers_written_in_a_document_stay_its_text() -> None:
    html = whole("As shown [1] and [7][99], 【3†source】.", 1)
    assert "shown [1] and [7][99], 【3†source】." in html
    assert html.count("<sup") == 1


def test_a_mark_that_comes_late_still_belongs_to_its_sentence() -> None:
    rendering = AnswerRendering(cite)
    rendering.update([Segment("A sentence.\n\n")], ended=False)
    rendering.update([Segment("A sentence.\n\n", (1,))], ended=False)
    late = rendering.update([Segment("A sentence.\n\n", (1, 2)), Segment("Next")], ended=False)
    assert late.closed == (
        '<p dir="auto">A sentence.<sup class="ref"><a class="cite c1">1</a><a class="cite c2">2</a></sup></p>\n',
    )


# --- what has no source -----------------------------------------------------------------------------------------------


def words_of(node: LexborNode) -> str:
    return " ".join(node.text().split())


def marked(*pieces: str | int) -> list[str]:
    """The words of each piece that is marked, by the ids that they begin with."""
    html = "".join(answer_html(segments_of(*pieces), cite, doubts="doubt-"))
    found: list[str] = []
    for span in LexborHTMLParser(html).css("span.unsourced"):
        if "id" in span.attributes:
            assert span.attributes["id"] == f"doubt-{len(found) + 1}"
            found.append("")
        found[-1] += span.text()
    return [" ".join(text.split()) for text in found]


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (("It is so.", NONE), ["It is so."]),
        (("It is so.", NONE, " On."), ["It is so."]),
        (("It is so. \n\n", NONE, "On."), ["It is so."]),
        (("Cited.", 1, " It is so.", NONE, " Cited.", 2), ["It is so."]),
        (("It is so.", NONE, " It is not.", NONE), ["It is so.", "It is not."]),
        (("Here is more: a list. It is so.", NONE), ["It is so."]),
        (("## Head\n\nFor example:\n\nIt is so.", NONE), ["It is so."]),
        (("## It is a head", NONE, "\n\nOn."), ["It is a head"]),
        (("Setext is so\n===", NONE), ["Setext is so"]),
        (("Version 1.2.3 of e.g. `a.b` is so.", NONE), ["Version 1.2.3 of e.g. a.b is so."]),
        (("It *is **so** now*.", NONE, " On."), ["It is so now."]),
        (("**It is so.**", NONE, " On."), ["It is so."]),
        (("**First. It is so.**", NONE, " On."), ["It is so."]),
        (("***It** is* so.", NONE), ["It is so."]),
        (("~~It is~~ so.", NONE), ["It is so."]),
        (("_It is so._", NONE), ["It is so."]),
        (("First. *It* is so.", NONE), ["It is so."]),
        (("First. `it` is so.", NONE), ["it is so."]),
        (("Use `it. Is` so.", NONE), ["Use it. Is so."]),
        (("It is `so`", NONE, " on."), ["It is so"]),
        (("It is\nso over\nlines.", NONE, "\nOn."), ["It is so over lines."]),
        (("First.\nIt is  \nso.", NONE), ["It is so."]),
        (("[It is](https://x.example) so.", NONE), ["It is so."]),
        (("It is [so. Or so.](https://x.example)", NONE, " On."), ["It is so. Or so."]),
        (("It is <https://x.example/a.b> so.", NONE), ["It is https://x.example/a.b so."]),
        (("It is ![an image](https://x.example/p.png) so.", NONE), ["It is an image so."]),
        (("It is \\*so\\* &amp; so.", NONE), ["It is *so* & so."]),
        (("- one is so.", NONE, "\n- two."), ["one is so."]),
        (("- one.\n- two is so.", NONE), ["two is so."]),
        (("- one.\n\n  First. It is so.", NONE, "\n\n- two."), ["It is so."]),
        (("1. one\n   - inner is so.", NONE, "\n   - on\n2. two", NONE), ["inner is so.", "two"]),
        (("- [ ] it is so", NONE), ["[ ] it is so"]),
        (("> It is\n> so.", NONE, "\n\nOn."), ["It is so."]),
        (("> - deep\n>   is so.", NONE), ["deep is so."]),
        (("| a | b |\n| - | - |\n| it | is `so` |", NONE, "\n| c | d |", 1), ["itis so"]),
        (("| a | b |\n| - | - |\n| c | d |", 1, "\n| it | |", NONE), ["it"]),
        (("| a |\n| - |\n| b |", NONE, "\n| c |", NONE, "\n| d |"), ["b", "c"]),
        (("| a |\n| - |\n| *b* \\| c |", NONE), ["b | c"]),
        (("```sh\nls\n```", NONE, "\n\nOn."), ["no source"]),
        (("Do:\n\n```sh\nls\n```\n\n", NONE, "On."), ["no source"]),
        (("    ls", NONE), ["no source"]),
        (("- Do:\n  ```\n  ls\n  ```", NONE), ["no source"]),
        (("***", NONE), ["no source"]),
        (("| a |\n| - |\n| |", NONE), ["no source"]),
        (("[ref]: https://x.example\n", NONE), []),
        ((" \n", NONE), []),
        (("<script>alert(1)</script> is so.", NONE), ["<script>alert(1)</script> is so."]),
        (("Ist es so? Ja, „es ist so.“", NONE), ["Ja, „es ist so.“"]),
        (("これは文です。これもそうです。", NONE), ["これもそうです。"]),
        (("So. (It is *so*.)", NONE), ["(It is so.)"]),
    ],
)
def test_exactly_the_words_without_a_source_are_marked(pieces: tuple[str | int, ...], words: list[str]) -> None:
    assert marked(*pieces) == words


def test_a_mark_is_said_once_behind_its_words() -> None:
    html = whole("First. It *is* so.", NONE, " On.")
    (note,) = LexborHTMLParser(html).css("span.unseen")
    assert note.text() == " (no source)"
    assert words_of(note.parent) == "First. It is so. (no source) On."
    assert "id=" not in html, "streamed text has no ids"


def test_a_row_is_said_once_to_have_no_source() -> None:
    html = whole("| a | b |\n| - | - |\n| c | d |", NONE)
    (note,) = LexborHTMLParser(html).css("span.unseen")
    assert words_of(note.parent) == "d (no source)"


def test_code_without_a_source_has_the_words_below_it_for_all_to_see() -> None:
    html = whole("```\nls\n```", NONE, "\n\nOn.", 1)
    line = LexborHTMLParser(html).css_first("figure.code + p.refs")
    assert line is not None
    assert words_of(line) == "no source"
    assert "unseen" not in html


def test_a_mark_that_comes_late_is_taken_back_when_a_source_comes_later_still() -> None:
    rendering = AnswerRendering(cite)
    assert "unsourced" not in rendering.update([Segment("It is so.")], ended=False).tail
    assert "unsourced" in rendering.update([Segment("It is so.", unsupported=True)], ended=False).tail
    assert "unsourced" not in rendering.update([Segment("It is so.", (1,))], ended=False).tail


def test_a_mark_counts_on_over_blocks() -> None:
    many = [piece for number in range(30) for piece in (f"Claim {number}.\n\n", NONE)]
    assert marked(*many) == [f"Claim {number}." for number in range(30)]


def without_marks(html: str) -> str:
    """What would be there if every piece had neither source nor doubt."""
    page = LexborHTMLParser(html)
    for mark in page.css("span.unseen, p.refs > span.unsourced, sup.ref"):
        mark.decompose()
    for line in page.css("p.refs"):
        if not line.text().strip():
            line.decompose()
    for span in page.css("span.unsourced"):
        span.unwrap()
    assert page.body is not None
    return " ".join(str(page.body.html).split())


@pytest.mark.parametrize("seed", range(40))
def test_marks_anywhere_change_nothing_but_themselves(seed: int) -> None:
    """The page that a browser makes of it is the same page: so the marks are balanced and stand where they may."""
    text = ANSWER if seed % 2 else ANSWER.replace("a ", "*a* ").replace("the ", "[the](../x) ")
    html = "".join(answer_html(with_marks(text, seed), cite))
    assert "unsourced" in html
    assert without_marks(html) == without_marks("".join(answer_html([Segment(text)], cite)))


def test_a_long_paragraph_may_be_all_in_doubt() -> None:
    pieces = [piece for number in range(1_500) for piece in (f" Claim {number} is so.", NONE)]
    assert len(marked(*pieces)) == 1_500


# --- blocks -----------------------------------------------------------------------------------------------------------


def test_headings_stay_below_the_question() -> None:
    assert [
        node.tag for node in LexborHTMLParser(whole("# a\n\n## b\n\n### c\n\n###### d")).css("h1,h2,h3,h4,h5,h6")
    ] == [
        "h3",
        "h3",
        "h4",
        "h4",
    ]


def test_relative_links_lead_from_the_document_cited_in_their_block() -> None:
    places = {1: "https://one.example/a/b", 2: "https://two.example/c/d"}
    html = "".join(
        answer_html(segments_of("[x](../y)", 1, "\n\n[x](z#p)", 2), cite, address=lambda number: places.get(number, ""))
    )
    assert 'href="https://one.example/y"' in html
    assert 'href="https://two.example/c/z#p"' in html
    assert whole("[x](../y)", 1).startswith('<p dir="auto">x<sup')


def test_our_own_words_come_in_the_readers_language() -> None:
    words = Words(code="Kod", code_in="{language} kodu", table="Tablo")
    html = "".join(answer_html([Segment("```yaml\na: 1\n```\n\n```\nb\n```\n\n| |\n|-|\n| x |")], cite, words=words))
    for label in ("YAML kodu", "Kod", "Tablo"):
        assert f'aria-label="{label}"' in html

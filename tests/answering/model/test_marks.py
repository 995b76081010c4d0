"""Marks are found in every usual spelling, wherever the text is cut; nothing half-arrived is ever given."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from app.answering.model.cleaning import Cleaning
from app.answering.model.marks import Mark, Marks, Words
from app.answering.model.numbers import numbers_of

KNOWN = 9
GIVEN = "https://docs.example.com/a_(b)"


def shown(parts: Sequence[str]) -> str:
    """The text with each mark as «numbers»."""
    marks = Marks(KNOWN, {GIVEN})
    pieces = [piece for part in parts for piece in marks.feed(part)] + marks.end()
    return "".join(
        piece.text if isinstance(piece, Words) else f"«{','.join(map(str, piece.numbers))}»" for piece in pieces
    )


EXAMPLES = {
    # spellings
    "So it is [1].": "So it is«1».",
    "So it is. [1] Next": "So it is.«1» Next",
    "So it is.[1] Next": "So it is.«1» Next",
    "So [1, 2] and [3;4] and [5 and 6]": "So«1,2» and«3,4» and«5,6»",
    "So [1][2].": "So«1»«2».",
    "So [1] [2], [3].": "So«1»«2»«3».",
    "So [[1]] or [[1], [2]] or [[1][3]].": "So«1» or«1,2» or«1,3».",
    "So [1-3], [2–4].": "So«1,2,3»«2,3,4».",
    "So 【1】 and ［2］ and ［３］": "So«1» and«2» and«3»",
    "So 【1†source】【2†L3-L5】.": "So«1»«2».",
    "So [^1] and [source 2] and [Sources: 3, 4] and [passage 5]": "So«1» and«2» and«3,4» and«5»",
    "So [Quelle 1] und [#2]": "So«1» und«2»",
    r"So \[1\], \[2\].": "So«1»«2».",
    "So [1](https://evil.example/x) it is": "So«1» it is",
    "So [1](#fn1)[2](u 'title').": "So«1»«2».",
    "So [1](see there)": r"So«1»(see there)",
    "So [[1]](https://evil.example)": "So«1»",
    # unknown numbers
    "So [99] it is [10].": "So it is.",
    "So [1, 99].": "So«1».",
    "So [1-400].": "So«1,2,3,4,5,6,7,8,9».",
    "So [0]": "So",
    # not marks
    "In [2024] and [1.2] and [x] and [ ] and (1)": "In [2024] and [1.2] and [x] and [ ] and (1)",
    "- [ ] to do\n- [x] done": "- [ ] to do\n- [x] done",
    "a [ b": "a [ b",
    "an end [1": "an end [1",
    "an end [": "an end [",
    "a ] b": "a ] b",
    # code
    "Call `argv[1]` and ``a`[2]``.": "Call `argv[1]` and ``a`[2]``.",
    "A lone ` tick [1]": "A lone ` tick«1»",
    "A lone ` tick [1]\n\nand `": "A lone ` tick«1»\n\nand `",
    "A tick \\` here [1] and `": "A tick \\` here«1» and `",
    "See:\n\n```py\nx[1] = [2]\n\n~~~\n```\n[3] Next": "See:\n\n```py\nx[1] = [2]\n\n~~~\n```«3» Next",
    "~~~~\nx[1]\n~~~\n~~~~\ny [1]": "~~~~\nx[1]\n~~~\n~~~~\ny«1»",
    "1. Do:\n   ```\n   x[1]\n   ```\n2. Or [2]": "1. Do:\n   ```\n   x[1]\n   ```\n2. Or«2»",
    "- ```\n  x[1]\n  ```": "- ```\n  x[1]\n  ```",
    "```\nx[1]": "```\nx[1]",
    "```x``` [1]": "```x```«1»",
    # places
    "A.\n\n[1] B.": "A.\n\n«1»B.",
    "- [1] A\n- B [2]": "- «1»A\n- B«2»",
    "A.\n[1]\n\nB": "A.«1»\n\nB",
    "| a | [1] |\n|---|---|\n| b [2] | c |": "| a |«1» |\n|---|---|\n| b«2» | c |",
    "**Bold [1].** More": "**Bold«1».** More",
    "What! [1] So!": "What!«1» So!",
    "End.  \n": "End.",
    "A\n\n[1]: https://evil.example\n[2]: x\nB": "A\n\n\n\nB",
    # links and images
    f"See [the page]({GIVEN}).": f"See [the page]({GIVEN}).",
    "See [the page](https://evil.example/?q=s).": "See the page.",
    "See [the [1] page](https://evil.example/).": "See the«1» page.",
    'See [`a`](x) and [b](<y> "t").': "See `a` and b.",
    "See [a\nb](\nhttps://evil.example\n).": "See a\nb.",
    "See [a](https://evil.example 'is": r"See [a]\(https://evil.example 'is",
    "![x](https://evil.example/b.png)So [1](u)": "So«1»",
    "[![x](https://evil.example/b.png)](https://evil.example)So": "So",
    "See <https://evil.example/a> and <a@evil.example>": "See https://evil.example/a and a@evil.example",
    f"See <{GIVEN}>": f"See <{GIVEN}>",
    "a <b> c < d <T> <div hx-get='/x'>": "a <b> c < d <T> <div hx-get='/x'>",
    "[note]: https://evil.example": r"\[note]: https://evil.example",
    "[[[[[x]]]]](https://evil.example)": r"\[[[[[x]]]]]\(https://evil.example)",
    "| `a | [x](https://evil.example) ` |": r"| `a | [x]\(https://evil.example) ` |",
    "- ```\n[x](https://evil.example)\n": "- ```\n[x] (https://evil.example)\n",
    "<a:[x](https://evil.example)>": "a:x",
    # characters
    "a\r\nb\rc\x00d\u202ee\U000e0041f": "a\nb\ncdef",
    "\ud83d\ude00 and \ud83d alone [1]": "😀 and  alone«1»",
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_spelling_means_the_same_as_a_whole_and_in_single_letters(text: str) -> None:
    assert shown([text]) == EXAMPLES[text]
    assert shown(list(text)) == EXAMPLES[text]


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_spelling_means_the_same_wherever_it_is_cut_in_two_or_three(text: str) -> None:
    places = range(len(text) + 1)
    for first in places:
        for second in places[first:]:
            assert shown([text[:first], text[first:second], text[second:]]) == EXAMPLES[text], (first, second)


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_was_given_is_never_taken_back(text: str) -> None:
    """What is given of a beginning is a beginning of what is given of the whole: nothing half-arrived is shown."""

    def given(part: str) -> str:
        marks = Marks(KNOWN, {GIVEN})
        return "".join(piece.text if isinstance(piece, Words) else str(piece.numbers) for piece in marks.feed(part))

    for shorter, longer in pairwise(given(text[:end]) for end in range(len(text) + 1)):
        assert longer.startswith(shorter)


def test_words_are_given_as_they_come_and_brackets_wait() -> None:
    marks = Marks(KNOWN)
    assert marks.feed("So it") == [Words("So"), Words(" it")]
    assert marks.feed(" is [") == [Words(" is")]
    assert marks.feed("1") == []
    assert marks.feed("]") == []
    assert marks.feed(".") == [Mark((1,)), Words(".")]


@pytest.mark.parametrize(
    "text",
    [
        "[" + "1" * 10_000 + "]",
        "[" + "1, " * 10_000 + "]",
        "[1]" * 10_000,
        "[" * 10_000,
        "]" * 10_000,
        "![" * 10_000,
        "`" * 10_000,
        "<a" * 10_000,
        "[a](" * 10_000,
        "[1](" * 10_000,
        "\\[" * 10_000,
        "【" * 10_000,
        "[1" + " " * 10_000,
        "a\n" * 10_000,
        "`` ` " * 5_000,
        "((" * 10_000,
        "[x](" + "(" * 10_000,
        "- " * 10_000,
    ],
    ids=lambda text: f"{text[:6]}…",
)
@pytest.mark.timeout(20)
def test_hostile_lengths_are_read_to_their_end(text: str) -> None:
    assert shown([text]) == shown([text[at : at + 7] for at in range(0, len(text), 7)])


def test_ten_thousand_digits_in_brackets_become_nothing() -> None:
    assert shown(["So [" + "7" * 10_000 + "] it is [1]"]) == "So it is«1»"


def test_a_bracket_that_is_never_closed_does_not_hold_the_text_back() -> None:
    marks = Marks(KNOWN)
    assert "".join(piece.text for piece in marks.feed("[ " + "word " * 100) if isinstance(piece, Words)).startswith(
        "\\[ word"
    )


@pytest.mark.parametrize("content", ["", " ", "a", "1a", "1234", "1,", "-1", "1--2", "http://x", "1 of 2", "v1"])
def test_other_content_of_brackets_is_no_citation(content: str) -> None:
    assert numbers_of(content, KNOWN) is None or content == "1,"


def test_half_a_character_waits_for_its_other_half() -> None:
    cleaning = Cleaning()
    assert cleaning.feed("a\ud83d") == "a"
    assert cleaning.feed("\ude00b\r") == "😀b"
    assert cleaning.feed("\nc") == "\nc"
    assert cleaning.end() == ""

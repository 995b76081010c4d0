"""Whatever a model writes, Markdown finds no link in it that no source gave, and no cut changes what is shown."""

import random
from collections.abc import Iterator, Sequence

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.answering.model.marks import Marks, Words

GIVEN = "https://docs.example.com/a"
PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
BITS = (
    *"[]()`|<\\:!'\"*_†\n\t ",
    *("[1]", "[2, 3]", "](https://e.x)", "![", "``", "```", "\n\n", "  ", "    ", "- ", "1. ", "> ", "# ", "a", "word"),
    *("<https://e.x>", "[a]: https://e.x", "[a]", "~~~", "\n```\n", "https://e.x", "【1】", "mailto:a@e.x", "\r"),
)


def shown(parts: Sequence[str]) -> str:
    marks = Marks(5, {GIVEN})
    pieces = [piece for part in parts for piece in marks.feed(part)] + marks.end()
    return "".join(piece.text for piece in pieces if isinstance(piece, Words))


def links(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("link_open", "image"):
            yield str(token.attrs.get("href") or token.attrs.get("src"))
        yield from links(token.children or ())


@pytest.mark.parametrize("seed", range(8))
def test_random_markdown_never_leads_out_and_never_depends_on_its_cuts(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(400):
        text = "".join(chance.choice(BITS) for _ in range(chance.randint(1, 16)))
        whole = shown([text])
        assert whole == shown(list(text)), text
        assert [link for link in links(PARSER.parse(whole)) if link != GIVEN] == [], text


@pytest.mark.parametrize(
    "text",
    [
        "<https[1, 2]://e.x>",
        "<https:![x](u 't')//e.x>",
        "<a<https://e.x>>",
        "``[1]` <https://e.x> ```",
        "[a][1](https://e.x (title))",
        "# ```<https://e.x>",
        "    ```\n<https://e.x>\n[a](https://e.x)",
        "- ```\n<https://e.x>\n[a](https://e.x)\n[b][c]\n\n[c]: https://e.x",
        "| `a | <https://e.x> |\n|---|---|\n| `b | [x](https://e.x) ` |",
        "[a\nb]: https://e.x\n\n[a b]",
        "[" + "x" * 400 + "](https://e.x)",
        "[a](https://e.x '" + "y" * 3000 + "')",
    ],
)
def test_known_ways_around_lead_nowhere(text: str) -> None:
    assert list(links(PARSER.parse(shown([text])))) == []


def test_a_link_to_an_opened_document_stays() -> None:
    assert list(links(PARSER.parse(shown([f"See [the page]({GIVEN}) [1]."])))) == [GIVEN]

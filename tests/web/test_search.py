"""What a search shows of a page: the words around what was searched for, marked, and never half a code block."""

from markupsafe import Markup

from app.domain.documents import DocumentChunk
from app.web.routes.search import _excerpt
from tests.support.pages import presented

CONTENT = """## The pump

Nothing that matters stands here.

## Speed

The *highest* speed of pumps is 85 percent.

```sh
# speed is a comment

pump --speed 40
```

The end, with another pump speed.
"""


def excerpt(query: str, content: str = CONTENT) -> Markup:
    return _excerpt(DocumentChunk("documents/x", "0", content), query, presented()[0])


def test_an_excerpt_begins_where_most_of_the_words_stand_and_marks_them() -> None:
    html = excerpt("highest pump speed")
    assert "Nothing that matters" not in html
    assert "<mark>speed</mark>" in html
    assert "<mark>pumps</mark>" in html


def test_headings_are_left_to_the_path_above() -> None:
    assert "The pump" not in excerpt("matters")
    assert "Nothing that <mark>matters</mark>" in excerpt("matters")


def test_an_excerpt_never_begins_within_code() -> None:
    html = excerpt("pump --speed 40")
    assert html.count("<pre") <= 1
    assert "The end" in html or "highest" in html


def test_a_page_of_headings_alone_has_no_excerpt() -> None:
    assert "<h" not in excerpt("speed", "# Speed\n\n## Speed")
    assert excerpt("speed", "").strip() == ""


def test_a_long_paragraph_is_cut_between_words() -> None:
    html = excerpt("speed", "speed " + "word " * 400)
    assert html.count("word") < 100
    assert "…" in html

"""Every stored hostile file is read as its expectation says, and the made ones in bounded time and memory."""

import json
import re
import time
from pathlib import Path

import pytest

from app.answering.blocks import BlockKind, blocks_of
from app.answering.chunking import MAX_CHARACTERS, chunks_of
from app.corpus.readers.reading import SUFFIXES, ReadDocument, Skipped, read

URI = "https://docs.example.com/guide/page"
SECONDS = 10  # the slowest takes two on a quiet machine; what grows with the square of the size takes minutes


def loosely(text: str) -> str:
    """Blanks and light markup aside, as the expectations compare."""
    return " ".join(re.sub(r"[`*_\\]", "", text).split())


def lines_of(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "expect.jsonl").read_text("utf-8").splitlines()
    return [line for line in map(json.loads, lines) if Path(str(line["file"])).suffix.lower() in SUFFIXES]


def test_every_stored_hostile_file_is_read_as_expected(shared: Path) -> None:
    folder = shared / "hostile"
    expected = lines_of(folder)
    assert len(expected) > 35
    for line in expected:
        check(line, read(str(line["file"]), (folder / str(line["file"])).read_bytes(), uri=URI))


def check(line: dict[str, object], result: ReadDocument | Skipped) -> None:
    name = line["file"]
    if isinstance(result, Skipped):
        assert line["ingest"] in ("skip", "ok-or-skip"), (name, result.reason)
        assert result.reason.endswith(".")
        return
    assert line["ingest"] != "skip", name
    assert bool(result.warnings) == (line["ingest"] == "warn"), (name, result.warnings)
    if "title" in line:
        assert result.title == line["title"], name
    chunks = chunks_of(result.content, result.title)
    joined = loosely(" ".join(chunk.lead + result.content[chunk.start : chunk.end] for chunk in chunks))
    for kept in line.get("keeps", []):
        assert loosely(kept) in joined, (name, kept)
    for lacked in line.get("lacks", []):
        assert lacked not in result.content, (name, lacked)
    found = iter(block.text for block in blocks_of(result.content) if block.kind is BlockKind.HEADING)
    for heading in line.get("headings", []):
        assert heading in found, (name, heading)  # in this order


MADE = {
    "big-line.md": "# Big line\n\n" + "lorem ipsum dolor " * 290_000 + "needle-at-end",
    "big-word.md": "a" * 5_000_000,
    "brackets.md": "[" * 100_000 + "](" * 100_000 + "*a_" * 50_000,
    "quotes.md": ">" * 20_000 + " deep",
    "lists.md": "- " * 20_000 + "deep",
    "deep.html": "<div>" * 50_000 + "deep",
    "deep-lists.html": "<ul><li>" * 20_000 + "deep",
    "deep.md": "<div>" * 50_000 + "deep",
    "headings.md": "".join(f"# h{i}\n\n" for i in range(50_000)),
    "long-heading.md": "# " + "*a " * 100_000,
    "comments.md": "x" + "<!--" * 200_000,
    "shortcodes.md": "x" + "{{< comment >}}" * 50_000,
    "tables.md": "x" + "<table>" * 30_000 + "</table>" * 30_000,
    "backticks.md": "`a``b```c" * 50_000,
    "braces.mdx": "{" * 300_000 + "a",
    "references.md": "[a]: http://x.example.com\n" * 100_000 + "[a][]" * 50_000,
    "spans.html": "<table><tr><td colspan=9999 rowspan=9999>x" * 3_000,
}


@pytest.mark.parametrize("name", MADE)
def test_a_made_hostile_file_is_read_in_bounded_time(name: str) -> None:
    begun = time.monotonic()
    result = read(name, MADE[name].encode())
    assert isinstance(result, ReadDocument)
    chunks = chunks_of(result.content, result.title)
    assert time.monotonic() - begun < SECONDS
    assert len(result.title) <= 300
    assert all(0 < chunk.end - chunk.start <= 2 * MAX_CHARACTERS for chunk in chunks)
    if name == "headings.md":
        assert chunks == ()
    if name.endswith("big-line.md"):
        assert result.content.endswith("needle-at-end\n")
        last = chunks[-1]
        assert result.content[last.start : last.end].endswith("needle-at-end")


@pytest.mark.parametrize("source", ["[" * 200_000, '{"cells":' + "[" * 100_000, "[]", "{}"])
def test_a_notebook_that_is_none_is_refused(source: str) -> None:
    assert isinstance(read("deep.ipynb", source.encode()), Skipped)


def test_a_file_above_the_limit_is_refused_with_its_size() -> None:
    result = read("huge.md", b"a" * 10_000_001)
    assert result == Skipped("The file has 10.0 MB; the limit is 10 MB.")


def test_a_private_character_in_a_file_cannot_stand_for_hidden_code() -> None:
    source = "Say \ue0000\ue001 and &#xE000;0&#57345; and `code`.\n\n<p>\ue0020\ue003</p>"
    result = read("page.md", source.encode())
    assert isinstance(result, ReadDocument)
    assert result.content == "Say 0 and 0 and `code`.\n\n0\n"

"""What the door makes of a file: title, language, address, warnings, reasons."""

import json

import pytest

from app.corpus.readers.reading import SUFFIXES, ReadDocument, Skipped, read


def taken(name: str, source: str | bytes, uri: str = "") -> ReadDocument:
    result = read(name, source if isinstance(source, bytes) else source.encode(), uri=uri)
    assert isinstance(result, ReadDocument), result
    return result


@pytest.mark.parametrize(
    ("name", "source", "title"),
    [
        ("a.md", "---\ntitle: Front\n---\n# First\n\nx", "Front"),
        ("a.md", "+++\ntitle = 'Front'\n+++\n# First\n\nx", "Front"),
        ("a.html", '<!--{"Title": "Front"}-->\n<h1>First</h1><p>x', "Front"),
        ("a.md", "Project: /p.yaml\nBook: /b.yaml\n\n# First\n\nx", "First"),
        ("a.md", "## Second\n\nx\n\n# First\n\ny", "First"),
        ("a.md", "## Second\n\nx", "Second"),
        ("a.md", "Setext\n===\n\nx", "Setext"),
        ("a.md", "```\n# code\n```\n\n# The `real` *one* [here](x.md) &amp; now {#id}\n\nx", "The real one here & now"),
        ("a.md", "# `<object>` elements\n\nx", "<object> elements"),
        ("a.html", "<title>Page | Site</title><p>x", "Page"),
        ("a.html", "<title>Page | Site</title><h1>Head <a href='#h'>¶</a></h1><p>x", "Head"),
        ("dir/my-page.md", "just words", "my-page"),
        ("a.md", "---\ntitle: Broken: colon\n---\nx", "Broken: colon"),
        ("a.md", "---\ntitle: |\n  two\n  lines\n---\nx", "two lines"),
    ],
)
def test_the_title_comes_from_front_matter_else_heading_else_head_else_name(name: str, source: str, title: str) -> None:
    assert taken(name, source).title == title


def test_the_first_heading_stays_in_the_content() -> None:
    assert taken("a.md", "---\ntitle: T\n---\n# Head\n\nx").content == "# Head\n\nx\n"


def test_front_matter_tells_description_language_and_address() -> None:
    document = taken("a.md", "---\ndescription: About <b>it</b>\nlang: pt_BR\nurl: https://a.example.com/b\n---\nx")
    assert (document.description, document.language, document.uri) == ("About it", "pt-BR", "https://a.example.com/b")


def test_a_page_tells_its_language_and_canonical_address() -> None:
    source = (
        '<html lang="de"><link rel="canonical" href="https://a.example.com/b"><meta name="description" content="D"><p>x'
    )
    document = taken("a.html", source)
    assert (document.description, document.language, document.uri) == ("D", "de", "https://a.example.com/b")


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "/relative", "ftp://a.example.com", "https://a b"])
def test_an_address_that_is_none_of_the_web_is_ignored(uri: str) -> None:
    assert taken("a.md", f"---\nuri: '{uri}'\n---\nx").uri == ""


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.exe", b"x", "Files with the ending .exe are not read."),
        ("noending", b"x", "Files with the ending (none) are not read."),
        ("a.md", b"", "The file is empty."),
        ("a.md", b"---\ntitle: Stub\n---\n", "The file holds no text."),
        ("a.md", b"---\n***\n", "The file holds no text."),
        ("a.md", b"\x89PNG\r\n\x1a\n" + bytes(200), "This is a binary file, not text."),
        ("a.txt", bytes(range(32)) * 20, "This is a binary file, not text."),
        ("a.ipynb", b"{", "The notebook is not valid JSON."),
        ("a.ipynb", b"[1]", "The file is no notebook: it has no cells."),
    ],
)
def test_what_is_not_taken_has_a_reason(name: str, data: bytes, reason: str) -> None:
    assert read(name, data) == Skipped(reason)


def test_suffixes_are_compared_without_case() -> None:
    assert taken("A.MD", "x").content == "x\n"
    assert ".md" in SUFFIXES
    assert all(suffix == suffix.lower() for suffix in SUFFIXES)


@pytest.mark.parametrize(
    ("data", "content"),
    [
        ("grün".encode("utf-16"), "grün\n"),
        (b"\xfe\xff" + "grün".encode("utf-16-be"), "grün\n"),
        (b"\xef\xbb\xbfgr\xc3\xbcn", "grün\n"),
        ("a\r\nb\rc\u2028d".encode(), "a\nb\nc\nd\n"),
        ("a\x00b\x1b[31mc\x07 \u202ed\u200be\u2066f\U000e0041g".encode(), "abc defg\n"),
        ("👩\u200d👧 می\u200cخواهم pass\u200dword".encode(), "👩\u200d👧 می\u200cخواهم password\n"),
    ],
)
def test_encodings_are_told_by_their_marks_and_hidden_characters_go(data: bytes, content: str) -> None:
    document = taken("a.md", data)
    assert (document.content, document.warnings) == (content, ())


def test_bytes_that_are_not_valid_are_replaced_with_a_warning() -> None:
    document = taken("a.md", b"caf\xe9 x")
    assert document.content == "caf\ufffd x\n"
    assert document.warnings == ("1 bytes or characters are not valid in the file's encoding and were replaced.",)


def test_a_page_that_names_its_encoding_is_read_in_it() -> None:
    assert taken("a.html", b'<meta charset="iso-8859-1"><p>caf\xe9').content == "café\n"


def test_a_whole_page_of_html_is_known_whatever_its_name() -> None:
    assert taken("a.md", "<!DOCTYPE html><body><nav>Menu</nav><p>Words").content == "Words\n"


def test_plain_text_keeps_its_lines_and_has_no_headings() -> None:
    assert taken("a.txt", "one\ntwo\n\n# no heading\n").content == "one  \ntwo\n\n\\# no heading\n"


def test_a_broken_header_is_ordinary_text_with_a_warning() -> None:
    document = taken("a.md", "---\ntitle: x\n\n# Head\n\ny")
    assert document.title == "Head"
    assert document.warnings == ("The front matter is never closed: it was read as ordinary text.",)


def test_a_notebook_is_its_words_code_and_short_output() -> None:
    cells: list[dict[str, object]] = [
        {"cell_type": "markdown", "source": ["##### Copyright 2024 The Authors."]},
        {"cell_type": "code", "source": "#@title Licensed under the Apache License", "outputs": []},
        {"cell_type": "markdown", "source": ["# Title\n", "Some `code` <b>bold</b>"]},
        {
            "cell_type": "code",
            "source": ["x = 1\n", "x"],
            "outputs": [
                {"output_type": "execute_result", "data": {"text/plain": ["1"], "image/png": "iVBOR"}},
                {"output_type": "stream", "name": "stderr", "text": "noise"},
            ],
        },
        {"cell_type": "code", "source": "%%bash\nls", "outputs": [{"output_type": "stream", "text": "a\n" * 99}]},
    ]
    document = taken("n.ipynb", json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}}))
    assert document.title == "Title"
    assert document.content == (
        "# Title\nSome `code` **bold**\n\n```python\nx = 1\nx\n```\n\n```text\n1\n```\n\n```bash\n%%bash\nls\n```\n"
    )

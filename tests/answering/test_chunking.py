"""Documents are cut where a reader would cut them."""

from app.answering.chunking import MAX_CHARACTERS, ChunkSpan, chunks_of


def words(count: int, start: int = 0) -> str:
    return " ".join(f"word{start + i}" for i in range(count)) + "."


def texts(content: str, chunks: tuple[ChunkSpan, ...]) -> list[str]:
    return [content[chunk.start : chunk.end] for chunk in chunks]


def test_small_neighbouring_sections_share_a_chunk_with_their_headings_in_it() -> None:
    content = "# Guide\n\nIntro.\n\n## Install\n\nRun it.\n\n## Use\n\nUse it.\n"
    chunks = chunks_of(content, "Guide")
    assert texts(content, chunks) == [content.strip()]
    assert chunks[0].headings == ()


def test_a_chunk_knows_its_heading_path_without_the_title() -> None:
    headings = ("# Guide", "## Install", "### On Linux", "## Use")
    content = "".join(f"{heading}\n\n{words(200)}\n\n" for heading in headings)
    assert [chunk.headings for chunk in chunks_of(content, "Guide")] == [
        (),
        ("Install",),
        ("Install", "On Linux"),
        ("Use",),
    ]
    assert chunks_of(content, "Other")[1].headings == ("Guide", "Install")


def test_a_heading_without_words_begins_the_section_below_it_and_is_no_chunk_of_its_own() -> None:
    content = f"## Empty\n\n## Tasks\n\n### First\n\n{words(230)}\n\n## Last\n"
    chunks = chunks_of(content, "Guide")
    assert len(chunks) == 1
    assert texts(content, chunks)[0].startswith("## Tasks\n\n### First\n\nword0")
    assert chunks[0].headings == ("Tasks", "First")


def test_a_long_section_is_cut_between_paragraphs_and_no_word_is_lost() -> None:
    content = "\n\n".join(words(90, 100 * i) for i in range(8)) + "\n"
    chunks = chunks_of(content, "Guide")
    assert len(chunks) == 4
    assert "\n\n".join(texts(content, chunks)) == content.strip()


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    content = " ".join(words(40, 100 * i).capitalize() for i in range(20))
    for text in texts(content, chunks_of(content, "Guide")):
        assert text.startswith("Word")
        assert text.endswith(".")
        assert len(text.split()) <= 250


def test_code_is_never_cut_and_keeps_the_sentence_that_leads_in() -> None:
    code = "```sh\n" + "\n".join(f"run step {i}" for i in range(60)) + "\n```"
    content = f"{words(200)}\n\nThen run this:\n\n{code}\n\n{words(100, 900)}\n"
    first, second, third = texts(content, chunks_of(content, "Guide"))
    assert first == words(200)
    assert second == f"Then run this:\n\n{code}"
    assert third == words(100, 900)


def test_code_beyond_all_measure_is_cut_at_line_ends_with_its_fence_as_lead() -> None:
    code = "```python\n" + "\n".join(f"value_{i} = {i}" for i in range(1000)) + "\n```"
    chunks = chunks_of(code, "Guide")
    assert len(chunks) > 2
    assert chunks[0].lead == ""
    assert {chunk.lead for chunk in chunks[1:]} == {"```python\n"}
    assert "\n".join(texts(code, chunks)) == code
    assert all(chunk.end - chunk.start <= MAX_CHARACTERS for chunk in chunks)


def test_a_table_is_cut_between_rows_with_its_head_as_lead() -> None:
    head = "| id | name |\n| --- | --- |\n"
    content = head + "".join(f"| {i} | node number {i} |\n" for i in range(200))
    chunks = chunks_of(content, "Nodes")
    assert len(chunks) > 3
    assert {chunk.lead for chunk in chunks[1:]} == {head}
    assert all(text.startswith("| ") and text.endswith(" |") for text in texts(content, chunks))


def test_a_first_chunk_that_begins_with_a_table_has_the_head_as_lead_or_in_its_words() -> None:
    content = "## Nodes\n\n| id |\n| --- |\n| 1 |\n"
    (chunk,) = chunks_of(content, "Guide")
    assert content[chunk.start : chunk.end] == content.strip()
    assert chunk.lead == ""
    bare = "| id |\n| --- |\n| 1 |\n"
    (chunk,) = chunks_of(bare, "Guide")
    assert chunk.lead + bare[chunk.start : chunk.end] == bare.strip()


def test_text_without_blanks_is_cut_by_its_length_and_never_inside_an_emoji() -> None:
    content = "設定" * 2000 + "👩‍👩‍👧" * 400
    chunks = chunks_of(content, "Guide")
    assert "".join(texts(content, chunks)) == content
    assert all(not text.startswith("\u200d") and not text.endswith("\u200d") for text in texts(content, chunks))


def test_an_empty_document_has_no_chunks() -> None:
    assert chunks_of("", "Guide") == ()
    assert chunks_of("# Only\n\n## Headings\n\n---\n", "Guide") == ()

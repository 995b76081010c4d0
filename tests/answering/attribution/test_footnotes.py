from app.answering.attribution.footnotes import PASSAGES, Footnotes
from app.answering.evidence import Support
from app.domain.documents import Document, Passage

CONTENT = "# Guide\n\n" + " ".join(f"Sentence number {number}." for number in range(100, 120)) + "\n"
GUIDE = Document("documents/example.com/guide", "https://example.com/guide", CONTENT)
OTHER = Document("documents/example.com/other.html", "https://example.com/other.html", "Just words.")


def support(document: Document, words: str) -> Support:
    start = document.content.index(words)
    return Support(document, Passage(words, (), start, ((0, len(words)),)))


def test_documents_are_numbered_by_their_first_use() -> None:
    notes = Footnotes()
    assert notes.cite([support(OTHER, "Just words.")]) == (1,)
    assert notes.cite([support(GUIDE, "Sentence number 101."), support(OTHER, "Just words.")]) == (2, 1)
    assert [citation.title for citation in notes.citations] == ["other.html", "Guide"]


def test_nothing_cited_leaves_no_footnote_and_no_number() -> None:
    notes = Footnotes()
    assert notes.cite([]) == ()
    assert notes.citations == ()


def test_passages_stand_in_reading_order_and_overlaps_are_one() -> None:
    notes = Footnotes()
    for words in (
        "Sentence number 105.",
        "Sentence number 101. Sentence number 102.",
        "number 102. Sentence number 103.",
    ):
        notes.cite([support(GUIDE, words)])
    passages = notes.citations[0].passages
    assert [passage.text for passage in passages] == [
        "Sentence number 101. Sentence number 102. Sentence number 103.",
        "Sentence number 105.",
    ]
    for passage in passages:
        assert passage.start is not None
        assert CONTENT[passage.start :].startswith(passage.text)
        assert all(0 <= first < last <= len(passage.text) for first, last in passage.marks)


def test_a_document_shows_only_so_many_passages() -> None:
    notes = Footnotes()
    for number in range(100, 120):
        notes.cite([support(GUIDE, f"Sentence number {number}.")])
    assert len(notes.citations[0].passages) == PASSAGES

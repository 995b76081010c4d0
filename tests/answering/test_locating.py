"""The places of an answer in documents that a remote search led to."""

from app.answering.locating import LONGEST, known, located
from app.domain.documents import Document, DocumentChunk

PUMP = Document(
    "documents/a/pump",
    "https://a/pump",
    "# Pump\n\nThe pump moves water.\n\n## Speed\n\nThe highest speed is 85 percent.\n\n## Noise\n\n"
    + "Loud pumps hum. " * 120,
    title="Pump",
)
TANK = Document(
    "documents/a/tank", "https://a/tank", "# Tank\n\nThe tank holds water and has no speed.\n", title="Tank"
)
OPENED = {document.name: document for document in (PUMP, TANK)}


def hits(*names: str) -> tuple[DocumentChunk, ...]:
    return tuple(DocumentChunk(name, str(place), "words") for place, name in enumerate(names))


def test_chunks_of_a_remote_search_have_no_known_place() -> None:
    assert not known(hits(PUMP.name))
    assert known((DocumentChunk(PUMP.name, "0", "words", start=3, end=8),))


def test_the_best_chunk_is_the_one_that_speaks_of_the_question_and_stands_there_word_for_word() -> None:
    found = located("What is the highest speed of the pump?", hits(TANK.name, PUMP.name), OPENED)
    best = found.chunks[0]
    assert best.parent == PUMP.name
    assert PUMP.content[best.start : best.end] == best.content
    assert "85 percent" in best.content


def test_equal_words_are_ordered_by_the_searchs_own_rank() -> None:
    twin = Document("documents/a/twin", "https://a/twin", TANK.content, title="Tank")
    both = {TANK.name: TANK, twin.name: twin}
    assert located("tank water", hits(twin.name, TANK.name), both).chunks[0].parent == twin.name
    assert located("tank water", hits(TANK.name, twin.name), both).chunks[0].parent == TANK.name


def test_what_was_not_opened_is_not_among_the_chunks() -> None:
    found = located("speed", hits("documents/a/gone", PUMP.name), OPENED)
    assert {chunk.parent for chunk in found.chunks} == {PUMP.name}


def test_of_a_very_long_document_the_part_around_the_searchs_hit_is_looked_through() -> None:
    filler = "Nothing of interest stands here.\n\n" * (LONGEST // 20)
    long = Document("documents/a/long", "https://a/long", f"{filler}The valve is amber.\n\n{filler}", title="Long")
    hit = DocumentChunk(long.name, "1", "The valve is amber.")
    found = located("Which colour has the valve?", (hit,), {long.name: long})
    assert "The valve is amber." in found.chunks[0].content
    assert long.content[found.chunks[0].start : found.chunks[0].end] == found.chunks[0].content


def test_word_statistics_are_those_of_all_chunks() -> None:
    found = located("speed", hits(PUMP.name, TANK.name), OPENED)
    assert found.document_frequency("pump") >= 2
    assert found.document_frequency("zebra") == 0
    assert found.chunk_count >= 3


def test_a_question_without_words_finds_nothing() -> None:
    assert located("", hits(PUMP.name), OPENED).chunks == ()

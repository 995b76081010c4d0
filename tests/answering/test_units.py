"""What can be quoted: pieces that can be understood, cut from whole documents."""

import pytest

from app.answering.blocks import BlockKind
from app.answering.units import LARGE, LED_WORDS, LONGEST_STEPS_WORDS, Unit, units_of
from app.domain.documents import Document, DocumentChunk

LONG = " ".join(["The", *["word"] * 100, "ends."])


def document(content: str, title: str = "Page") -> Document:
    return Document("documents/a/page", "https://a/page", content, title=title)


def chunk(of: Document, start: int = 0, end: int | None = None) -> DocumentChunk:
    end = len(of.content) if end is None else end
    return DocumentChunk(of.name, "0", of.content[start:end], start=start, end=end)


def units(content: str, start: int = 0, end: int | None = None, title: str = "Page") -> tuple[Unit, ...]:
    page = document(content, title)
    return units_of([chunk(page, start, end)], {page.name: page})


def test_a_unit_is_a_place_in_its_document() -> None:
    content = f"# Page\n\n{LONG}\n\n## Speed\n\nThe speed is 40 percent.\n"
    first, second = units(content)
    assert (first.text, second.text) == (LONG, "The speed is 40 percent.")
    assert content[second.start : second.end] == second.text
    assert (first.headings, second.headings) == ((), ("Speed",))


def test_a_short_section_is_one_unit() -> None:
    body = "The lamp glows.\n\n```sh\nlamp on\n```\n\nIt goes out by itself."
    (unit,) = units(f"# Page\n\n## Lamp\n\n{body}\n\n## Next\n\n{LONG}\n", end=30)
    assert unit.text == body


def test_a_sentence_that_leads_in_is_no_unit_without_what_it_leads_to() -> None:
    content = f"{LONG}\n\nRun this:\n\n```sh\nlamp on\n```\n\n{LONG}\n"
    assert "Run this:\n\n```sh\nlamp on\n```" in [unit.text for unit in units(content)]
    items = "\n".join(f"- item {number} {LONG}" for number in range(3))
    found = units(f"{LONG}\n\nIt is old. These are needed:\n\n{items}\n")
    assert len(items.split()) > LED_WORDS
    assert [unit.text for unit in found][1] == "It is old."
    assert {unit.lead for unit in found[2:]} == {(len(LONG) + 13, len(LONG) + 30)}


@pytest.mark.parametrize(
    ("block", "kind"), [("```sh\nlamp on\n```", BlockKind.CODE), ("- the green one\n- the red one", BlockKind.ITEM)]
)
def test_code_and_lists_have_the_sentence_before_them_as_their_lead(block: str, kind: BlockKind) -> None:
    content = f"{LONG}\n\nIt is simple. Press the green button.\n\n{block}\n"
    last = units(content)[-1]
    assert (last.text, last.kind) == (block, kind)
    assert last.lead
    assert content[slice(*last.lead)] == "Press the green button."


def test_code_below_a_list_has_not_the_lists_lead() -> None:
    items = "\n".join(f"- {LONG}" for _ in range(2))
    content = f"Mind this:\n\n{items}\n\n```sh\nlamp on\n```\n"
    assert units(content)[-1].lead is None


def test_a_signature_and_what_it_does_are_one_unit() -> None:
    content = f"```python\nlamp.on(hours)\n```\n\nLight the lamp.\n\n{LONG}\n"
    assert units(content)[0].text == "```python\nlamp.on(hours)\n```\n\nLight the lamp."


def test_steps_are_one_unit_even_where_the_chunk_ends_between_them() -> None:
    steps = "\n".join(f"{number}. Turn valve {number} to the left and wait." for number in range(1, 12))
    content = f"{LONG}\n\n{steps}\n\n{LONG}\n"
    found = units(content, end=content.index("5. Turn"))
    assert found[-1].text == steps
    assert found[-1].ordered


def test_very_many_steps_stay_with_their_neighbours() -> None:
    steps = [f"{number}. Turn valve {number} to the left and wait for it to stop." for number in range(1, 41)]
    assert len(" ".join(steps).split()) > LONGEST_STEPS_WORDS
    found = units("\n".join(steps) + "\n")
    assert "\n".join(unit.text for unit in found) == "\n".join(steps)
    assert all(len(unit.text.splitlines()) > 3 for unit in found)


def test_a_row_of_a_long_table_knows_its_header_and_a_short_table_is_whole() -> None:
    head = "| Sensor | Range |\n| --- | --- |\n"
    short = head + "| float | 0 to 3 |\n| pressure | 0 to 6 |"
    assert units(f"{LONG}\n\n{short}\n")[-1].text == short
    rows = "\n".join(f"| sensor number {number} | {number} to {number + 9} |" for number in range(20))
    found = units(f"{LONG}\n\n{head}{rows}\n")[1:]
    assert len(found) == 20
    assert {unit.header for unit in found} == {head}
    assert len({unit.group for unit in found}) == 1


def test_pieces_outside_the_chunk_are_left_to_other_chunks() -> None:
    content = f"# A\n\n{LONG}\n\n# B\n\n{LONG} Again.\n"
    assert [unit.headings for unit in units(content, start=content.index("# B"))] == [("B",)]


def test_a_source_that_tells_no_place_is_helped_by_looking_for_the_words() -> None:
    page = document(f"# Page\n\n{LONG}\n\n## Lamp\n\nThe lamp is amber.\n")
    (unit,) = units_of([DocumentChunk(page.name, "7", "The lamp is amber.\n")], {page.name: page})
    assert page.content[unit.start : unit.end] == "The lamp is amber."
    assert units_of([DocumentChunk(page.name, "8", "Words of another page.")], {page.name: page}) == ()


def test_a_large_document_is_read_from_the_chunk_on() -> None:
    steps = "\n".join(f"{number}. Turn valve {number} to the left and wait." for number in range(1, 12))
    filler = f"## Far\n\n{LONG}\n\n" * (LARGE // len(LONG))
    content = f"{filler}## Steps\n\n{LONG}\n\n{steps}\n\n{filler}"
    page = document(content)
    start, end = content.index("## Steps"), content.index("5. Turn")
    found = units_of([chunk(page, start, end)], {page.name: page})
    assert [unit.text for unit in found] == [LONG, steps]
    assert {unit.headings for unit in found} == {("Steps",)}


def test_a_document_that_is_not_there_is_passed_over() -> None:
    assert units_of([chunk(document("The lamp is amber."))], {}) == ()

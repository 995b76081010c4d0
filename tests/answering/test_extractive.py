"""The composed answer: which blocks, in which order, with which numbers."""

import pytest

from app.answering.extractive import BUDGET_WORDS, Composition, ExtractiveWriter
from app.domain.answers import Question
from app.domain.documents import Document, DocumentChunk

DRAIN = """# Drain a node

Draining moves all pods away from a node before it is repaired.

## Steps

To drain the node:

1. Mark the node as unschedulable.
2. Run the drain command.
3. Wait until it returns.

```sh
kubectl drain node-7
```

## Limits

| Flag | Default |
| --- | --- |
| `--timeout` | 0s |
| `--grace-period` | -1 |
"""
BUDGET = "# Budgets\n\nA budget says how many pods may be missing while a node is drained [1].\n"


def document(name: str, content: str) -> Document:
    return Document(f"documents/{name}", f"https://{name}", content, title=name)


def whole(each: Document, score: float = 1.0) -> DocumentChunk:
    return DocumentChunk(
        parent=each.name,
        id="0",
        content=each.content,
        uri=each.uri,
        title=each.title,
        end=len(each.content),
        page_score=score,
    )


def composed(question: str, *documents: Document) -> Composition:
    chunks = [whole(each, 10.0 - place) for place, each in enumerate(documents)]
    return ExtractiveWriter().compose(Question(question), chunks, {each.name: each for each in documents})


def text_of(composition: Composition) -> str:
    return "".join(segment.text for segment in composition.segments)


def test_steps_are_whole_in_order_and_led_in() -> None:
    text = text_of(composed("How do I drain a node?", document("a.example/drain", DRAIN)))
    assert "1. Mark the node as unschedulable.\n2. Run the drain command.\n3. Wait until it returns." in text
    assert text.index("To drain the node:") < text.index("1. Mark")
    assert "```sh\nkubectl drain node-7\n```" in text


def test_a_row_is_shown_below_its_header() -> None:
    text = text_of(composed("What is the default of --grace-period?", document("a.example/drain", DRAIN)))
    assert "| Flag | Default |\n| --- | --- |\n" in text
    assert "| `--grace-period` | -1 |" in text


def test_every_passage_is_the_documents_own_text_and_every_segment_has_its_number() -> None:
    drain, budget = document("a.example/drain", DRAIN), document("b.example/budget", BUDGET)
    composition = composed("How many pods may be missing while a node is drained?", drain, budget)
    contents = {each.name: each.content for each in (drain, budget)}
    assert composition.citations
    for citation in composition.citations:
        for passage in citation.passages:
            assert passage.start is not None
            assert contents[citation.name][passage.start :].startswith(passage.text)
            assert all(0 <= start < end <= len(passage.text) for start, end in passage.marks)
    assert all(segment.numbers for segment in composition.segments)


def test_numbers_follow_first_use_and_a_document_has_one() -> None:
    drain, budget = document("a.example/drain", DRAIN), document("b.example/budget", BUDGET)
    composition = composed("drained node budget pods", drain, budget)
    used = [number for segment in composition.segments for number in segment.numbers]
    assert list(dict.fromkeys(used)) == [citation.number for citation in composition.citations]
    assert len({citation.name for citation in composition.citations}) == len(composition.citations)


def test_the_same_text_of_two_pages_is_said_once() -> None:
    composition = composed("budget pods missing", document("a.example/x", BUDGET), document("b.example/y", BUDGET))
    assert text_of(composition).count("A budget says") == 1


def test_an_answer_stays_within_its_budget() -> None:
    many = "# Drain\n\n" + "\n\n".join(
        f"Drain rule {number}: node kind {number} is drained by method {number * 7} after {number} minutes of rest."
        for number in range(80)
    )
    assert (
        len(text_of(composed("How is a node drained?", document("a.example/many", many))).split()) <= BUDGET_WORDS + 20
    )


LAMP = f"""# Lamp

The lamp tells what the pump does. {"It hangs above the door of the well house. " * 12}

## Colours

The lamp is green while the tank fills. {"The green is that of young leaves, as the house likes it. " * 8}

The lamp is amber while the pump runs dry. Then the amber lamp has to be heeded. {"Somebody must come. " * 20}

The amber lamp means this:

- the pump is dry, and the well has to be looked at by somebody who knows the pump
- the lamp is amber for one hour at the most

## Sources

[1] https://elsewhere.example/amber-lamp-pump-dry
"""


def test_a_section_is_told_in_reading_order_below_its_heading_with_gaps_shown() -> None:
    text = text_of(composed("What does the amber lamp of the pump mean when dry?", document("a.example/lamp", LAMP)))
    assert text.startswith("**Colours**\n\n")
    assert text.index("The lamp is amber while") < text.index("The amber lamp means this:") < text.index("- the pump")
    apart = composed("When is the lamp green? What does the amber lamp mean?", document("a.example/lamp", LAMP))
    assert text_of(apart).startswith("**Colours**\n\nThe lamp is green while")
    assert "\n\n…\n\nThe amber lamp means this:" in text_of(apart)


def test_another_pages_section_is_told_with_the_pages_title() -> None:
    drain, budget = document("a.example/drain", DRAIN), document("b.example/budget", BUDGET)
    text = text_of(
        composed("How many pods may be missing while a node is drained, and what are the steps?", budget, drain)
    )
    assert text.startswith("**Budgets**\n\n")
    assert "**a.example/drain · Steps**\n\n" in text


def test_what_leads_in_never_stands_alone_nor_twice() -> None:
    text = text_of(composed("What does the amber lamp of the pump mean when dry?", document("a.example/lamp", LAMP)))
    assert text.count("The amber lamp means this:") == 1
    assert "The amber lamp means this:\n\n- the pump is dry" in text


def test_a_pages_list_of_sources_and_its_marks_are_not_repeated() -> None:
    text = text_of(composed("amber lamp pump dry sources", document("a.example/lamp", LAMP)))
    assert "elsewhere.example" not in text


def test_a_list_of_links_is_no_answer() -> None:
    links = "\n".join(f"- [Amber lamp part {number}](https://a.example/{number})" for number in range(5))
    page = f"# Contents\n\n{links}\n\n## Why\n\nAn amber lamp warns of a dry pump.\n"
    text = text_of(composed("Why is the lamp amber?", document("a.example/contents", page)))
    assert text.index("An amber lamp warns") == len("**Why**\n\n")


def test_a_direct_answer_is_short() -> None:
    filler = "\n\n".join(f"## Part {number}\n\nThe pump has part {number} of steel." for number in range(40))
    page = f"# Pump\n\n## Highest speed\n\nThe highest speed of the pump is 85 percent.\n\n{filler}\n"
    text = text_of(composed("What is the highest speed of the pump?", document("a.example/pump", page)))
    assert text.startswith("**Highest speed**\n\nThe highest speed of the pump is 85 percent.")
    assert len(text.split()) < BUDGET_WORDS / 2


def test_a_section_about_the_very_question_is_whole() -> None:
    body = f"{'The budget is checked again and again. ' * 10}\n\nIt may be zero.\n\n```sh\nbudget show\n```\n"
    page = f"# Nodes\n\n## Pod budgets\n\n{body}\n## Else\n\nNodes have {'many ' * 100} pods.\n"
    assert body.strip() in text_of(composed("pod budgets", document("a.example/nodes", page)))


def test_fewer_words_can_be_asked_for() -> None:
    drain, budget = document("a.example/drain", DRAIN), document("b.example/budget", BUDGET)
    chunks = [whole(each) for each in (drain, budget)]
    documents = {each.name: each for each in (drain, budget)}
    question = Question("How do I drain a node, and how many pods may be missing?")
    short = ExtractiveWriter().compose(question, chunks, documents, words=30)
    long = ExtractiveWriter().compose(question, chunks, documents)
    assert 0 < len(text_of(short).split()) < len(text_of(long).split())


@pytest.mark.parametrize("text", ["", "?", "\ud800", "🙂", "\0", "a" * 20_000])
def test_no_question_breaks_the_writer(text: str) -> None:
    composed(text, document("a.example/drain", DRAIN))


def test_without_chunks_there_is_nothing_to_say() -> None:
    assert composed("anything") == Composition((), ())

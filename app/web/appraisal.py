"""What an answer tells when it is looked at: is it quoted, has it doubts, does it need room. Not how it is shown."""

from app.answering.foreign import without_marks
from app.domain.answers import Answer


def is_quoted(answer: Answer) -> bool:
    """Whether the answer holds nothing but words of its sources: each line stands in a passage that it cites.

    Headings in bold and a table's head tell where a passage stands, and are not looked for.
    """
    quoted = {citation.number: [passage.text for passage in citation.passages] for citation in answer.citations}
    passages = {number: _bare(" ".join([*texts, *map(without_marks, texts)])) for number, texts in quoted.items()}
    pieces = [segment for segment in answer.segments if segment.text.strip()]
    return bool(pieces) and all(
        any(all(_bare(line) in passages.get(number, "") for line in _said(segment.text)) for number in segment.numbers)
        for segment in pieces
    )


def _said(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    heads = {place - 1 for place, line in enumerate(lines) if line and set(line) <= set("|-: ") and "|" in line}
    return [
        line
        for place, line in enumerate(lines)
        if line and place not in heads and not set(line) <= set("|-: ") and not (line[:2] == line[-2:] == "**")
    ]


def _bare(text: str) -> str:
    return " ".join(text.split())


def doubts(answer: Answer) -> int:
    """How many pieces of the answer have no source."""
    return sum(1 for segment in answer.segments if segment.text.strip() and not segment.numbers)


def has_room_in_margin(answer: Answer, *, folded: bool) -> bool:
    """Whether an answer is about as high as its footnotes, which may then stand beside it.

    `folded`: without their passages. Heights are in pixels of a wide window, with the type of static/css/tokens.css.
    """
    text = sum(28 * -(-len(line) // 66) or 16 for line in answer.text.splitlines())
    notes = sum(
        150 + (22 * -(-len(each.passages[0].text) // 34) if each.passages and not folded else 0)
        for each in answer.citations
    )
    return text >= notes

"""What an answer tells when it is looked at: is it quoted, has it doubts, does it need room. Not how it is shown."""

from app.answering.blocks import sentences_of
from app.domain.answers import Answer, Origin, Outcome, Segment


def is_quoted(answer: Answer) -> bool:
    """Whether an answer that has ended holds nothing but words of its documents.

    An answer that was stored before there were others is read as such a one, which it is.
    """
    return answer.outcome is Outcome.ANSWERED and answer.origin is Origin.QUOTED and bool(answer.text)


def doubts(answer: Answer) -> tuple[Segment, ...]:
    """The pieces of the answer that claim something and have no source."""
    return tuple(segment for segment in answer.segments if segment.unsupported and segment.text.strip())


def last_claim(text: str) -> int:
    """Where the last sentence of a paragraph begins: what comes before it in a segment claims nothing.

    A rest without a word (`**`, a bracket) belongs to the sentence before it.
    """
    spans = [span for span in sentences_of(text) if any(char.isalnum() for char in text[slice(*span)])]
    return spans[-1][0] if spans else len(text)


def claim_of(text: str) -> str:
    """The claim that a segment ends with: its last sentence, row or block of code, without what leads in."""
    last = text.rstrip().rpartition("\n\n")[2]
    begin = last.lstrip()[:3]
    if begin in ("```", "~~~"):
        return last
    if begin.startswith("|"):
        return last.rpartition("\n")[2].replace("|", " ")
    return last[last_claim(last) :]


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

"""A written answer streams word by word, and each of its sentences has the numbers of what supports it, or none."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

import httpx
import pytest

from app.answering.attribution.attribution import Attribution
from app.answering.attribution.footnotes import Footnotes
from app.answering.evidence import Evidence, Support
from app.answering.model.closing import Closing
from app.answering.model.endpoint import ModelEndpoint
from app.answering.model.marks import Marks
from app.answering.model.writer import ModelWriter, PassagesSilent
from app.domain.answers import EMPTY_ANSWER, Answer, AnswerEvent, CitationsFound, Question, Segment, TextDelta
from app.domain.documents import Document, Passage, name_of
from app.domain.errors import ModelError
from tests.support.model import UNSUPPORTED, FakeModel

PUMPS = "# Pumps\n\nThe command pumpctl drain empties one tank of the plant. It never goes below forty percent.\n"
VALVES = "# Valves\n\nA valve is opened by hand before the pump is started. Close it again after the work is done.\n"


def document(topic: str, content: str) -> Document:
    uri = f"https://docs.example.com/{topic}"
    return Document(name_of(uri), uri, content, topic.title(), collection="plant")


DOCUMENTS = (document("pumps", PUMPS), document("valves", VALVES))
PASSAGES = tuple(Evidence(each, each.content.index("\n\n") + 2, len(each.content)) for each in DOCUMENTS)


class Telling:
    """Supports what names a document's topic in capitals: PUMPS, VALVES. "So:" and headings claim nothing."""

    def support(self, sentence: str, claimed: Sequence[str] = (), *, before: str = "") -> tuple[Support, ...]:
        return tuple(
            Support(each, Passage(each.title, start=2)) for each in DOCUMENTS if each.title.upper() in sentence
        )

    def claims(self, sentence: str) -> bool:
        return not sentence.startswith("#") and not sentence.endswith(":")


def events_of(parts: Sequence[str], *, cut: bool = False) -> list[AnswerEvent]:
    marks = Marks(2, {each.uri for each in DOCUMENTS})
    closing = Closing(DOCUMENTS, Telling(), Footnotes())
    found = [event for part in parts for event in closing.read(marks.feed(part))]
    return [*found, *closing.read(marks.end()), *closing.end(cut=cut)]


def folded(events: Sequence[AnswerEvent]) -> Answer:
    """The answer, and that each number is known before it is used."""
    answer = EMPTY_ANSWER
    for event in events:
        if isinstance(event, TextDelta):
            assert set(event.numbers) <= {citation.number for citation in answer.citations}
        answer = answer.apply(event)
    return answer


def shown(segments: Sequence[Segment]) -> str:
    """The text with «numbers», or «?» where nothing supports it."""
    return "".join(
        each.text + (f"«{','.join(map(str, each.numbers))}»" if each.numbers else "«?»" if each.unsupported else "")
        for each in segments
    )


EXAMPLES = {
    # the mark belongs to the sentence before it, wherever it stands
    "VALVES turn [2]. PUMPS run [1]. PUMPS and VALVES [2] so.": "VALVES turn.«1» PUMPS run.«2» PUMPS and VALVES so.«1»",
    "VALVES turn. [2] PUMPS run. [1]": "VALVES turn.«1» PUMPS run.«2»",
    "VALVES turn.[2]\nPUMPS run.[1]\n\nAnd so on.": "VALVES turn.«1»\nPUMPS run.«2»\n\nAnd so on.«?»",
    "\n\n[2] VALVES turn. Next": "VALVES turn.«1» Next«?»",
    # claims prove nothing, and what is right needs no claim
    "VALVES turn [1]. PUMPS run. All is well [1][2].": "VALVES turn.«1» PUMPS run.«2» All is well.«?»",
    "PUMPS and VALVES. PUMPS and VALVES [2].": "PUMPS and VALVES.«1,2» PUMPS and VALVES.«2»",
    # what ends no sentence
    "Use e.g. PUMPS 1.2.3 or z. B. VALVES [1], `a. B` and so on. Next": (
        "Use e.g. PUMPS 1.2.3 or z. B. VALVES, `a. B` and so on.«1» Next«?»"
    ),
    "See example.com. And PUMPS? Yes! VALVES (so.) Next": (
        "See example.com.«?» And PUMPS?«1» Yes!«?» VALVES (so.)«2» Next«?»"
    ),
    "**PUMPS run.** VALVES turn [2].": "**PUMPS run.**«1» VALVES turn.«2»",
    "PUMPS。VALVES【2】。好": "PUMPS。«1»VALVES。«2»好«?»",
    # blocks
    "# PUMPS\n\nSo:\n\n- PUMPS [1]\n- VALVES\n  go [2]\n- no\n\nEnd": (
        "# PUMPS\n\nSo:\n\n- PUMPS«1»\n- VALVES\n  go«2»\n- no«?»\n\nEnd«?»"
    ),
    "1. PUMPS run\n2. VALVES turn. PUMPS\n   * x": "1. PUMPS run«1»\n2. VALVES turn.«2» PUMPS«1»\n   * x«?»",
    "| a | b |\n|---|---|\n| PUMPS | x [1] |\n| y | z |\n\nEnd": (
        "| a | b |\n|---|---|\n| PUMPS | x |«1»\n| y | z |«?»\n\nEnd«?»"
    ),
    "So:\n\n```sh\nPUMPS. A\n\nB [2]\n```\n[1]\n\n```\nx\n```\nEnd": (
        "So:\n\n```sh\nPUMPS. A\n\nB [2]\n```«1»\n\n```\nx\n```«?»\nEnd«?»"
    ),
    "> PUMPS\n> run.\n\nVALVES": "> PUMPS\n> run.«1»\n\nVALVES«2»",
    "PUMPS\nrun [1]\nin pairs": "PUMPS\nrun\nin pairs«1»",
    # the sign for "no answer" never shows
    "PUMPS run.\n\nNO_ANSWER": "PUMPS run.«1»",
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_each_piece_is_closed_with_what_supports_it(text: str) -> None:
    assert shown(folded(events_of([text])).segments) == EXAMPLES[text]


@pytest.mark.parametrize("text", EXAMPLES)
def test_pieces_are_the_same_wherever_the_text_is_cut(text: str) -> None:
    assert shown(folded(events_of(list(text))).segments) == EXAMPLES[text]
    for at in range(len(text)):
        for second in range(at, min(at + 12, len(text))):
            parts = [text[:at], text[at:second], text[second:]]
            assert shown(folded(events_of(parts)).segments) == EXAMPLES[text], (at, second)


def test_words_are_given_on_before_their_sentence_ends() -> None:
    closing = Closing(DOCUMENTS, Telling(), Footnotes())
    marks = Marks(2)
    assert closing.read(marks.feed("PUMPS run")) == [TextDelta("PUMPS run")]
    assert closing.read(marks.feed(" well [1]")) == [TextDelta(" well")]
    assert closing.read(marks.feed(".")) == [TextDelta(".")]
    assert closing.read(marks.feed(" No")) == []
    found = closing.read(marks.feed("w it"))
    assert isinstance(found[0], CitationsFound)
    assert found[1:] == [TextDelta("", (1,)), TextDelta(" Now it")]


@pytest.mark.parametrize(
    ("text", "shown_"),
    [
        ("PUMPS run. VALVES tu", "PUMPS run.«1» VALVES tu …«2»"),
        ("PUMPS run.", "PUMPS run.«1»\n\n…"),
        ("```\nPUMPS", "```\nPUMPS\n```«1»\n\n…"),
    ],
)
def test_an_answer_that_is_cut_short_says_so(text: str, shown_: str) -> None:
    assert shown(folded(events_of([text], cut=True)).segments) == shown_


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", ["word " * 6000, "a\n" * 8000, "a. " * 6000, "| a\n" * 5000, "- a\n" * 5000, "。" * 5000]
)
def test_long_answers_of_any_form_are_read_to_their_end(text: str) -> None:
    parts = [text[at : at + 5] for at in range(0, len(text), 5)]
    assert folded(events_of(parts)).text == text.strip()


# --- over a connection -----------------------------------------------------------------------------------------------


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False) as made:
        yield made


async def written(client: httpx.AsyncClient, model: FakeModel, passages: Sequence[Evidence] = PASSAGES) -> Answer:
    writer = ModelWriter(ModelEndpoint(client, model.url, "tiny"), delimiter=lambda: "d3l1m")
    events = []
    async with aclosing(writer.write(Question("How is a tank emptied?"), passages, Attribution(DOCUMENTS))) as answer:
        async for event in answer:
            events.append(event)  # noqa: PERF401
    return folded(events)


async def test_an_answer_from_passages_cites_their_documents(client: httpx.AsyncClient) -> None:
    async with FakeModel() as model:
        answer = await written(client, model)
    assert shown(answer.segments) == (
        "The command pumpctl drain empties one tank of the plant.«1» It never goes below forty percent.«1»"
        " A valve is opened by hand before the pump is started.«2» Close it again after the work is done.«2»"
    )
    assert [citation.uri for citation in answer.citations] == [each.uri for each in DOCUMENTS]
    for citation, source in zip(answer.citations, DOCUMENTS, strict=True):
        for passage in citation.passages:
            assert passage.start is not None
            assert source.content[passage.start :].startswith(passage.text)


async def test_a_sentence_without_a_source_is_told_apart(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="unsupported") as model:
        answer = await written(client, model)
    assert [each.text.strip() for each in answer.segments if each.unsupported] == [UNSUPPORTED]


async def test_numbers_that_no_passage_has_are_replaced_by_what_supports(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="misnumbered") as model:
        answer = await written(client, model)
    assert "99" not in answer.text
    assert [each.numbers for each in answer.segments] == [(1,), (1,), (2,), (2,)]


async def test_passages_that_do_not_answer_are_an_outcome_of_their_own(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="silent+letters") as model:
        with pytest.raises(PassagesSilent):
            await written(client, model)
        with pytest.raises(PassagesSilent):
            await written(client, model, ())
        assert len(model.asked) == 1


@pytest.mark.parametrize("play", ["empty", "error", "cut", "filter", "500"])
async def test_an_answer_that_fails_is_not_taken_for_silence(play: str, client: httpx.AsyncClient) -> None:
    async with FakeModel(play=play) as model:
        with pytest.raises(ModelError) as failure:
            await written(client, model)
    assert not isinstance(failure.value, PassagesSilent)


async def test_used_up_tokens_end_the_answer_without_a_failure(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="length") as model:
        assert (await written(client, model)).text.endswith("done.\n\n…")


async def test_markup_stays_text_and_foreign_links_are_plain(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="markup+letters") as model:
        text = (await written(client, model)).text
    assert "\x00" not in text
    assert "\r" not in text
    assert "beacon" not in text
    assert "](" not in text
    assert "<https:" not in text
    assert "<div hx-get" in text


async def test_whoever_leaves_in_mid_answer_ends_the_models_work(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="long", delay=0.005) as model:
        writer = ModelWriter(ModelEndpoint(client, model.url, "tiny"))
        async with aclosing(writer.write(Question("How?"), PASSAGES, Attribution(DOCUMENTS))) as answer:
            await anext(answer)
        await asyncio.wait_for(model.left.wait(), 1)

"""Answers for tests in a browser, played word by word: which one is chosen by the question's first word. No test.

slowly N    N numbered words, one after another, in sentences that cite three documents in turn
endless     the same, without an end
burst       a long answer at once
silent      nothing, for a long time
hostile     text that tries to be markup, script, htmx and an event
rich        one of everything that an answer may hold
doubtful    sentences without a source, in every kind of block, among others that have one
fallen R    text that is void, then a fall-back for the reason R, then an answer from the documents
gaveup      text of a model that breaks off, then quoted passages
partly      an answer that one source could not take part in, to a question that was made to stand alone
broken C    a failure with the code C
weak, missing, failing, limited     the other faces of an answer
"""

import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime, timedelta

from app.domain.answers import (
    AnswerCompleted,
    AnswerEvent,
    AnswerFailed,
    Citation,
    CitationsFound,
    FallbackReason,
    FellBack,
    ModelGaveUp,
    Origin,
    Outcome,
    Question,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.documents import Document, Page, Passage, name_of
from app.domain.errors import DocumentNotFound, QuotaExceeded, ToolRejected
from tests.support.scripted import ScriptedSource

PACE = 0.03  # seconds a word
SENTENCE = 8  # words

TOPICS = ("Pumps", "Tanks", "Valves (a guide)")
ADDRESSES = tuple(
    f"https://docs.example.com/plant/{page}" for page in ("pumps", "tanks?unit=litre", "valves%20%28a%20guide%29")
)
FILLING = "\n\n".join(f"Paragraph {number} says nothing that matters here." for number in range(40))


def _content(topic: str) -> str:
    return (
        f"# {topic}\n\nAbout {topic.lower()}.\n\n## Before\n\n{FILLING}\n\n## Care\n\n"
        f"Whoever looks after {topic.lower()} writes down what was done. "
        f"The words that count about {topic} stand here. Nothing else does.\n\n## After\n\n{FILLING}\n"
    )


DOCUMENTS = tuple(
    Document(name=name_of(address), uri=address, content=_content(topic), title=topic, collection="plant")
    for topic, address in zip(TOPICS, ADDRESSES, strict=True)
)


def citation(number: int) -> Citation:
    """The document of that number, with the one passage that matters."""
    document = DOCUMENTS[number - 1]
    words = f"The words that count about {document.title} stand here."
    start = document.content.index("Whoever looks")
    text = document.content[start : document.content.index("\n\n## After")]
    begin = text.index(words)
    passage = Passage(text, ("Care",), start, ((begin, begin + len(words)),))
    return Citation(number, document.name, document.uri, document.title, document.collection, (passage,))


def page(number: int) -> Page:
    document = DOCUMENTS[number - 1]
    return Page(document.name, document.uri, document.title, document.collection, ("Care",))


FOUND = tuple(page(number) for number in (1, 2, 3))
THREE = CitationsFound(tuple(citation(number) for number in (1, 2, 3)))


async def _begun() -> AsyncIterator[AnswerEvent]:
    yield StepStarted(Step.SEARCHING, 1)
    yield StepStarted(Step.READING, 3)
    yield THREE
    yield StepStarted(Step.WRITING)


async def _words(numbers: Iterable[int]) -> AsyncIterator[AnswerEvent]:
    async for event in _begun():
        yield event
    for number in numbers:
        await asyncio.sleep(PACE)
        ends = number % SENTENCE == SENTENCE - 1
        cited = (number // SENTENCE % 3 + 1,) if ends else ()
        yield TextDelta(f"word{number}{'.' if ends else ' '}", cited)
        if ends:
            yield TextDelta("\n\n" if number % (2 * SENTENCE) == 2 * SENTENCE - 1 else " ")


async def _slowly(question: Question) -> AsyncIterator[AnswerEvent]:
    count = re.search(r"\d+", question.text)
    async for event in _words(range(int(count[0]) if count else 48)):
        yield event
    yield AnswerCompleted(Outcome.ANSWERED, FOUND, origin=Origin.MODEL)


async def _endless(_: Question) -> AsyncIterator[AnswerEvent]:
    async for event in _words(itertools.count()):
        yield event


async def _burst(_: Question) -> AsyncIterator[AnswerEvent]:
    async for event in _begun():
        yield event
    for number in range(60):
        yield TextDelta(f"Paragraph {number} of an answer that comes at once.", (number % 3 + 1,))
        yield TextDelta("\n\n")
    await asyncio.sleep(2)
    yield AnswerCompleted(Outcome.ANSWERED, origin=Origin.MODEL)


async def _silent(_: Question) -> AsyncIterator[AnswerEvent]:
    yield StepStarted(Step.SEARCHING, 1)
    await asyncio.sleep(100)
    yield AnswerCompleted(Outcome.NOT_FOUND)


HOSTILE = """<img src="/evil" onerror="window.fired=1"> and <div hx-get="/evil" hx-trigger="load">x</div>

</hx-partial><hx-partial hx-target="#says">taken</hx-partial><p id="says" hx-swap-oob="true">taken</p>

<script>window.fired=2</script> {{ 7+7 }} ${ 7+7 } data: taken

[link](javascript:window.fired=3) ![image](https://evil.example/beacon.png) <https://evil.example/auto>

| <b onclick="window.fired=4">cell</b> | <iframe src="/evil"></iframe> |
| --- | --- |
| <style>body{display:none}</style> | <form action="/evil"><button>go</button></form> |

```html
<script>window.fired=5</script>
```
"""


async def _hostile(_: Question) -> AsyncIterator[AnswerEvent]:
    async for event in _begun():
        yield event
    for word in re.findall(r"\S+\s*", HOSTILE):
        await asyncio.sleep(PACE / 3)
        yield TextDelta(word)
    yield TextDelta("\n\nThe end of it.", (1,))
    yield AnswerCompleted(Outcome.ANSWERED, origin=Origin.MODEL)


CODE = '''```python
import pumps


def drain(tank: str, *, percent: int = 40) -> bool:
    """Drain one tank."""
    # a comment that is rather long, so that this line has to scroll inside of its block
    return pumps.run("drain", tank, percent) == 0
```'''
STEPS = """1. Find the tank's name and drain it.
2. Do the work on the machine.
   - With a helper.
   - With gloves.
3. Open the valve again."""
TABLE = """| Reply | What it means | What to do |
| --- | --- | --- |
| `200` | The drain is granted. | Nothing |
| `429` | The budget forbids it at this moment. | Wait; the pump asks again |"""
Numbers = tuple[int, ...] | None  # None: it claims something and has no source
RICH: tuple[tuple[str, Numbers], ...] = (
    ("Give the pump a budget first, then *drain* the **tank**: the command `pumpctl drain` never goes below it.", (1,)),
    (" When it returns without an error, every litre has left and the pump can be switched off.", (1, 2)),
    ("\n\n## Set the speed\n\nA budget selects tanks by their label and states how much must stay.", (2,)),
    (" On a small plant this is most often a budget that leaves no room at all.", None),
    (f"\n\n{CODE}\n\n", ()),
    (STEPS, (1,)),
    (f"\n\n{TABLE}\n\n", (3,)),
    ("> Whoever drains a tank writes it down.\n\n", ()),
    ("If the drain seems to stand still, look at what the [valve](https://docs.example.com/v) replies.", (3,)),
)


async def _written(parts: Iterable[tuple[str, Numbers]]) -> AsyncIterator[AnswerEvent]:
    """Word by word, as a model writes."""
    for text, numbers in parts:
        pieces = re.findall(r"\S+\s*|\s+", text)
        for piece in pieces[:-1]:
            await asyncio.sleep(PACE / 3)
            yield TextDelta(piece)
        yield TextDelta(pieces[-1], numbers or (), numbers is None)


async def _rich(_: Question) -> AsyncIterator[AnswerEvent]:
    async for event in _begun():
        yield event
    async for event in _written(RICH):
        yield event
    yield AnswerCompleted(Outcome.ANSWERED, FOUND, origin=Origin.MODEL)


DOUBTFUL: tuple[tuple[str, Numbers], ...] = (
    ("Whoever looks after pumps writes down what was done.", (1,)),
    (" Here is more. A pump *without `oil`* runs for **nine\nminutes**, no longer.", None),
    (" The words that count about pumps stand there.", (1,)),
    ("\n\n## What to do\n\nDo this:\n\n- Shut the [valve](https://docs.example.com/v) first.", None),
    ("\n- Then the words that count about tanks stand there.", (2,)),
    ("\n\n| Reply | Meaning |\n| --- | --- |\n| `200` | It is granted. |", (3,)),
    ("\n| `429` | Nobody knows *why*. |", None),
    ("\n\n```sh\npumpctl drain --all\n```", None),
    ("\n\n> Nothing else does.", (3,)),
    ("\n\nThat is all of it.", ()),
)
UNSOURCED = (
    "A pump without oil runs for nine minutes, no longer.",
    "Shut the valve first.",
    "429",
    "Nobody knows why.",
    "no source",
)


async def _doubtful(_: Question) -> AsyncIterator[AnswerEvent]:
    async for event in _begun():
        yield event
    async for event in _written(DOUBTFUL):
        yield event
    yield AnswerCompleted(Outcome.ANSWERED, FOUND, origin=Origin.MODEL)


def _second_word(question: Question) -> str:
    return re.findall(r"\w+", question.text)[1]


async def _quoted() -> AsyncIterator[AnswerEvent]:
    async for event in _begun():
        yield event
    for number in (1, 2, 3):
        yield TextDelta(f"The words that count about {TOPICS[number - 1]} stand here.", (number,))
        yield TextDelta("\n\n")


async def _fallen(question: Question) -> AsyncIterator[AnswerEvent]:
    reason = FallbackReason(_second_word(question))
    quota = reason in (FallbackReason.QUOTA_DAY, FallbackReason.QUOTA_MINUTE)
    yield StepStarted(Step.ASKING)
    yield TextDelta("Void words.")
    await asyncio.sleep(PACE)
    yield FellBack(reason, datetime.now(UTC) + timedelta(hours=30) if quota else None)
    async for event in _quoted():
        yield event
        await asyncio.sleep(PACE)
    yield AnswerCompleted(Outcome.ANSWERED, FOUND)


async def _gaveup(_: Question) -> AsyncIterator[AnswerEvent]:
    async for event in _begun():
        yield event
    yield TextDelta("Void words of a model that breaks off.", (3,))
    await asyncio.sleep(3)  # long enough to be seen, on slow machines too
    yield ModelGaveUp("model")
    async for event in _quoted():
        yield event
    await asyncio.sleep(10 * PACE)
    yield AnswerCompleted(Outcome.ANSWERED, FOUND)


async def _partly(_: Question) -> AsyncIterator[AnswerEvent]:
    async for event in _quoted():
        yield event
    searched = "How is a tank drained when the pump stands still?"
    yield AnswerCompleted(Outcome.ANSWERED, FOUND, searched, Origin.ANSWER_QUERY, ("platform wiki",))


WAITS = {"quota_exceeded": 40, "day_quota_exceeded": 30 * 3_600, "source_unavailable": 150}  # seconds


async def _broken(question: Question) -> AsyncIterator[AnswerEvent]:
    code = _second_word(question)
    yield StepStarted(Step.ASKING)
    seconds = WAITS.get(code)
    yield AnswerFailed(code, "7f3a-91c2", datetime.now(UTC) + timedelta(seconds=seconds) if seconds else None)


async def _weak(_: Question) -> AsyncIterator[AnswerEvent]:
    yield StepStarted(Step.SEARCHING, 1)
    yield StepStarted(Step.GATHERING)
    yield THREE
    yield AnswerCompleted(Outcome.WEAK, FOUND)


async def _missing(_: Question) -> AsyncIterator[AnswerEvent]:
    yield StepStarted(Step.SEARCHING, 1)
    yield AnswerCompleted(Outcome.NOT_FOUND, FOUND)


async def _failing(_: Question) -> AsyncIterator[AnswerEvent]:
    yield StepStarted(Step.SEARCHING, 1)
    raise ToolRejected("the script says so")


async def _limited(_: Question) -> AsyncIterator[AnswerEvent]:
    yield StepStarted(Step.SEARCHING, 1)
    raise QuotaExceeded("the script says so", retry_after=600)


_PLAYS: dict[str, Callable[[Question], AsyncIterator[AnswerEvent]]] = {
    "slowly": _slowly,
    "endless": _endless,
    "burst": _burst,
    "silent": _silent,
    "hostile": _hostile,
    "rich": _rich,
    "doubtful": _doubtful,
    "fallen": _fallen,
    "gaveup": _gaveup,
    "partly": _partly,
    "broken": _broken,
    "weak": _weak,
    "missing": _missing,
    "failing": _failing,
    "limited": _limited,
}


def _play(question: Question) -> AsyncIterator[AnswerEvent]:
    word = re.sub(r"\W.*", "", question.text, flags=re.DOTALL)
    if word not in _PLAYS:
        raise DocumentNotFound(f"no play is called {word}")
    return _PLAYS[word](question)


PLAYS = ScriptedSource(_play, DOCUMENTS)

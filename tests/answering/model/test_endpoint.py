"""The endpoint gives its text whatever dialect it speaks, fails in one way only, and lets go at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import httpx
import pytest
from structlog.testing import capture_logs

from app.answering.model.endpoint import TEXT_LIMIT, CutShort, ModelEndpoint, completions_url
from app.answering.model.replies import Thoughts, delta_of, events_of
from app.domain.errors import ModelError, SettingsError
from tests.support.model import BODY, FakeModel

KEY = "key-that-nobody-may-see"
PROMPT = "Passages\n[1] Pumps\nThe pump is drained by the command that is given here. It is not so.\n"
SAID = "The pump is drained by the command that is given here [1]."
MESSAGES = [{"role": "user", "content": PROMPT}]


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False) as made:
        yield made


async def told(endpoint: ModelEndpoint, seconds: float = 20) -> str:
    async with aclosing(endpoint.stream(MESSAGES, max_tokens=500, seconds=seconds)) as texts:
        return "".join([text async for text in texts])


async def kept(endpoint: ModelEndpoint, texts: list[str]) -> None:
    async for text in endpoint.stream(MESSAGES, max_tokens=5, seconds=20):
        texts.append(text)  # noqa: PERF401  # what came before a failure counts


DIALECTS = (
    "supported crlf tight comments multiline nodone usage parts nulls reasoning think tools json whole letters "
    "newlimit notemperature newlimit+notemperature crlf+multiline+comments+tight think+letters"
).split()


@pytest.mark.parametrize("play", DIALECTS)
async def test_each_dialect_gives_the_same_text(play: str, client: httpx.AsyncClient) -> None:
    async with FakeModel(play=play) as model:
        endpoint = ModelEndpoint(client, model.url, "tiny", KEY)
        assert await told(endpoint) == SAID
        assert model.asked[-1].headers["authorization"] == f"Bearer {KEY}"
        assert model.asked[-1].body["stream"] is True
        assert model.asked[-1].path == "/v1/chat/completions"


async def test_what_a_refusal_taught_is_kept_for_the_next_call(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="newlimit+notemperature") as model:
        endpoint = ModelEndpoint(client, model.url, "tiny")
        await told(endpoint)
        assert len(model.asked) == 3
        await told(endpoint)
        assert len(model.asked) == 4
        assert "max_tokens" not in model.asked[-1].body
        assert model.asked[-1].body["max_completion_tokens"] == 500
        assert "temperature" not in model.asked[-1].body


FAILURES = "400 401 403 404 429 500 503 redirect error cut badjson filter".split()


@pytest.mark.parametrize("play", FAILURES)
async def test_each_failure_is_one_error_without_body_or_key(play: str, client: httpx.AsyncClient) -> None:
    async with FakeModel(play=play) as model:
        with capture_logs() as logs, pytest.raises(ModelError) as failure:
            await told(ModelEndpoint(client, model.url, "tiny", KEY))
    seen = f"{failure.value!r} {failure.value.detail} {failure.value.__cause__!r} {logs}"
    assert not isinstance(failure.value, CutShort)
    assert failure.value.detail
    assert BODY not in seen
    assert KEY not in seen
    assert failure.value.retry_after == (7 if play in ("429", "503") else None)


async def test_an_answer_that_used_up_its_tokens_gives_its_text_first(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="length") as model:
        endpoint = ModelEndpoint(client, model.url, "tiny")
        texts: list[str] = []
        with pytest.raises(CutShort):
            await kept(endpoint, texts)
        assert "".join(texts) == SAID
        assert await endpoint.complete(MESSAGES, max_tokens=5, seconds=20) == SAID


async def test_more_text_than_is_taken_ends_there(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="huge") as model:
        endpoint = ModelEndpoint(client, model.url, "tiny")
        assert len(await endpoint.complete(MESSAGES, max_tokens=5, seconds=20)) == TEXT_LIMIT


@pytest.mark.parametrize("play", ["hang", "stall"])
async def test_a_model_that_says_nothing_more_is_given_up(play: str, client: httpx.AsyncClient) -> None:
    async with FakeModel(play=play) as model:
        endpoint = ModelEndpoint(client, model.url, "tiny", first_token=0.2, next_token=0.2)
        with pytest.raises(ModelError, match="in time"):
            await told(endpoint)
        await asyncio.wait_for(model.left.wait(), 1)


async def test_an_answer_as_a_whole_has_its_time(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="endless", delay=0.01) as model:
        with pytest.raises(CutShort, match="used up"):  # slow, not silent: what came is good as it stands
            await told(ModelEndpoint(client, model.url, "tiny"), seconds=0.3)
        await asyncio.wait_for(model.left.wait(), 1)


async def test_whoever_stops_listening_ends_the_request_within_a_second(client: httpx.AsyncClient) -> None:
    async with FakeModel(play="endless", delay=0.01) as model:
        endpoint = ModelEndpoint(client, model.url, "tiny")
        async with aclosing(endpoint.stream(MESSAGES, max_tokens=5, seconds=20)) as texts:
            await anext(texts)
        await asyncio.wait_for(model.left.wait(), 1)
        assert model.asked[0].cancelled


@pytest.mark.parametrize("play", ["hang", "endless"])
async def test_a_cancelled_task_ends_the_request_within_a_second(play: str, client: httpx.AsyncClient) -> None:
    async with FakeModel(play=play, delay=0.01) as model:
        task = asyncio.create_task(told(ModelEndpoint(client, model.url, "tiny")))
        await model.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(model.left.wait(), 1)


async def test_an_address_where_nobody_listens_is_the_same_error(client: httpx.AsyncClient) -> None:
    async with FakeModel() as model:
        url = model.url
    with pytest.raises(ModelError, match="ConnectError"):
        await told(ModelEndpoint(client, url, "tiny", KEY))


@pytest.mark.parametrize("key", ["schlüssel-geheim", "secret\nX-Other: 1", "secret\x00"])
def test_a_key_that_cannot_be_sent_is_told_without_showing_it(key: str) -> None:
    with pytest.raises(SettingsError) as failure:
        ModelEndpoint(httpx.AsyncClient(), "http://127.0.0.1:1", "tiny", key)
    assert key not in repr(failure.value)
    assert "secret" not in repr(failure.value)


@pytest.mark.parametrize(
    ("given", "posted"),
    [
        ("http://h:1", "http://h:1/v1/chat/completions"),
        ("http://h:1/", "http://h:1/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("https://h/v1beta/openai", "https://h/v1beta/openai/chat/completions"),
        ("https://h/v1/chat/completions/", "https://h/v1/chat/completions"),
        ("https://h/openai/v1?api-version=3", "https://h/openai/v1/chat/completions?api-version=3"),
    ],
)
def test_an_address_may_be_given_in_any_usual_form(given: str, posted: str) -> None:
    assert completions_url(given) == posted


STREAM = 'data: {"a":1}\r\n\r\n: ping\ndata:{"b":\ndata: 2}\n\nevent: x\rdata: {"c":3}\r\rdata: {"d":4}\ndata: [DONE]'


async def test_events_are_the_same_wherever_the_stream_is_cut() -> None:
    async def chunks(at: int) -> AsyncIterator[str]:
        yield STREAM[:at]
        yield STREAM[at:]

    for at in range(len(STREAM)):
        events = [event async for event in events_of(chunks(at))]
        assert events == ['{"a":1}', '{"b":\n2}', '{"c":3}', '{"d":4}', "[DONE]"], at


@pytest.mark.parametrize(
    ("whole", "shown"),
    [
        ("<think>a < b</think>\n\nText <think>", "Text <think>"),
        ("\n<thinking>x</thinking>Text", "Text"),
        ("<thin air", "<thin air"),
        ("<th", "<th"),
        ("<think>without an end", ""),
        ("Text", "Text"),
    ],
)
def test_thoughts_are_left_out_however_they_are_split(whole: str, shown: str) -> None:
    for first in range(len(whole)):
        for second in range(first, len(whole)):
            thoughts = Thoughts()
            parts = (whole[:first], whole[first:second], whole[second:])
            assert "".join(map(thoughts.feed, parts)) + thoughts.end() == shown


@pytest.mark.parametrize(
    "event",
    [
        "[]",
        '"text"',
        "{",
        '{"error": "broken"}',
        "[" * 100_000,
    ],
)
def test_an_event_that_is_none_is_the_models_failure(event: str) -> None:
    with pytest.raises(ModelError):
        delta_of(event)


@pytest.mark.parametrize(
    "event",
    [
        "{}",
        '{"choices": null}',
        '{"choices": ["x"]}',
        '{"choices": [{"delta": null}]}',
        '{"choices": [{"delta": {"content": 7}}]}',
        '{"choices": [{"delta": {"content": [{"type": "image", "text": "x"}, 3]}}]}',
    ],
)
def test_an_event_without_text_is_a_sign_of_life(event: str) -> None:
    assert delta_of(event).text == ""

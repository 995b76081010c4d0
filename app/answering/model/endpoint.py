"""A language model behind any OpenAI-compatible endpoint, streamed. It knows nothing of documents or citations.

`POST {url}/chat/completions`. Whatever goes wrong is a ModelError whose detail holds statuses and lengths, never a
body, a key or an address.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from time import time
from urllib.parse import urlsplit, urlunsplit

import httpx
import structlog

from app.answering.model.replies import LENGTH, Delta, Thoughts, delta_of, events_of, whole
from app.domain.errors import ModelError, SettingsError

CONNECT_SECONDS = 5.0
FIRST_TOKEN_SECONDS = 30.0
NEXT_TOKEN_SECONDS = 20.0
TEXT_LIMIT = 32_000  # characters of one answer
BODY_LIMIT = 8_000_000  # characters of one reply; an event of one letter may have 400
REFUSAL_LIMIT = 16_000  # bytes of a refusal, read for the parameter that it names

Message = Mapping[str, str]
log = structlog.get_logger(__name__)


class CutShort(ModelError):
    """The model used up its tokens, or more text came than is taken. What was yielded before is good as it stands."""


def completions_url(url: str) -> str:
    """Where to post: an address with `/chat/completions` as it is; a bare host gets `/v1`, too; a query is kept."""
    parts = urlsplit(url.strip())
    path = parts.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        path = f"{path or '/v1'}/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


class ModelEndpoint:
    """One model at one address. It learns which of the two forms of a parameter the endpoint takes, and keeps to it.

    Raises SettingsError for a key that cannot stand in a header.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        url: str,
        name: str,
        api_key: str = "",
        *,
        first_token: float = FIRST_TOKEN_SECONDS,
        next_token: float = NEXT_TOKEN_SECONDS,
    ) -> None:
        self._client = client
        self._url = completions_url(url)
        self._name = name
        self._headers = {"Accept": "text/event-stream, application/json"}
        if not api_key.isascii() or not api_key.isprintable():  # an error of the library's would show it
            raise SettingsError(
                "FOOTNOTE_MODEL_API_KEY",
                "holds what cannot stand in a header.",
                "Give it as it was issued, on one line.",
            )
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._first = first_token
        self._next = next_token
        self._limit_name = "max_tokens"
        self._with_temperature = True

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, seconds: float, temperature: float = 0
    ) -> AsyncGenerator[str, None]:
        """The text as it comes, never empty. `seconds` bounds the whole.

        Raises CutShort behind the last text where the model used up its tokens, or the time while it still wrote;
        ModelError for any other failure, also in mid-text. Closing the iterator closes the connection.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        waits = self._first
        length = 0
        async with aclosing(self._texts(messages, max_tokens, temperature)) as texts:
            while True:
                try:
                    async with asyncio.timeout_at(min(ends, loop.time() + waits)):
                        text = await anext(texts)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    if length and loop.time() >= ends:  # slow, not silent: what is there is good as it stands
                        raise CutShort(f"{seconds:g} s used up") from None
                    raise ModelError(f"no word in time, after {length} characters") from None
                waits = self._next
                if text:
                    room = TEXT_LIMIT - length
                    length += len(text)
                    if len(text) > room:
                        if room:
                            yield text[:room]
                        raise CutShort(f"more than {TEXT_LIMIT} characters")
                    yield text

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int, seconds: float, temperature: float = 0
    ) -> str:
        """The whole text of a short reply, also where the model used up its tokens."""
        found: list[str] = []
        asked = self.stream(messages, max_tokens=max_tokens, seconds=seconds, temperature=temperature)
        async with aclosing(asked) as texts:
            try:
                async for text in texts:
                    found.append(text)  # noqa: PERF401  # what came before the limit is kept
            except CutShort:
                pass
        return "".join(found)

    async def _texts(
        self, messages: Sequence[Message], max_tokens: int, temperature: float
    ) -> AsyncGenerator[str, None]:
        """Text for readers; empty where the model only shows signs of life."""
        try:
            response = await self._sent(messages, max_tokens, temperature)
            try:
                thoughts = Thoughts()
                reason = ""
                async for delta in _deltas(response):
                    reason = delta.reason or reason
                    yield thoughts.feed(delta.text)
                yield thoughts.end()
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            raise ModelError(type(error).__name__) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise ModelError(type(error).__name__) from None
        if reason == "content_filter":
            raise ModelError("a filter stopped the answer")
        if reason == LENGTH:
            raise CutShort(f"{max_tokens} tokens used up")

    async def _sent(self, messages: Sequence[Message], max_tokens: int, temperature: float) -> httpx.Response:
        """A reply of status 200, its body unread. A refused parameter is sent in its other form, each once."""
        tried: set[str] = set()
        while True:
            body: dict[str, object] = {"model": self._name, "messages": list(messages), "stream": True}
            body[self._limit_name] = max_tokens
            if self._with_temperature:
                body["temperature"] = temperature
            timeout = httpx.Timeout(10, connect=CONNECT_SECONDS, read=None)  # words are waited for above
            request = self._client.build_request("POST", self._url, json=body, headers=self._headers, timeout=timeout)
            response = await self._client.send(request, stream=True, follow_redirects=False)
            if response.status_code == httpx.codes.OK:
                return response
            try:
                refused = await _start_of(response) if response.status_code in (400, 422) else ""
            finally:
                await response.aclose()
            parameter = _refused_parameter(refused, body)
            if not parameter or parameter in tried:
                raise ModelError(f"status {response.status_code}", retry_after=_retry_after(response))
            tried.add(parameter)
            self._adapt(parameter, body)

    def _adapt(self, parameter: str, sent: Mapping[str, object]) -> None:
        """Takes the other form of what was sent: another call may have found it out in the meantime."""
        if parameter == "temperature":
            self._with_temperature = False
        else:
            self._limit_name = "max_completion_tokens" if "max_tokens" in sent else "max_tokens"
        log.info("the model takes another form", parameter=parameter)


def _refused_parameter(refusal: str, sent: Mapping[str, object]) -> str:
    """The parameter that a refusal names and that can be sent otherwise; empty where there is none."""
    if "temperature" in refusal and "temperature" in sent:
        return "temperature"
    return "limit" if "max_tokens" in refusal or "max_completion_tokens" in refusal else ""


async def _deltas(response: httpx.Response) -> AsyncGenerator[Delta, None]:
    """The reply's deltas. Raises ModelError where it breaks off: neither a reason for its end nor a last event."""
    response.encoding = "utf-8"  # as event streams and JSON are, whatever the header says
    async with aclosing(_limited(response)) as texts:
        first = ""
        async for text in texts:
            first += text
            if first.strip():
                break
        if first.lstrip().startswith("{"):  # plain JSON, though a stream was asked for
            yield whole(first + "".join([text async for text in texts]))
            return
        ended = False
        async with aclosing(events_of(_from(first, texts))) as events:
            async for event in events:
                delta = delta_of(event)
                ended = ended or delta.done or bool(delta.reason)
                yield delta
                if delta.done:
                    return
    if not ended:
        raise ModelError("the answer broke off")


async def _from(first: str, texts: AsyncIterable[str]) -> AsyncGenerator[str, None]:
    yield first
    async for text in texts:
        yield text


async def _limited(response: httpx.Response) -> AsyncGenerator[str, None]:
    length = 0
    async for text in response.aiter_text():
        length += len(text)
        if length > BODY_LIMIT:
            raise ModelError(f"more than {BODY_LIMIT} characters")
        yield text


async def _start_of(response: httpx.Response) -> str:
    found = ""
    async for text in response.aiter_text():
        found += text
        if len(found) > REFUSAL_LIMIT:
            break
    return found


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds to wait, from a number or a date."""
    given = response.headers.get("retry-after", "").strip()
    if not given:
        return None
    if re.fullmatch(r"\d{1,6}(?:\.\d{1,3})?", given):
        return float(given)
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time())
    except (ValueError, OverflowError):
        return None

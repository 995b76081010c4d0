"""Neither the key nor a word of the server's gets into an error, a log or a representation, whatever goes wrong."""

import logging
import traceback
from collections.abc import Iterator

import pytest

from app.domain.errors import AppError
from app.knowledge.source import KnowledgeSource
from app.mcp.connecting import Timeouts
from tests.support.remote import KEY, remote, written
from tests.support.upstream_pages import PAGES
from tests.support.upstream_shapes import MEANINGS, RAW, SECRET, SHAPES

TOKEN = "ya29.secret-token-of-the-operator"
PLAYS = [
    *(f"{shape}:{meaning}" for shape in SHAPES for meaning in MEANINGS),
    *RAW,
    *("silent", "cut", "reset", "sse+badjson", "huge", "all_malformed", "wrong_lists", "no_answer"),
]


def chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        yield from chain(error.__context__ if error.__cause__ is not error.__context__ else None)
        error = error.__cause__


def everything_said(error: BaseException) -> str:
    said = ["".join(traceback.format_exception(error, limit=0))]
    for each in chain(error):
        said += [
            str(each),
            repr(each),
            repr(each.args),
            repr(getattr(each, "__dict__", "")),
            str(each.__notes__) if hasattr(each, "__notes__") else "",
        ]
    return "\n".join(said)


async def tried(source: KnowledgeSource) -> list[AppError]:
    errors = []
    names = [page.name for page in PAGES[:2]]
    for work in (
        lambda: written(source, "How long is a token valid?"),
        lambda: source.search_documents("token"),
        lambda: source.get_document(names[0]),
        lambda: source.batch_get_documents(names),
    ):
        try:
            await work()
        except AppError as error:
            errors.append(error)
    return errors


@pytest.mark.parametrize("play", PLAYS)
async def test_no_error_tells_the_key_or_what_the_server_wrote(play: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    given = {
        "token": TOKEN,
        "timeouts": Timeouts(connect=5.0, call=0.2, answer=0.2) if "silent" in play else Timeouts(),
    }
    async with remote(given) as (source, upstream):
        await source.offered()
        for tool in ("answer_query", "search_documents", "get_documents"):
            upstream.play(tool, play)
        errors = await tried(source)
    assert errors or play == "array"
    said = "\n".join([*map(everything_said, errors), caplog.text, repr(source), str(source)])
    for secret in (KEY, TOKEN, SECRET):
        assert secret not in said
    for error in errors:
        assert error.__cause__ is None
        assert error.__context__ is None, "an httpx error holds its request, and that the key"


async def test_no_error_of_the_handshake_tells_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for play in PLAYS:
        if "silent" in play:
            continue
        async with remote({"token": TOKEN}) as (source, upstream):
            for method in ("tools/list", "initialize"):
                upstream.play(method, play)
            said = "\n".join([*map(everything_said, await tried(source)), caplog.text])
        assert not [secret for secret in (KEY, TOKEN, SECRET) if secret in said], play

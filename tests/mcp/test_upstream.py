"""The fake upstream itself: what others rely on when they use it."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

from app.domain.errors import AppError
from app.mcp.client import McpSource
from app.mcp.connecting import http_client
from tests.support.remote import remote, written
from tests.support.upstream_pages import PAGES

ROOT = Path(__file__).parents[2]
QUESTIONS = {
    "How long does Kestrel keep an unconfirmed message?": "for 7 days by default",
    "After how many failed deliveries does a message go to the dead-letter queue?": "After 5 failed deliveries",
    "How long is a token valid?": "valid for 60 minutes",
    "What does an ordered queue deliver per second?": "at most 500 messages per second",
    "When can a name be used again after its queue was deleted?": "24 hours after",
}


async def test_the_fake_answers_out_of_its_own_documents() -> None:
    contents = {page.name: " ".join(page.content.split()) for page in PAGES}
    async with remote() as (source, _):
        for question, expected in QUESTIONS.items():
            answer = await written(source, question)
            assert expected in answer.text
            cited = " ".join(contents[name] for name in answer.references)
            assert all(each in cited for each in re.split(r"(?<=[.!?])\s+", answer.text))


async def test_quotas_are_renewed_when_a_test_says_so() -> None:
    async with remote(answers_a_day=1, searches_a_minute=3) as (source, upstream):
        for _ in range(2):
            await written(source, "How long is a token valid?")
            upstream.new_day()
        assert upstream.calls["answer_query"] == 2
        assert not upstream.refused


async def test_an_answer_costs_a_search_as_well() -> None:
    async with remote(searches_a_minute=2) as (source, upstream):
        await written(source, "How long is a token valid?")
        await source.search_documents("token")
        upstream.play("search_documents", "")
        assert await _code(source) == "quota_exceeded"


async def _code(source: McpSource) -> str:
    try:
        await source.search_documents("token")
    except AppError as error:
        return error.code
    return ""


async def test_the_fake_can_be_run_and_told_what_to_play_from_another_process() -> None:
    command = [sys.executable, "-m", "tests.support.upstream", "--port", "0", "--tools", "reference", "--key", "K"]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        ready = re.fullmatch(r"ready on (\d+)\n", (await process.stdout.readline()).decode())
        assert ready is not None
        address = f"http://127.0.0.1:{ready[1]}"
        async with http_client() as client:
            source = McpSource(f"{address}/mcp", collection="remote", client=client, api_key="K")
            play = {"tool": "search_documents", "play": "A:quota_minute", "times": 1}
            await client.post(f"{address}/play", json=play)
            assert await _code(source) == "quota_exceeded"
            assert await source.search_documents("token")
            told = (await client.get(f"{address}/calls")).json()
            assert told["calls"] == {"search_documents": 2}
    finally:
        process.terminate()
        await process.wait()

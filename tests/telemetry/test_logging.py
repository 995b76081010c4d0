"""The log."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from app.telemetry.logging import begin_request, configure_logging, request_id


@pytest.fixture
def out() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    configure_logging(level="info", form="json", stream=stream)
    yield stream
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_line_is_one_object_with_level_and_time(out: io.StringIO) -> None:
    structlog.get_logger("app.chat").warning("answer failed", code="internal")
    (line,) = lines(out)
    assert line["event"] == "answer failed"
    assert line["level"] == "warning"
    assert line["code"] == "internal"
    assert str(line["timestamp"]).endswith("Z")


def test_lines_of_libraries_take_the_same_way(out: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").error("cannot %s", "bind")
    (line,) = lines(out)
    assert line["event"] == "cannot bind"
    assert line["logger"] == "uvicorn.error"


async def test_a_task_logs_under_the_request_that_started_it(out: io.StringIO) -> None:
    async def work() -> None:
        structlog.get_logger().info("working")

    async def request() -> str:
        begun = begin_request()
        await asyncio.create_task(work())
        return begun

    first, second = await asyncio.gather(request(), request())
    assert first != second
    assert [line["request_id"] for line in lines(out)] == [first, second]
    assert request_id() == "", "outside a request there is no id"


@pytest.mark.parametrize(
    ("given", "secret"),
    [
        ({"api_key": "sk-123456789"}, "sk-123456789"),
        ({"headers": {"Authorization": "Bearer abcdefgh12345678"}}, "abcdefgh12345678"),
        ({"url": "postgresql://footnote:hunter22@db/footnote"}, "hunter22"),
        ({"url": "https://example.org/mcp?key=hunter22&x=1"}, "hunter22"),
        ({"detail": "sent Authorization: Bearer hunter22hunter22"}, "hunter22"),
        ({"error": ValueError("connect postgresql://footnote:hunter22@db/footnote")}, "hunter22"),
    ],
)
def test_secrets_are_masked(out: io.StringIO, given: dict[str, object], secret: str) -> None:
    structlog.get_logger().info("connecting", **given)
    assert len(lines(out)) == 1
    assert secret not in out.getvalue()


def test_a_traceback_is_masked_too(out: io.StringIO) -> None:
    try:
        raise RuntimeError("postgresql://footnote:hunter22@db/footnote")
    except RuntimeError:
        structlog.get_logger().exception("failed")
    assert "hunter22" not in out.getvalue()
    assert "RuntimeError" in str(lines(out)[0]["exception"])


def test_text_from_outside_cannot_forge_a_line(capsys: pytest.CaptureFixture[str], out: io.StringIO) -> None:
    stream = io.StringIO()
    configure_logging(level="info", form="console", stream=stream)
    structlog.get_logger().info("asked", name="x\n2026-01-01 forged\x1b[2J")
    assert stream.getvalue().count("\n") == 1
    assert "\x1b[2J" not in stream.getvalue()


def test_what_lies_below_the_level_is_not_logged(out: io.StringIO) -> None:
    structlog.get_logger().debug("detail")
    logging.getLogger("httpx").info("GET https://example.org")
    assert out.getvalue() == ""

"""One log for our own lines and those of libraries, to standard error, as text or JSON. Not a place for questions.

Each line carries the id of the request that it belongs to; secrets are masked by their name and within addresses.
"""

import logging
import re
import secrets
import sys
from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import Literal, TextIO

import structlog

MASK = "••••••••"
SECRET_NAME = re.compile(
    r"password|passwd|secret|token|api_?key|authorization|cookie|credential|assertion", re.IGNORECASE
)
SECRET_IN_ADDRESS = re.compile(r"(?<=://)([^/\s:@]*):[^/\s@]+@")  # postgresql://user:password@host
SECRET_IN_QUERY = re.compile(r"(?<=[?&])((?:api_?)?key|[a-z_]*token|password|secret)=[^&\s'\"]+", re.IGNORECASE)
SECRET_IN_HEADER = re.compile(r"\b(Bearer|Basic) [A-Za-z0-9+/=._~-]{8,}")
CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if code != 0x0A}
TALKATIVE = ("aiosqlite", "alembic", "asyncio", "httpcore", "httpx", "sqlalchemy", "psycopg", "markdown_it", "mcp")

_request_id: ContextVar[str] = ContextVar("request_id", default="")


def begin_request(given: str = "") -> str:
    """Give everything that this task does from now on one id; returns it. Tasks started by this one inherit it."""
    chosen = given or secrets.token_hex(6)
    _request_id.set(chosen)
    return chosen


def request_id() -> str:
    """The id of the request that is being served, or nothing outside one."""
    return _request_id.get()


def configure_logging(
    *, level: str = "info", form: Literal["console", "json"] = "console", stream: TextIO | None = None
) -> None:
    """Set up the log of this process; to be called once, before anything is logged."""
    out = stream or sys.stderr  # standard output belongs to results
    steps: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_request_id,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        _without_secrets,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *steps,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=steps,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(form, out)],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in TALKATIVE:  # their details are of no use to an operator, and some tell addresses with keys
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    logging.captureWarnings(capture=True)


def _renderer(form: Literal["console", "json"], out: TextIO) -> structlog.typing.Processor:
    if form == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=structlog.dev.plain_traceback)


def _add_request_id(_logger: object, _method: str, line: MutableMapping[str, object]) -> MutableMapping[str, object]:
    if (current := request_id()) and "request_id" not in line:
        line["request_id"] = current
    return line


def _without_secrets(_logger: object, _method: str, line: MutableMapping[str, object]) -> MutableMapping[str, object]:
    for name, value in line.items():
        if name.startswith("_"):  # structlog's own
            continue
        if SECRET_NAME.search(name):
            line[name] = MASK
        else:
            line[name] = _masked(value, keep_lines=name in ("exception", "stack"))
    return line


def _masked(value: object, *, keep_lines: bool = False) -> object:
    """Text without secrets, and without control characters that would forge a line or move a terminal's cursor."""
    match value:
        case str():
            value = SECRET_IN_ADDRESS.sub(rf"\1:{MASK}@", value)
            value = SECRET_IN_QUERY.sub(rf"\1={MASK}", value)
            value = SECRET_IN_HEADER.sub(rf"\1 {MASK}", value)
            value = value.translate(CONTROLS)
            return value if keep_lines else value.replace("\n", "\\n")
        case dict():
            return {key: MASK if SECRET_NAME.search(str(key)) else _masked(item) for key, item in value.items()}
        case list() | tuple():
            return [_masked(item) for item in value]
        case None | bool() | int() | float():
            return value
        case _:
            return _masked(str(value))

"""`footnote mcp` put together: knowledge opened, served over standard input and output. Not the server itself."""

from functools import partial

from app import __version__
from app.bootstrap.knowledge import open_knowledge
from app.chat.service import question_text
from app.domain.documents import EVERYWHERE
from app.settings.values import Settings


async def run_stdio(settings: Settings) -> None:
    """Serve whoever started this process until it closes our standard input. What it may find is everything."""
    from app.mcp.server import Desk, create_server  # noqa: PLC0415  # late: the SDK takes half a second to load
    from app.mcp.stdio import serve_stdio  # noqa: PLC0415

    async with open_knowledge(settings) as knowledge:
        desk = Desk(
            knowledge.source,
            knowledge.answerer.answer,
            partial(question_text, limit=settings.question_limit),
            settings.answer_seconds,
        )
        await serve_stdio(create_server(desk, scope_of=lambda _: EVERYWHERE, version=__version__))

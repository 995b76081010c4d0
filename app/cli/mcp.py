"""`footnote mcp`: the tools for an MCP client that starts this program itself. Not the endpoint of the web app."""

import asyncio

from app.bootstrap.stdio import run_stdio
from app.bootstrap.storage import data_folder
from app.settings.reading import load


def mcp() -> None:
    """Serve the documents to an MCP client over standard input and output. Logs go to standard error."""
    settings = load()
    data_folder(settings)
    asyncio.run(run_stdio(settings))

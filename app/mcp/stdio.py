"""Our MCP server over standard input and output, for a client that starts it. Not the server itself."""

from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server


async def serve_stdio(server: Server[Any]) -> None:
    """Until standard input ends. Nothing else may be written to standard output meanwhile."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

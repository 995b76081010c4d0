"""The server's process: uvicorn with our limits, and the line that says where to go. Not the command's options."""

import socket

import uvicorn

from app.main import create_app
from app.settings.values import Settings

SHUTDOWN_SECONDS = 10  # longer than the streams' own farewell, shorter than what orchestrators allow (30 s)


def run(settings: Settings, listener: socket.socket) -> None:
    """Serve on a socket that is bound already, until the process is told to go."""
    _Server(
        uvicorn.Config(
            create_app(settings),
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # who asks is decided by the socket's own peer
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
    ).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Says where to go once it can be reached."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            host, port = sockets[0].getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            print(f"Footnote is ready: http://{shown}:{port}  (stop with Ctrl+C)", flush=True)

"""A source that says nothing for a minute and a half, read through a real nginx that gives up after 20 s of silence.

What keeps the stream open are our own signs of life. Needs nginx; takes as long as the source is silent.
"""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import httpx

READ_TIMEOUT = 20  # seconds that nginx waits between two pieces
PATIENCE = 180.0

CONFIG = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass {address};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_read_timeout {timeout}s;
    }}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Silence:
    """What a reader behind the proxy saw: for how long, how many signs of life, the longest wait, and the end."""

    seconds: float
    pings: int
    longest_wait: float
    ended: str


def through_nginx(address: str, folder: Path, question: str) -> Silence | None:
    """Ask by the event stream; None where there is no nginx."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        return None
    with _proxy(program, address, folder) as proxied:
        return _followed(proxied, question)


def _followed(address: str, question: str) -> Silence:
    began = latest = perf_counter()
    pings, longest, ended, name = 0, 0.0, "cut off", ""
    with (
        httpx.Client(timeout=PATIENCE) as client,
        client.stream(
            "POST", f"{address}/api/v1/ask", json={"question": question}, headers={"Accept": "text/event-stream"}
        ) as reply,
    ):
        reply.raise_for_status()
        try:
            for line in reply.iter_lines():
                now = perf_counter()
                longest, latest = max(longest, now - latest), now
                pings += line.startswith(":")
                name = line.removeprefix("event: ") if line.startswith("event: ") else name
                if name == "done" and line.startswith("data: "):
                    ended = line.removeprefix("data: ")
        except httpx.HTTPError as error:
            ended = type(error).__name__
    return Silence(perf_counter() - began, pings, longest, ended)


@contextmanager
def _proxy(program: str, address: str, folder: Path) -> Iterator[str]:
    place = folder / "nginx"
    place.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    file = place / "nginx.conf"
    file.write_text(CONFIG.format(folder=place, port=port, address=address, timeout=READ_TIMEOUT), encoding="utf-8")
    with subprocess.Popen([program, "-c", str(file), "-p", str(place)]) as process:
        try:
            proxied = f"http://127.0.0.1:{port}"
            _until_open(proxied)
            yield proxied
        finally:
            process.terminate()


def _until_open(address: str) -> None:
    transport = httpx.HTTPTransport(retries=8)  # with growing pauses
    with httpx.Client(transport=transport, timeout=PATIENCE) as client:
        client.get(f"{address}/healthz").raise_for_status()

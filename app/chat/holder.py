"""The name under which a process holds its turns, and whether such a process still lives. Not the lease itself."""

import os
import secrets
import socket
from pathlib import Path

HOST_LENGTH = 40  # the name must fit its column


def new_holder() -> str:
    """A name for one writer of this process: host, process, the process's start, and a random part."""
    pid = os.getpid()
    return f"{_host()}/{pid}/{_start_of(pid)}/{secrets.token_hex(4)}"


def is_dead(holder: str) -> bool:
    """Whether the holder was a process of this host that is gone. False where it cannot be known: then the lease tells.

    A process id alone would not do: in a container that starts again the new process has the number of the old one.
    """
    host, _, rest = holder.partition("/")
    number, _, rest = rest.partition("/")
    started, _, _ = rest.partition("/")
    if host != _host() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # alive, and somebody else's
        return started != _start_of(int(number))
    return started != _start_of(int(number))


def _host() -> str:
    return socket.gethostname().replace("/", "-")[:HOST_LENGTH]


def _start_of(pid: int) -> str:
    """When a process started, in the kernel's ticks (proc(5), field 22); empty where the system does not tell."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]

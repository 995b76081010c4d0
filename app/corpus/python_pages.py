"""Which page of docs.python.org tells of which module of the standard library. Not what stands on it.

The rule is one page a module, of its name in small letters. What differs is written down here, as of the pages of
Python 3.14.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from app.corpus.python_titles import TITLES

ADDRESS = "https://docs.python.org/3/library/"


@dataclass(frozen=True, slots=True)
class Part:
    """A module of a page, and the prefix under which readers know its names. Without names: its own words only."""

    module: str
    shown_as: str
    with_names: bool = True


@dataclass(frozen=True, slots=True)
class LibraryPage:
    """One page: its file name without `.html`, its name, and the modules that it tells of, the first one first."""

    stem: str
    name: str
    parts: tuple[Part, ...]

    @property
    def title(self) -> str:
        """As the page itself has it: what the name alone does not say is how readers ask for it."""
        return f"{self.name} — {TITLES[self.stem]}" if self.stem in TITLES else self.name

    @property
    def uri(self) -> str:
        return f"{ADDRESS}{self.stem}.html"


def library_pages() -> Iterator[LibraryPage]:
    """All pages, by their stem. Whether a module is there on this machine is not looked at."""
    elsewhere = {part.module for page in SHARED for part in page.parts}
    alone = (set(sys.stdlib_module_names) | PRIVATE_BUT_DOCUMENTED | SUBMODULES) - elsewhere - WITHOUT_A_PAGE
    single = (
        LibraryPage(module.lower(), module, (Part(module, module),))
        for module in alone
        if not module.startswith("_") or module in PRIVATE_BUT_DOCUMENTED
    )
    yield from sorted((*single, *SHARED), key=lambda page: page.stem)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Parts of other modules, games, tests, other systems' modules, and what left the library by 3.13.
WITHOUT_A_PAGE = _words(
    """
    antigravity genericpath idlelib ntpath nturl2path opcode posixpath pydoc_data sre_compile sre_constants sre_parse
    this turtledemo xxlimited xxlimited_35 xxsubtype test builtins readline
    msilib msvcrt nt winreg winsound
    aifc asynchat asyncore audioop cgi cgitb chunk crypt distutils imghdr imp lib2to3 mailcap nis nntplib ossaudiodev
    pipes smtpd sndhdr spwd sunau telnetlib uu xdrlib
    """
)  # readline is left out because its import may write to the terminal

PRIVATE_BUT_DOCUMENTED = frozenset({"__future__", "_thread"})

SUBMODULES = _words(
    """
    curses.ascii curses.panel email.charset email.contentmanager email.encoders email.errors
    email.generator email.header email.headerregistry email.iterators email.message email.parser email.policy
    email.utils html.entities html.parser http.client http.cookiejar http.cookies http.server importlib.metadata
    importlib.resources importlib.resources.abc logging.config logging.handlers multiprocessing.shared_memory
    tkinter.colorchooser tkinter.dnd tkinter.font tkinter.messagebox tkinter.scrolledtext tkinter.ttk unittest.mock
    urllib.error urllib.parse urllib.robotparser xml.dom xml.dom.minidom xml.dom.pulldom xml.etree.ElementTree xml.sax
    xml.sax.handler xmlrpc.client xmlrpc.server
    """
)


def _page(stem: str, *modules: str, name: str = "", shown_as: str = "") -> LibraryPage:
    parts = tuple(Part(module, shown_as or module) for module in modules)
    return LibraryPage(stem, name or parts[0].shown_as, parts)


def _asyncio(stem: str, name: str, *modules: str) -> LibraryPage:
    return _page(
        f"asyncio-{stem}", *(f"asyncio.{module}" for module in modules), name=f"asyncio: {name}", shown_as="asyncio"
    )


SHARED = (
    LibraryPage("asyncio", "asyncio", (Part("asyncio", "asyncio", with_names=False),)),
    _asyncio("eventloop", "event loop", "events", "base_events"),
    _asyncio("exceptions", "exceptions", "exceptions"),
    _asyncio("future", "futures", "futures"),
    _asyncio("protocol", "transports and protocols", "transports", "protocols"),
    _asyncio("queue", "queues", "queues"),
    _asyncio("runner", "runners", "runners"),
    _asyncio("stream", "streams", "streams"),
    _asyncio("subprocess", "subprocesses", "subprocess"),
    _asyncio("sync", "synchronization primitives", "locks"),
    _asyncio("task", "coroutines and tasks", "tasks", "taskgroups", "timeouts", "threads"),
    LibraryPage(
        "concurrent.futures",
        "concurrent.futures",
        tuple(Part(f"concurrent.futures{end}", "concurrent.futures") for end in ("", "._base", ".thread", ".process")),
    ),
    _page("collections.abc", "_collections_abc", shown_as="collections.abc"),
    _page("ctypes", "ctypes", "ctypes.util"),
    _page("curses", "curses", "curses.textpad"),
    _page("dbm", "dbm", "dbm.dumb", "dbm.gnu", "dbm.ndbm", "dbm.sqlite3"),
    _page("codecs", "codecs", "encodings", "encodings.idna", "encodings.utf_8_sig"),
    _page("dialog", "tkinter.simpledialog", "tkinter.filedialog", "tkinter.commondialog", name="Tkinter dialogs"),
    _page(
        "email.mime",
        *(f"email.mime.{kind}" for kind in ("base", "multipart", "nonmultipart", "application")),
        *(f"email.mime.{kind}" for kind in ("audio", "image", "message", "text")),
        name="email.mime",
    ),
    _page("importlib", "importlib", "importlib.abc", "importlib.machinery", "importlib.util"),
    LibraryPage(
        "multiprocessing",
        "multiprocessing",
        (
            *(Part(f"multiprocessing{end}", "multiprocessing") for end in ("", ".context", ".process")),
            *(Part(f"multiprocessing.{name}", f"multiprocessing.{name}") for name in ("pool", "managers")),
            *(Part(f"multiprocessing.{name}", f"multiprocessing.{name}") for name in ("connection", "sharedctypes")),
        ),
    ),
    LibraryPage("os.path", "os.path", (Part("posixpath", "os.path"), Part("genericpath", "os.path"))),
    LibraryPage("posix", "posix", (Part("posix", "posix", with_names=False),)),
    _page("profile", "profile", "cProfile", "pstats", name="profile, cProfile and pstats"),
    _page("pyexpat", "xml.parsers.expat", "pyexpat", shown_as="xml.parsers.expat"),
    _page("sqlite3", "sqlite3", "sqlite3.dbapi2", shown_as="sqlite3"),
    _page("urllib.request", "urllib.request", "urllib.response"),
    LibraryPage(
        "wsgiref",
        "wsgiref",
        tuple(
            Part(f"wsgiref{end}", f"wsgiref{end}")
            for end in ("", ".util", ".headers", ".simple_server", ".validate", ".handlers")
        ),
    ),
    _page("xml.sax.reader", "xml.sax.xmlreader"),
    _page("xml.sax.utils", "xml.sax.saxutils"),
)

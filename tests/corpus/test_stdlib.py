"""The library reference made from the running interpreter: complete, addressable, harmless to make."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.corpus.materials import Material
from app.corpus.python_names import PythonLibrary
from app.corpus.stdlib import stdlib_materials

HOW_TO = {
    "json": "json.load",
    "argparse": "argparse.ArgumentParser",
    "subprocess": "subprocess.run",
    "datetime": "datetime.datetime",
    "os": "os.walk",
    "re": "re.Match",
    "tempfile": "tempfile.NamedTemporaryFile",
    "hashlib": "hashlib.sha256",
    "csv": "csv.reader",
    "zipfile": "zipfile.ZipFile",
    "threading": "threading.Thread",
    "random": "random.choice",
    "copy": "copy.deepcopy",
    "urllib.parse": "urllib.parse.quote",
    "sqlite3": "sqlite3.connect",
    "dataclasses": "dataclasses.field",
    "functools": "functools.lru_cache",
    "collections": "collections.Counter",
    "collections.abc": "collections.abc.Mapping",
    "concurrent.futures": "concurrent.futures.ThreadPoolExecutor",
    "asyncio-task": "asyncio.gather",
    "os.path": "os.path.join",
    "pathlib": "pathlib.Path",
    "itertools": "itertools.chain",
    "decimal": "decimal.Decimal",
    "functions": "sorted",
    "stdtypes": "str.join",
    "exceptions": "KeyError",
    "xml.etree.elementtree": "xml.etree.ElementTree.parse",
    "multiprocessing": "multiprocessing.pool.Pool",
    "logging.handlers": "logging.handlers.RotatingFileHandler",
}


@pytest.fixture(scope="module")
def pages() -> dict[str, Material]:
    return {material.origin.removesuffix(".md"): material for material in stdlib_materials()}


@pytest.mark.parametrize(("page", "name"), HOW_TO.items())
def test_each_public_name_is_a_heading_that_links_to_its_anchor(
    page: str, name: str, pages: dict[str, Material]
) -> None:
    assert pages[page].uri == f"https://docs.python.org/3/library/{page}.html"
    text = pages[page].data.decode("utf-8")
    assert re.search(
        rf"^#+ \[{re.escape(name)}\]\({re.escape(pages[page].uri)}#{re.escape(name)}\)$", text, re.MULTILINE
    )


def test_signatures_stand_as_code_without_the_bound_parameter(pages: dict[str, Material]) -> None:
    text = pages["json"].data.decode("utf-8")
    assert "```python\njson.loads(s, *, cls=None, object_hook=None," in text
    assert "```python\njson.JSONDecoder.decode(s" in text


def test_no_two_pages_share_an_address_and_none_is_empty(pages: dict[str, Material]) -> None:
    assert len({page.uri for page in pages.values()}) == len(pages) > 200
    assert [name for name, page in pages.items() if len(page.data.splitlines()) < 2] == []


@pytest.mark.parametrize("module", ["antigravity", "this", "idlelib", "test", "cgi", "_io", "msvcrt", "nt"])
def test_games_tests_private_and_foreign_modules_have_no_page(module: str, pages: dict[str, Material]) -> None:
    assert module not in pages


def test_a_second_run_yields_the_same_bytes(pages: dict[str, Material]) -> None:
    again = {material.origin.removesuffix(".md"): material.data for material in stdlib_materials()}
    assert again == {name: page.data for name, page in pages.items()}


def test_no_page_holds_a_value_that_differs_from_run_to_run(pages: dict[str, Material]) -> None:
    for name, page in pages.items():
        code = re.findall(r"^```python\n(.*?)\n```$", page.data.decode("utf-8"), re.MULTILINE | re.DOTALL)
        signatures = [block for block in code if not block.startswith(">>>")]
        assert [line for line in signatures if re.search(r"<\w+ object at 0x", line) and name != "turtle"] == []


def test_making_it_prints_nothing_opens_nothing_and_imports_no_module_with_effects() -> None:
    script = (
        "import sys\n"
        "from app.corpus.stdlib import stdlib_materials\n"
        "n = sum(1 for _ in stdlib_materials())\n"
        "loud = {'antigravity', 'this', 'idlelib', 'tkinter', 'turtle', 'webbrowser', 'readline'} & set(sys.modules)\n"
        "assert n > 200 and not loud, (n, loud)\n"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, cwd=root, capture_output=True, timeout=100, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_library_without_some_modules_still_yields_the_others(tmp_path: Path) -> None:
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "__init__.py").write_text('"""Words."""\n__all__ = ["x"]\ndef x(a, b=_no):\n    "Do."\n')
    library = PythonLibrary(tmp_path)
    told = library.module("json")
    assert told is not None
    assert [(name.name, name.signature, name.docstring) for name in told.names] == [("x", "(a, b=…)", "Do.")]
    assert library.module("tkinter") is None


def test_names_are_followed_to_where_they_are_defined(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from .till import *\nfrom .till import Till as Register\n"
        "__all__ = till.__all__ + ('Register', 'pay', 'missing')\n_till = Till()\npay = _till.pay\n"
    )
    (package / "till.py").write_text(
        '__all__ = ["Till"]\nclass Till:\n    "A till."\n    def pay(self, sum, /, *, tip=0):\n        "Pay."\n'
    )
    told = PythonLibrary(tmp_path).module("shop")
    assert told is not None
    assert [name.name for name in told.names] == ["Till", "Register", "pay"]
    assert told.names[2].signature == "(sum, /, *, tip=0)"
    assert told.names[1].docstring == "A till."

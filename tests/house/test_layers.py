"""The floors of docs/architecture.md as a table: an arrow only points down, and there are no circles."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FLOORS: dict[str, int] = {
    "domain": 1,
    "telemetry": 1,
    "settings": 1,
    "resources": 1,
    "knowledge": 2,
    "storage": 2,
    "identity": 2,
    "answering": 3,
    "mcp": 3,
    "chat": 4,
    "corpus": 4,
    "services": 5,
    "bootstrap": 6,
    "web": 6,
    "main": 7,
    "cli": 8,
    "__main__": 9,
}
# On one floor wings do not know each other; these may, since `domain` holds the words that all speak.
BESIDE = {("settings", "domain"), ("telemetry", "domain")}
# Wings that only these may know.
KNOWN_TO = {
    "bootstrap": {"main", "cli"},
    "settings": {"bootstrap", "main", "cli"},
    "storage": {"chat", "corpus", "bootstrap"},
    "corpus": {"bootstrap", "cli"},
    "mcp": {"bootstrap", "web"},
    "web": {"main", "cli"},
}
# Libraries, and the only parts of the app that may name them.
ONLY_IN = {
    "fastapi": ("app.web", "app.main"),
    "starlette": ("app.web", "app.main"),
    "jinja2": ("app.web",),
    "sse_starlette": ("app.web",),
    "nh3": ("app.web",),
    "sqlalchemy": ("app.storage",),
    "alembic": ("app.storage",),
    "aiosqlite": ("app.storage",),
    "sqlite3": ("app.storage",),
    "psycopg": ("app.storage",),
    "tantivy": ("app.corpus.index",),
    "pydantic_settings": ("app.settings",),
    "typer": ("app.cli",),
    "rich": ("app.cli",),
    "uvicorn": ("app.cli",),
}
# Never, but where the reason stands beside it.
FOR_A_REASON = {("app.web.assets", "subprocess")}  # fetches the htmx package with npm where the CDN is out of reach
NEVER = {"pickle", "marshal", "shelve", "subprocess", "mistune", "litellm", "jose"}


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted((ROOT / "app").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """Every module that the file names in an import, late and type-only imports included."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_imports(path: Path) -> set[str]:
    known = modules()
    found = set()
    for name in imported(path):
        module = name
        while module.startswith("app.") and module not in known:
            module = module.rpartition(".")[0]
        if module.startswith("app."):
            found.add(module)
    return found


def wing(module: str) -> str:
    return module.split(".")[1]


MODULES = [name for name in modules() if name != "app"]


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down_only(module: str) -> None:
    here = wing(module)
    for name in own_imports(modules()[module]):
        there = wing(name)
        if here == there or (here, there) in BESIDE:
            continue
        assert FLOORS[there] < FLOORS[here], f"{module} imports {name}, which is not below it"
        assert here in KNOWN_TO.get(there, {here}), f"{module} imports {name}, which it should not know"


def test_every_wing_has_a_floor() -> None:
    assert {wing(module) for module in MODULES} <= set(FLOORS)


def test_no_module_is_part_of_a_circle() -> None:
    arrows = {name: own_imports(path) - {name} for name, path in modules().items()}
    done: set[str] = set()

    def walk(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"circle: {' -> '.join((*trail[trail.index(name) :], name))}"
        if name not in done:
            for target in sorted(arrows[name]):
                walk(target, (*trail, name))
            done.add(name)

    for name in arrows:
        walk(name, ())


@pytest.mark.parametrize("module", MODULES)
def test_libraries_are_named_only_where_they_belong(module: str) -> None:
    for name in imported(modules()[module]):
        library = name.split(".")[0]
        assert library not in NEVER or (module, library) in FOR_A_REASON, f"{module} imports {library}"
        allowed = ONLY_IN.get(library)
        assert allowed is None or module.startswith(allowed), f"{module} imports {library}, which belongs in {allowed}"


@pytest.mark.parametrize("module", [name for name in MODULES if wing(name) == "domain"])
def test_the_domain_knows_the_standard_library_and_itself(module: str) -> None:
    for name in imported(modules()[module]):
        first = name.split(".")[0]
        assert first in sys.stdlib_module_names or name.startswith("app.domain"), f"{module} imports {name}"


@pytest.mark.parametrize("module", MODULES)
def test_the_environment_is_read_in_settings_alone(module: str) -> None:
    if wing(module) == "settings":
        return
    for node in ast.walk(tree(modules()[module])):
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("environ", "getenv", "environb"), f"{module}:{node.lineno}"


@pytest.mark.parametrize("module", MODULES)
def test_no_text_is_run_as_code_or_as_a_template(module: str) -> None:
    for node in ast.walk(tree(modules()[module])):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            assert name not in ("eval", "exec", "compile", "__import__", "yaml.load", "os.system"), (
                f"{module}:{node.lineno} calls {name}"
            )
            assert not name.endswith((".from_string", "jinja2.Template")), f"{module}:{node.lineno} calls {name}"

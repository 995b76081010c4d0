"""The Python library reference made from the running interpreter: one Markdown page a public module. Not its index."""

import builtins
from collections.abc import Iterator

from app.corpus.docstrings import first_sentence, markdown
from app.corpus.materials import Material
from app.corpus.python_names import ModuleText, PublicName, PythonLibrary
from app.corpus.python_pages import LibraryPage, Part, library_pages

LANGUAGE = "en"
# What the page "Built-in types" tells of; the other built-in classes stand among the functions.
SIMPLE_TYPES = (bool, bytearray, bytes, complex, float, int, memoryview, object, str)
CONTAINER_TYPES = (dict, frozenset, list, range, set, slice, tuple)
TYPE_NAMES = frozenset(kind.__name__ for kind in (*SIMPLE_TYPES, *CONTAINER_TYPES))


def stdlib_materials() -> Iterator[Material]:
    """Every page, one after the other, in the order of their addresses; the same at each call on one interpreter."""
    library = PythonLibrary()
    yield from _built_in(library)
    for page in library_pages():
        told = [(part, text) for part in page.parts if (text := library.module(part.module)) is not None]
        content = _content(page, told)
        if content:
            yield _material(page, content, next((text.docstring for _, text in told if text.docstring), ""))


def _built_in(library: PythonLibrary) -> Iterator[Material]:
    """The built-in names, which the reference spreads over three pages."""
    module = library.module("builtins")
    if module is None:
        return
    errors = tuple(name for name in module.names if _is_error(name))
    types = tuple(name for name in module.names if name.name in TYPE_NAMES)
    functions = tuple(name for name in module.names if name not in errors and name not in types)
    for stem, title, names in (
        ("functions", "Built-in functions", functions),
        ("stdtypes", "Built-in types", types),
        ("exceptions", "Built-in exceptions", errors),
    ):
        part = Part("builtins", "")
        page = LibraryPage(stem, title, (part,))
        yield _material(page, _content(page, [(part, ModuleText("", names))]), f"{title} of Python.")


def _is_error(name: PublicName) -> bool:
    thing = getattr(builtins, name.name, None)
    return isinstance(thing, type) and issubclass(thing, BaseException)


def _material(page: LibraryPage, content: str, docstring: str) -> Material:
    return Material(
        origin=f"{page.stem}.md",
        uri=page.uri,
        data=content.encode("utf-8", "replace"),
        file_name=f"{page.stem}.md",
        title=page.title,
        language=LANGUAGE,
        description=first_sentence(docstring),
    )


def _content(page: LibraryPage, told: list[tuple[Part, ModuleText]]) -> str:
    """The page as Markdown; empty where there is nothing to read on it."""
    blocks: list[str] = []
    seen: set[str] = set()
    for part, text in told:
        blocks.extend(_part(page, part, text, seen))
    return "\n\n".join((f"# {page.title}", *blocks)) + "\n" if blocks else ""


def _part(page: LibraryPage, part: Part, text: ModuleText, seen: set[str]) -> Iterator[str]:
    """A module's own words first, then its names; a name that an earlier part has told is not told again."""
    if text.docstring:
        if part.shown_as != page.name and part.shown_as != page.parts[0].shown_as:
            yield f"## {part.shown_as}"
        yield markdown(text.docstring, level=2)
    bare: list[str] = []
    for name in text.names if part.with_names else ():
        full = f"{part.shown_as}.{name.name}" if part.shown_as else name.name
        if full in seen:
            continue
        seen.add(full)
        if name.docstring or any(member.docstring for member in name.members):
            yield from _section(page, full, name, level=2)
            bare += [f"{full}.{member.name}{member.signature}" for member in name.members if not member.docstring]
        elif name.signature or name.is_class:
            bare.append(full + name.signature)
    if bare:
        yield f"## More of {part.shown_as or page.name}\n\n{_listed(bare)}"


def _section(page: LibraryPage, full: str, name: PublicName, *, level: int) -> Iterator[str]:
    yield f"{'#' * level} [{full}]({page.uri}#{full})"
    if name.signature:
        yield f"```python\n{'class ' if name.is_class else ''}{full}{name.signature}\n```"
    if name.docstring:
        yield markdown(name.docstring, level=level)
    for member in name.members:
        if member.docstring:
            yield from _section(page, f"{full}.{member.name}", member, level=level + 1)


def _listed(calls: list[str]) -> str:
    return "\n".join(f"- `{call}`" for call in calls)

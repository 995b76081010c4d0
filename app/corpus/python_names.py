"""The public names of standard library modules with signature and docstring. Not how a page shows them.

Modules written in Python are read, not imported: importing some of them opens windows or browsers, or prints. Modules
written in C are imported, which does nothing but make their docstrings readable; so are the few of `LOADED`, which the
app has loaded anyway.
"""

import ast
import importlib.util
import inspect
import re
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType

LOADED = frozenset({"builtins", "enum", "hashlib", "logging", "random", "re", "types", "typing", "uuid"})
TELLING = 80  # characters: a shorter docstring of `__init__` says only that it initializes
LONGEST_DEFAULT = 40  # characters of a default value in a signature; longer ones become an ellipsis
ELLIPSIS = "…"
PARSED_AT_HAND = 12  # a module and those that it takes names from; all at once would take some hundred MB

_LEADING_CALL = re.compile(r"(?:[\w.]+\([^\n]*\)|[\w.]+\([^)]*\))(?:\s*->\s*[^\n]*)?\s*(?:\n|$)")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class PublicName:
    """One public name. `signature` is empty for what cannot be called; `members` are a class's own public names."""

    name: str
    signature: str = ""
    docstring: str = ""
    is_class: bool = False
    members: tuple["PublicName", ...] = ()


@dataclass(frozen=True, slots=True)
class ModuleText:
    """A module's docstring and its public names, in the order of their declaration."""

    docstring: str
    names: tuple[PublicName, ...]


class PythonLibrary:
    """The library of the running interpreter; `folder` is where its source lies. Few parsed files are kept at hand."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(sysconfig.get_path("stdlib"))
        self._source = lru_cache(maxsize=PARSED_AT_HAND)(self._parsed)

    def module(self, name: str) -> ModuleText | None:
        """The module's text; None where this machine has no such module."""
        source = self._source(name)
        if source is None:
            loaded = _loaded(name)
            return None if loaded is None else ModuleText(_docstring(loaded), tuple(_public_names(loaded)))
        found: list[PublicName] = []
        for public in self._exports(name, source):
            known = self._lookup(name, public)
            if known is not None:
                found.append(known)
        return ModuleText(self._own_words(name, source), tuple(found))

    def _own_words(self, module: str, source: ast.Module) -> str:
        """The module's docstring, which some take from their C half and some assign."""
        for node in _statements(source.body):
            if isinstance(node, ast.ImportFrom) and any(alias.name == "__doc__" for alias in node.names):
                half = _loaded(_imported_from(module, node, self._is_package(module)))
                if half is not None and _docstring(half):
                    return _docstring(half)
        match _assigned(source, "__doc__"):
            case ast.Constant(value=str() as text):
                return inspect.cleandoc(text)
        return ast.get_docstring(source) or ""

    def _parsed(self, name: str) -> ast.Module | None:
        path = self._folder.joinpath(*name.split("."))
        files = (path / "__init__.py", path.with_name(f"{path.name}.py"))
        file = next((file for file in files if file.is_file()), None)
        return None if file is None else ast.parse(file.read_bytes())

    def _exports(self, module: str, source: ast.Module, *, depth: int = 0) -> Sequence[str]:
        """The module's public names: what `__all__` lists, as far as it can be read; else what it defines."""
        names: dict[str, None] = {}
        declared = False
        for node in _statements(source.body):
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                    | ast.AugAssign(target=ast.Name(id="__all__"), value=value)
                ):
                    names.update(dict.fromkeys(self._listed(module, source, value, depth)))
                    declared = bool(names)  # a comprehension over the module's names lists none that can be read
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"), attr=how), args=[argument])
                ):
                    value = argument if how == "extend" else ast.List(elts=[argument])
                    names.update(dict.fromkeys(self._listed(module, source, value, depth)))
                case ast.ImportFrom(names=[ast.alias(name="__all__")]) if depth < 3:
                    origin = _imported_from(module, node, self._is_package(module))
                    if (other := self._source(origin)) is not None:
                        declared = True
                        names.update(dict.fromkeys(self._exports(origin, other, depth=depth + 1)))
        if not declared:
            names.update((node.name, None) for node in _definitions(source))
            names.update(self._imported_privately(source))
        for star in _star_imports(source):
            origin = _imported_from(module, star, self._is_package(module))
            if self._source(origin) is None and (loaded := _loaded(origin)) is not None:
                names.update((public.name, None) for public in _public_names(loaded))
            elif not declared and depth < 3 and (other := self._source(origin)) is not None:
                names.update(dict.fromkeys(self._exports(origin, other, depth=depth + 1)))
        return [name for name in names if not name.startswith("_")]

    def _imported_privately(self, source: ast.Module) -> Iterator[tuple[str, None]]:
        """Names taken from the C half of a module, as `ssl` takes MemoryBIO from `_ssl`."""
        for node in _statements(source.body):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("_") and node.level == 0:
                yield from ((alias.asname or alias.name, None) for alias in node.names if alias.name != "*")

    def _listed(self, module: str, source: ast.Module, value: ast.expr, depth: int) -> Iterator[str]:
        """The texts of a list, of a sum of lists, of a variable that holds one, of another module's `__all__`."""
        match value:
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                for element in elements:
                    if isinstance(element, ast.Constant) and isinstance(element.value, str):
                        yield element.value
                    elif isinstance(element, ast.Starred):
                        yield from self._listed(module, source, element.value, depth)
            case ast.BinOp(left=left, right=right):
                yield from self._listed(module, source, left, depth)
                yield from self._listed(module, source, right, depth)
            case ast.Name(id=variable):
                if (assigned := _assigned(source, variable)) is not None and depth < 5:
                    yield from self._listed(module, source, assigned, depth + 1)
            case ast.Attribute(value=ast.Name(id=sibling), attr="__all__"):
                origin = f"{module}.{sibling}"
                if (other := self._source(origin)) is not None and depth < 3:
                    yield from self._exports(origin, other, depth=depth + 1)

    def _lookup(self, module: str, name: str, *, depth: int = 0) -> PublicName | None:
        """What the name stands for: defined here, taken from elsewhere, or another name for one of both."""
        source = self._source(module)
        if source is None:
            loaded = _loaded(module)
            thing = getattr(loaded, name, None) if loaded is not None else None
            return None if thing is None else _of_object(name, thing)
        if depth > 6:
            return None
        defined = [node for node in _definitions(source) if node.name == name]
        if defined:
            best = next((node for node in defined if ast.get_docstring(node)), defined[0])
            return _of_definition(best)
        return (
            self._taken(module, source, name, depth)
            or self._renamed(module, source, name, depth)
            or self._live(module, name)
        )

    def _taken(self, module: str, source: ast.Module, name: str, depth: int) -> PublicName | None:
        package = self._is_package(module)
        for node in _statements(source.body):
            if not isinstance(node, ast.ImportFrom):
                continue
            for alias in node.names:
                if (alias.asname or alias.name) == name or alias.name == "*":
                    original = name if alias.name == "*" else alias.name
                    found = self._lookup(_imported_from(module, node, package), original, depth=depth + 1)
                    if found is not None:
                        return _renamed(found, name)
        return None

    def _renamed(self, module: str, source: ast.Module, name: str, depth: int) -> PublicName | None:
        """`encode = other_encode`, and `choice = _inst.choice` where `_inst = Random()`."""
        match _assigned(source, name):
            case ast.Name(id=original) if original != name:
                found = self._lookup(module, original, depth=depth + 1)
                return None if found is None else _renamed(found, name)
            case ast.Attribute(value=ast.Name(id=holder), attr=method):
                made = _assigned(source, holder)
                if isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
                    owner = self._lookup(module, made.func.id, depth=depth + 1)
                    members = owner.members if owner else ()
                    return next((_renamed(member, name) for member in members if member.name == method), None)
        return None

    def _live(self, module: str, name: str) -> PublicName | None:
        if module not in LOADED:
            return None
        thing = getattr(importlib.import_module(module), name, None)
        return _of_object(name, thing) if callable(thing) else None

    def _is_package(self, module: str) -> bool:
        return self._folder.joinpath(*module.split("."), "__init__.py").is_file()


# --- from source -----------------------------------------------------------------------------------------------------


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """A module's statements, those under `if`, `try` and `with` too."""
    for node in body:
        yield node
        match node:
            case ast.If() | ast.With():
                yield from _statements(node.body)
                yield from _statements(getattr(node, "orelse", []))
            case ast.Try():
                for part in (node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody):
                    yield from _statements(part)


def _definitions(source: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    for node in _statements(source.body):
        if isinstance(node, Definition) and "overload" not in _decorators(node):
            yield node


def _star_imports(source: ast.Module) -> Iterator[ast.ImportFrom]:
    for node in _statements(source.body):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            yield node


def _assigned(source: ast.Module, name: str) -> ast.expr | None:
    """The first value that the module gives to the name."""
    for node in _statements(source.body):
        match node:
            case ast.Assign(targets=targets, value=value):
                if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                    return value
            case ast.AnnAssign(target=ast.Name(id=target_name), value=ast.expr() as value) if target_name == name:
                return value
    return None


def _imported_from(module: str, node: ast.ImportFrom, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    steps = module.split(".")
    kept = len(steps) - node.level + is_package
    return ".".join((*steps[:kept], *filter(None, [node.module])))


def _of_definition(node: Definition) -> PublicName:
    docstring = ast.get_docstring(node) or ""
    if not isinstance(node, ast.ClassDef):
        return PublicName(node.name, "" if _is_value(node) else _signature_of(node), docstring)
    methods = {method.name: method for method in reversed([*_definitions(node)])}
    maker = next((methods[name] for name in ("__init__", "__new__") if name in methods), None)
    signature = (
        f"({_arguments(maker, bound=True)})" if maker is not None and not isinstance(maker, ast.ClassDef) else ""
    )
    made = ast.get_docstring(maker) or "" if maker is not None else ""
    if not docstring or len(made) > TELLING:
        docstring = f"{docstring}\n\n{made}".strip()
    members = tuple(_of_definition(method) for method in reversed([*methods.values()]) if not _hidden(method))
    return PublicName(node.name, signature, docstring, True, members)


def _hidden(node: Definition) -> bool:
    return node.name.startswith("_") or isinstance(node, ast.ClassDef)


def _is_value(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A property, or one of typing's special forms: written as a function, used as a value."""
    return any(how.endswith(("property", "setter", "SpecialForm")) for how in _decorators(node))


def _signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    first = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    bound = first is not None and first.arg in ("self", "cls") and "staticmethod" not in _decorators(node)
    return f"({_arguments(node, bound=bound)})"


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef, *, bound: bool) -> str:
    """The parameters without annotations, the first one dropped where it is bound."""
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    annotations = [argument.annotation for argument in every]
    for argument in every:
        argument.annotation = None
    plain = ast.arguments(
        posonlyargs=given.posonlyargs[1:] if bound and given.posonlyargs else given.posonlyargs,
        args=given.args[1:] if bound and not given.posonlyargs else given.args,
        vararg=given.vararg,
        kwonlyargs=given.kwonlyargs,
        kw_defaults=[None if default is None else _shortened(default) for default in given.kw_defaults],
        kwarg=given.kwarg,
        defaults=[_shortened(default) for default in given.defaults],
    )
    while plain.args and plain.defaults and plain.args[-1].arg.startswith("_"):  # kept for speed, not for callers
        plain.args.pop()
        plain.defaults.pop()
    left = len(plain.posonlyargs) + len(plain.args)
    plain.defaults = plain.defaults[-left:] if left else []
    text = ast.unparse(plain)
    for argument, annotation in zip(every, annotations, strict=True):
        argument.annotation = annotation
    return text


def _shortened(default: ast.expr) -> ast.expr:
    """Private markers and long expressions say nothing to a reader."""
    text = ast.unparse(default)
    if len(text) > LONGEST_DEFAULT or (isinstance(default, ast.Name) and text.startswith("_")):
        return ast.Name(id=ELLIPSIS)
    return default


def _decorators(node: Definition) -> tuple[str, ...]:
    return tuple(ast.unparse(how) for how in node.decorator_list)


# --- from objects ----------------------------------------------------------------------------------------------------


def _loaded(name: str) -> ModuleType | None:
    """A module written in C; None where it is not there, is written in Python, or is none of the library's own."""
    spec = importlib.util.find_spec(name) if name in sys.stdlib_module_names else None
    if spec is None or not (spec.origin == "built-in" or isinstance(spec.loader, ExtensionFileLoader)):
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _public_names(module: ModuleType) -> Iterator[PublicName]:
    for name, thing in sorted(vars(module).items()):
        foreign = isinstance(thing, ModuleType) or type(thing).__module__ == "_sitebuiltins"
        if not name.startswith("_") and callable(thing) and not foreign:
            yield _of_object(name, thing)


def _of_object(name: str, thing: object) -> PublicName:
    docstring, signature = _docstring(thing), _signature(thing)
    if not signature and (call := _LEADING_CALL.match(docstring)) and not _LEADING_CALL.match(docstring, call.end()):
        signature = " ".join(call[0][call[0].index("(") :].split())
        docstring = docstring[call.end() :].strip()
        if isinstance(thing, type):
            signature = signature.partition(" ->")[0]
    if not isinstance(thing, type):
        return PublicName(name, signature if callable(thing) else "", docstring if callable(thing) else "")
    members = (
        _of_object(member, value)
        for member, value in vars(thing).items()
        if not member.startswith("_") and (callable(value) or isinstance(value, staticmethod | classmethod))
    )
    return PublicName(name, signature, docstring, True, tuple(sorted(members, key=lambda member: member.name)))


def _docstring(thing: object) -> str:
    text = getattr(thing, "__doc__", None)
    return inspect.cleandoc(text) if isinstance(text, str) else ""


def _signature(thing: object) -> str:
    """The signature as C code declares it, the bound parameter dropped. It is text: nothing in it is evaluated."""
    text = getattr(thing, "__text_signature__", None)
    if not callable(thing) or not isinstance(text, str):
        return ""
    text = re.sub(r"^\((?:\$\w+|self|cls)(?:,\s*/)?(?:,\s*|(?=\)))", "(", text)
    return re.sub(r"<[^<>]*>", ELLIPSIS, " ".join(text.split()))


def _renamed(found: PublicName, name: str) -> PublicName:
    return PublicName(name, found.signature, found.docstring, found.is_class, found.members)

"""The style files keep their own rules: layers, tokens in two steps, contrast, directions, names that are used."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STYLES = ROOT / "static" / "css"
SCHEMES = (0, 1)  # light, dark
LAYERS = {
    "tokens.css": "tokens",
    "base.css": "base",
    "layout.css": "layout",
    "components": "components",
    "screens": "screens",
    "media.css": "media",
}
FILES = sorted(path for path in STYLES.rglob("*.css") if path.name != "order.css")


def name_of(path: Path) -> str:
    return str(path.relative_to(STYLES))


def rules_of(path: Path) -> str:
    return re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def layer_of(path: Path) -> str:
    return LAYERS[path.relative_to(STYLES).parts[0]]


# --- tokens -----------------------------------------------------------------------------------------------------------


def tokens() -> dict[str, str]:
    return dict(re.findall(r"(--[\w-]+):\s*([^;]+);", rules_of(STYLES / "tokens.css")))


def paints() -> frozenset[str]:
    """Step one: names with a plain colour."""
    return frozenset(name for name, value in tokens().items() if value.startswith("#"))


def colour(purpose: str, scheme: int) -> tuple[float, float, float]:
    """A purpose's colour in a scheme, as red, green and blue from 0 to 1."""
    found = re.fullmatch(r"light-dark\(var\((--[\w-]+)\), var\((--[\w-]+)\)\)", tokens()[purpose])
    assert found, purpose
    digits = tokens()[found[scheme + 1]].removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return red, green, blue


def contrast(one: str, other: str, scheme: int) -> float:
    """As WCAG 2.2 defines it: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""

    def luminance(purpose: str) -> float:
        linear = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour(purpose, scheme)
        )
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


GROUNDS = ("--page", "--raised", "--sunk")
READ = ("--text", "--quiet", "--accent", "--accent-strong", "--doubt", "--danger")
PAIRS = [*product(READ, GROUNDS), ("--text", "--marker"), ("--text", "--accent-wash"), ("--on-accent", "--accent")]
PAIRS += [("--page", "--text"), ("--on-accent", "--accent-strong")]


@pytest.mark.parametrize("scheme", SCHEMES, ids=("light", "dark"))
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_text_can_be_read_on_every_ground(one: str, other: str, scheme: int) -> None:
    assert contrast(one, other, scheme) >= 7


@pytest.mark.parametrize("scheme", SCHEMES, ids=("light", "dark"))
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("edge", ["--edge", "--marker-edge"])
def test_edges_of_what_can_be_used_are_seen(edge: str, ground: str, scheme: int) -> None:
    assert contrast(edge, ground, scheme) >= 3


def test_components_name_purposes_and_never_paints() -> None:
    found = {
        (name_of(path), used)
        for path in FILES
        if path.name != "tokens.css"
        for used in re.findall(r"var\((--[\w-]+)", rules_of(path))
        if used in paints()
    }
    assert found == set()


def test_colours_stand_in_the_tokens_alone() -> None:
    found = {
        (name_of(path), value)
        for path in FILES
        if path.name != "tokens.css"
        for value in re.findall(
            r"#[0-9a-fA-F]{3,8}\b(?=[;\s)])|\brgba?\([^)]*\)|\bhsl[^;]*|\boklch[^;]*", rules_of(path)
        )
        if (name_of(path), value) != ("media.css", "#fff")  # paper is white
    }
    assert found == set()


def test_every_token_that_is_used_is_there_and_every_purpose_is_used() -> None:
    everything = "".join(rules_of(path) for path in FILES)
    used = set(re.findall(r"var\((--[\w-]+)", everything))
    defined = set(re.findall(r"(--[\w-]+):", everything))
    assert used - defined == set()
    assert set(tokens()) - used == set()


# --- layers and directions --------------------------------------------------------------------------------------------


def test_one_line_orders_the_layers() -> None:
    line = rules_of(STYLES / "order.css").strip()
    assert line == f"@layer {', '.join(dict.fromkeys(LAYERS.values()))};"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_lies_whole_in_its_layer(path: Path) -> None:
    rules = rules_of(path).strip()
    assert rules.startswith(f"@layer {layer_of(path)} {{")
    depth = 0
    for at, sign in enumerate(rules):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "}" and depth == 0:
            assert at == len(rules) - 1, "something stands behind the layer"
    assert depth == 0


PHYSICAL = re.compile(
    r"(?<![\w-])(?:(?:margin|padding|border)-(?:left|right|top|bottom)|left|right|bottom|width|height|"
    r"(?:min|max)-(?:width|height)|text-align:\s*(?:left|right)|float)\s*:"
)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_directions_follow_the_script_that_is_read(path: Path) -> None:
    """`top` is left out: an anchor is asked for its top. So are media queries, which know no other words."""
    rules = re.sub(r"@(?:media|container)[^{]*\{", "", rules_of(path))
    assert PHYSICAL.findall(rules) == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_is_fetched_by_a_style(path: Path) -> None:
    assert re.findall(r"url\(|@import|@font-face|image-set\(", rules_of(path)) == []


# --- names ------------------------------------------------------------------------------------------------------------


def style_classes() -> dict[str, str]:
    """Each class that has a style, with a file that says so."""
    found = {}
    for path in FILES:
        selectors = re.sub(r"\{[^{}]*\}", " ", rules_of(path))
        found |= dict.fromkeys(re.findall(r"\.([a-zA-Z][\w-]*)", re.sub(r'"[^"]*"', "", selectors)), name_of(path))
    return found


def used_texts() -> Iterator[str]:
    for folder, pattern in (
        ("templates", "*.html"),
        ("app/web", "*.py"),
        ("static/js", "*.js"),
        ("app/domain", "*.py"),
    ):
        for path in (ROOT / folder).rglob(pattern):
            yield path.read_text(encoding="utf-8")


def test_every_class_that_has_a_style_is_given_to_something() -> None:
    everything = "\n".join(used_texts())
    unused = {
        name: where for name, where in style_classes().items() if not re.search(rf"\b{re.escape(name)}\b", everything)
    }
    numbered = re.compile(r"[cn][1-5]")  # made of the citation's number
    assert {name: where for name, where in unused.items() if not numbered.fullmatch(name)} == {}


def test_every_class_in_a_template_has_a_style() -> None:
    known = style_classes()
    unknown: set[tuple[str, str]] = set()
    for path in (ROOT / "templates").rglob("*.html"):
        for given in re.findall(r'class="([^"]*)"', path.read_text(encoding="utf-8")):
            plain = re.sub(r"\S*\{\{.*?\}\}\S*", " ", re.sub(r"\{%.*?%\}", " ", given))
            unknown |= {(str(path.relative_to(ROOT)), name) for name in plain.split() if name not in known}
    hooks = {"ask-form", "blocks", "open"}  # named for readers of the markup
    assert {(path, name) for path, name in unknown if name not in hooks} == set()


def test_no_style_and_no_script_stands_in_a_template() -> None:
    """The content security policy would refuse them."""
    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"\sstyle=|<style|\son\w+=|javascript:|hx-on|hx-vals=.js", text) == [], path.name
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text)), path.name

"""Styles, scripts and htmx as they are served: joined, versioned, verified; and how htmx is fetched."""

import gzip
import io
import re
import sys
import tarfile
from pathlib import Path

import pytest

from app.domain.errors import SettingsError
from app.web.assets import HTMX, Assets, fetch, integrity_of, verified

STATIC = Path(__file__).parents[2] / "static"


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """A small static folder of every kind of file."""
    for name, text in {
        "css/order.css": "@layer tokens, base, components, media;",
        "css/tokens.css": "/* paints */ :root { --a: 1px; }",
        "css/base.css": "a { b: c; }",
        "css/layout.css": "d { e: f; }",
        "css/components/z.css": ".z {}",
        "css/components/a.css": ".a {}",
        "css/screens/s.css": ".s {}",
        "css/media.css": "@media print {}",
        "js/one.js": '// One.\nconst name = "one"; // kept\n',
        "js/two.js": "// Two.\nconst name = 2;\n",
        "mark.svg": "<svg/>",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_styles_are_joined_in_the_order_of_the_cascade_without_comments(static: Path) -> None:
    joined = Assets.load(static, "cdn", None).files["app.css"].content.decode()
    places = [joined.index(part) for part in ("@layer", ":root", "a { b", "d { e", ".a", ".z", ".s", "@media")]
    assert places == sorted(places)
    assert "paints" not in joined


def test_scripts_are_one_module_in_which_names_do_not_meet(static: Path) -> None:
    joined = Assets.load(static, "cdn", None).files["app.js"].content.decode()
    assert joined == '{\nconst name = "one"; // kept\n}\n{\nconst name = 2;\n}\n'


def test_the_version_changes_with_the_content_and_with_nothing_else(static: Path) -> None:
    first = Assets.load(static, "cdn", None).version
    assert Assets.load(static, "cdn", None).version == first
    (static / "css/base.css").write_text("a { b: d; }", encoding="utf-8")
    assert Assets.load(static, "cdn", None).version != first


def test_each_file_is_packed_once_and_unpacks_to_itself() -> None:
    for path, file in Assets.load(STATIC, "cdn", None).files.items():
        assert gzip.decompress(file.packed) == file.content, path
        assert file.kind.startswith(
            {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}[path[-3:].strip(".")]
        )


def test_own_styles_and_scripts_stay_small() -> None:
    """With htmx (17.6 kB) and a page (some 3 kB) a first load stays far below 60 kB."""
    files = Assets.load(STATIC, "cdn", None).files
    assert sum(len(file.packed) for file in files.values()) < 25_000


def test_every_own_style_file_is_in_the_joined_one() -> None:
    joined = Assets.load(STATIC, "cdn", None).files["app.css"].content.decode()
    for path in STATIC.rglob("*.css"):
        text = re.sub(r"\s*/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert text in joined, path.name


# --- local copies -----------------------------------------------------------------------------------------------------


def test_a_missing_copy_is_told_with_the_setting_and_the_mend(static: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as told:
        Assets.load(static, "local", tmp_path / "nowhere")
    assert told.value.setting == "FOOTNOTE_ASSETS"
    assert "htmx.min.js is missing" in told.value.problem
    assert told.value.mend == "Run: footnote assets"


def test_a_copy_that_was_changed_is_never_served(tmp_path: Path) -> None:
    for name in HTMX:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("alert(1)", encoding="utf-8")
    with pytest.raises(SettingsError, match="is not htmx"):
        verified(tmp_path)


def test_integrity_is_written_as_pages_need_it() -> None:
    """The value of an empty text, as https://www.w3.org/TR/SRI/ writes it."""
    assert integrity_of(b"") == "sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb"


# --- fetching ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing outside can be reached, and there are no programs but those in the folder that this returns."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens on the port of `discard`
    monkeypatch.setenv("PATH", str(programs))
    return programs


def npm_that_packs(programs: Path, contents: dict[str, bytes]) -> None:
    """A stand-in for the npm client that packs these files, as `npm pack` would have fetched them."""
    packed = programs / "packed.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    npm = programs / "npm"
    copy = f"import shutil; shutil.copy({str(packed)!r}, 'htmx.tgz')"
    npm.write_text(f"#!{sys.executable}\n{copy}\n", encoding="utf-8")
    npm.chmod(0o755)


def test_without_cdn_and_npm_the_operator_is_told_what_to_do(no_network: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as told:
        fetch(tmp_path / "assets")
    assert "neither from the CDN nor by npm" in told.value.problem
    assert "npm pack htmx.org@" in told.value.mend
    assert not (tmp_path / "assets").exists()


def test_files_that_are_not_the_published_ones_are_never_written(no_network: Path, tmp_path: Path) -> None:
    npm_that_packs(no_network, dict.fromkeys(HTMX, b"alert(1)"))
    with pytest.raises(SettingsError):
        fetch(tmp_path / "assets")
    assert not (tmp_path / "assets").exists()


def test_a_package_without_the_files_is_as_good_as_none(no_network: Path, tmp_path: Path) -> None:
    npm_that_packs(no_network, {"dist/other.js": b""})
    with pytest.raises(SettingsError):
        fetch(tmp_path / "assets")

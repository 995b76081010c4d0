"""Which files are taken, and which address each gets."""

import json
import os
from pathlib import Path

import pytest

from app.corpus.materials import Materials, materials_of
from app.domain.errors import CorpusError, ManifestInvalid, PathMissing

BASE = "https://docs.example.com/plant/"


def pages(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}\n\nText.\n", encoding="utf-8")
    return folder


def addresses(found: Materials) -> dict[str, str]:
    return {material.origin: material.uri for material in found.found}


def skipped(found: Materials) -> dict[str, str]:
    return {file.origin: file.reason for file in found.skipped}


def manifest_of(folder: Path, *lines: object) -> Path:
    file = folder / "manifest.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return file


def test_an_address_is_the_base_and_the_path_without_its_suffix(tmp_path: Path) -> None:
    folder = pages(tmp_path, "pump.md", "valves/inlet.mdx", "valves/outlet.HTML", "note.txt", "a.b.ipynb")
    assert addresses(materials_of([folder], collection="plant", base_uri=BASE)) == {
        "a.b.ipynb": BASE + "a.b",
        "note.txt": BASE + "note",
        "pump.md": BASE + "pump",
        "valves/inlet.mdx": BASE + "valves/inlet",
        "valves/outlet.HTML": BASE + "valves/outlet",
    }


def test_an_index_is_its_folder_and_comes_first(tmp_path: Path) -> None:
    folder = pages(tmp_path, "a.md", "README.md", "b/_index.md", "b/a.md", "c/INDEX.MD", "c/README.md")
    found = materials_of([folder], collection="plant", base_uri=BASE)
    assert list(addresses(found).items()) == [
        ("README.md", BASE.rstrip("/")),
        ("a.md", BASE + "a"),
        ("b/_index.md", BASE + "b"),
        ("b/a.md", BASE + "b/a"),
        ("c/INDEX.MD", BASE + "c"),
        ("c/README.md", BASE + "c"),
    ]


def test_without_a_base_the_address_is_one_of_ours(tmp_path: Path) -> None:
    folder = pages(tmp_path, "index.md", "deep/er.md")
    assert addresses(materials_of([folder], collection="Our plant", base_uri=None)) == {
        "index.md": "footnote://Our%20plant",
        "deep/er.md": "footnote://Our%20plant/deep/er",
    }


def test_a_path_is_percent_encoded_exactly_once(tmp_path: Path) -> None:
    folder = pages(tmp_path, "with spaces & ümlaut (1).md", "percent%2Fencoded.md", "q?#.md")
    assert set(addresses(materials_of([folder], collection="plant", base_uri=BASE)).values()) == {
        BASE + "with%20spaces%20&%20%C3%BCmlaut%20(1)",
        BASE + "percent%252Fencoded",
        BASE + "q%3F%23",
    }


def test_the_two_ways_to_write_an_accent_are_one_address(tmp_path: Path) -> None:
    apart = pages(tmp_path / "apart", "u\u0308ber.md")
    together = pages(tmp_path / "together", "\u00fcber.md")
    assert addresses(materials_of([apart], collection="c")) == addresses(materials_of([together], collection="c"))


def test_names_that_are_no_text_are_told_as_text(tmp_path: Path) -> None:
    folder = pages(tmp_path, "line\nbreak.md", "--help.md", "n" * 250 + ".md")
    (folder / os.fsdecode(b"caf\xe9.md")).write_text("# x\n\nText.", encoding="utf-8")
    found = addresses(materials_of([folder], collection="c"))
    assert found["caf\\xe9.md"] == "footnote://c/caf%E9"
    assert found["line\nbreak.md"] == "footnote://c/line%0Abreak"
    json.dumps(found).encode("utf-8")


def test_what_is_hidden_or_of_another_kind_is_passed_over(tmp_path: Path) -> None:
    folder = pages(tmp_path, "..hidden.md", ".git/config.md", "picture.png", "a.md")
    found = materials_of([folder], collection="c")
    assert list(addresses(found)) == ["a.md"]
    assert skipped(found) == {"..hidden.md": "is a hidden file"}


def test_links_lead_neither_out_nor_round_in_circles(tmp_path: Path) -> None:
    outside = pages(tmp_path / "outside", "secret.md")
    folder = pages(tmp_path / "folder", "a.md", "sub/b.md")
    (folder / "out.md").symlink_to(outside / "secret.md")
    (folder / "in.md").symlink_to("a.md")
    (folder / "self.md").symlink_to("self.md")
    (folder / "dangling.md").symlink_to("nowhere.md")
    (folder / "loop").symlink_to(".")
    (folder / "away").symlink_to(outside)
    found = materials_of([folder], collection="c")
    assert list(addresses(found)) == ["a.md", "sub/b.md"]
    assert skipped(found) == {
        "away": "is a link to a folder",
        "dangling.md": "is a link to nothing",
        "in.md": "is a link to a file that is taken by itself",
        "loop": "is a link to a folder",
        "out.md": "is a link that leaves the folder",
        "self.md": "is a link to nothing",
    }


def test_a_mounted_volume_of_links_into_its_hidden_folder_is_read(tmp_path: Path) -> None:
    folder = pages(tmp_path, "..2026_01_01/a.md")
    (folder / "..data").symlink_to("..2026_01_01")
    (folder / "a.md").symlink_to("..data/a.md")
    assert list(addresses(materials_of([folder], collection="c"))) == ["a.md"]


def test_only_regular_files_are_taken(tmp_path: Path) -> None:
    folder = pages(tmp_path, "a.md", "folder.md/inside.md")
    os.mkfifo(folder / "pipe.md")
    found = materials_of([folder], collection="c")
    assert list(addresses(found)) == ["a.md", "folder.md/inside.md"]
    assert skipped(found) == {"pipe.md": "is no regular file"}


def test_a_single_file_and_several_folders_can_be_given(tmp_path: Path) -> None:
    one, two = pages(tmp_path / "one", "a.md", "b.md"), pages(tmp_path / "two", "c.md")
    found = materials_of([one / "b.md", two], collection="c")
    assert addresses(found) == {"b.md": "footnote://c/b", "c.md": "footnote://c/c"}


def test_only_below_a_base_may_a_file_claim_its_own_address(tmp_path: Path) -> None:
    folder = pages(tmp_path, "a.md")
    manifest = manifest_of(tmp_path, {"path": "a.md", "uri": BASE + "a"})
    assert materials_of([folder], collection="c", base_uri=BASE).found[0].claims == "docs.example.com"
    assert materials_of([folder], collection="c").found[0].claims == ""
    assert materials_of([folder], collection="c", manifest=manifest).found[0].claims == ""


@pytest.mark.parametrize(
    "base", ["docs.example.com", "file:///docs", "https://", "https://a b/", "javascript:alert(1)"]
)
def test_a_base_that_is_no_address_is_refused(tmp_path: Path, base: str) -> None:
    with pytest.raises(CorpusError, match="https://"):
        materials_of([pages(tmp_path, "a.md")], collection="c", base_uri=base)


def test_a_path_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PathMissing, match="nowhere"):
        materials_of([tmp_path, tmp_path / "nowhere"], collection="c")
    with pytest.raises(PathMissing, match=r"none\.jsonl"):
        materials_of([tmp_path], collection="c", manifest=tmp_path / "none.jsonl")


def test_a_manifest_finds_its_files_with_and_without_the_sites_folder(tmp_path: Path) -> None:
    folder = pages(tmp_path / "docs", "site/a.md", "b.md", "unnamed.md")
    manifest = manifest_of(
        tmp_path,
        {"site": "site", "path": "a.md", "uri": "https://s.example/a?v=1", "title": " A\npage ", "lang": "de"},
        "",
        {"site": "other", "path": "b.md", "uri": "https://s.example/b", "title": 7, "bytes": 9, "more": None},
        {"path": "../manifest.jsonl", "uri": "https://s.example/out"},
        {"path": "/etc/hostname", "uri": "https://s.example/etc"},
        {"path": "gone.md", "uri": "https://s.example/gone"},
    )
    found = materials_of([folder], collection="c", manifest=manifest)
    assert addresses(found) == {"site/a.md": "https://s.example/a?v=1", "other/b.md": "https://s.example/b"}
    assert [(each.title, each.language) for each in found.found] == [("A page", "de"), ("", "")]
    assert set(skipped(found)) == {"../manifest.jsonl", "/etc/hostname", "gone.md"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("no json", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "needs path and uri"),
        ('{"path": "a.md"}', "needs path and uri"),
        ('{"path": "a.md", "uri": "file:///etc/passwd"}', "https://"),
        ('{"path": "a.md", "uri": "https://["}', "https://"),
        ('{"path": "a.md", "uri": "https://a b"}', "https://"),
        ('{"path": "a\\u0000.md", "uri": "https://a"}', "control characters"),
        ('{"path": "a.md", "uri": "https://a", "title": "\\ud800"}', "half of a character"),
        ('{"path": "a.md", "uri": "https://a", "lang": "an invented language"}', "lang"),
    ],
)
def test_a_wrong_line_of_a_manifest_is_told_by_its_number(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(ManifestInvalid, match=f"line 3.*{problem}"):
        materials_of([tmp_path], collection="c", manifest=manifest_of(tmp_path, "", "", line))


def test_a_manifest_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_bytes(b"\xff\xfe{\x00")
    with pytest.raises(ManifestInvalid, match="UTF-8"):
        materials_of([tmp_path], collection="c", manifest=tmp_path / "manifest.jsonl")

"""One file to one document: what it depends on, and whose word counts for its address."""

from pathlib import Path

import pytest

from app.corpus.materials import Material
from app.corpus.parsing import Parsed, Refused, Result, Same, Task, parse_all

PAGE = b"---\ntitle: From the file\ndescription: Said here\n---\n\n# Pump\n\nThe pump moves water to the tank.\n"
URI = "https://docs.example.com/pump"


def material(data: bytes = PAGE, **given: str) -> Material:
    return Material(**{"origin": "pump.md", "uri": URI, "file_name": "pump.md"} | given, data=data)


def parsed(given: Material, stored: frozenset[bytes] = frozenset(), collection: str = "docs") -> Result:
    (result,) = parse_all([Task(given, stored)], collection)
    return result


def digest(given: Material, collection: str = "docs") -> bytes:
    result = parsed(given, collection=collection)
    assert isinstance(result, Parsed)
    return result.digest


def test_what_is_given_holds_whatever_the_file_says() -> None:
    result = parsed(material(title="Given", language="de"))
    assert isinstance(result, Parsed)
    document = result.document
    assert (document.title, document.description, document.language) == ("Given", "Said here", "de")
    assert (document.name, document.uri, document.collection) == ("documents/docs.example.com/pump", URI, "docs")
    assert [document.content[chunk.start : chunk.end].strip() for chunk in result.chunks]


def test_a_language_that_nobody_tells_is_seen_from_the_words() -> None:
    result = parsed(material(b"# Pumpe\n\nDie Pumpe ist der Teil, der das Wasser in den Tank hebt."))
    assert isinstance(result, Parsed)
    assert result.document.language == "de"


def test_an_unchanged_file_is_not_read_again() -> None:
    known = digest(material())
    assert parsed(material(), frozenset({b"other", known})) == Same("pump.md", known)


@pytest.mark.parametrize(
    "changed",
    [
        material(PAGE + b"More.\n"),
        material(uri=URI + "/2"),
        material(title="Given"),
        material(language="tr"),
        material(description="Given"),
        material(claims="docs.example.com"),
    ],
)
def test_whatever_a_document_depends_on_changes_its_digest(changed: Material) -> None:
    assert digest(changed) != digest(material())


def test_the_collection_is_part_of_the_digest_and_the_place_is_not() -> None:
    assert digest(material(), "other") != digest(material())
    assert digest(material(origin="moved/pump.md")) == digest(material())


@pytest.mark.parametrize(
    ("claimed", "uri"),
    [
        ("https://docs.example.com/the-pump", "https://docs.example.com/the-pump"),
        ("https://docs.example.com/the-pump?from=mail#top", "https://docs.example.com/the-pump"),
        ("https://elsewhere.example/pump", URI),
        ("https://docs.example.com@elsewhere.example/", URI),
        ("", URI),
    ],
)
def test_a_page_may_say_its_address_on_the_host_that_the_operator_named(claimed: str, uri: str) -> None:
    page = f'<html><head><link rel="canonical" href="{claimed}"></head><body><p>The pump.</p></body></html>'.encode()
    result = parsed(material(page, file_name="pump.html", claims="docs.example.com"))
    assert isinstance(result, Parsed)
    assert result.document.uri == uri
    result = parsed(material(page, file_name="pump.html"))
    assert isinstance(result, Parsed)
    assert result.document.uri == URI


def test_a_file_that_vanished_or_cannot_be_opened_is_refused_with_the_reason(tmp_path: Path) -> None:
    gone, folder = tmp_path / "gone.md", tmp_path / "folder.md"
    folder.mkdir()
    results = parse_all(
        [Task(Material("gone.md", URI, "gone.md", gone)), Task(Material("folder.md", URI, "folder.md", folder))], "docs"
    )
    assert [type(result) for result in results] == [Refused, Refused]
    assert results[0] == Refused("gone.md", "cannot be opened: No such file or directory")


def test_a_bad_file_does_not_stop_the_others() -> None:
    files = [PAGE, b"", b"\x89PNG\r\n\x1a\n" + bytes(100), b"# Nothing but a heading\n", PAGE]
    results = parse_all([Task(material(data, origin=str(place))) for place, data in enumerate(files)], "docs")
    assert [isinstance(result, Parsed) for result in results] == [True, False, False, False, True]
    assert all(result.reason for result in results if isinstance(result, Refused))


def test_a_file_of_more_than_ten_megabytes_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.md"
    large.write_bytes(b"word " * 2_100_000)
    result = parsed(Material("large.md", URI, "large.md", large))
    assert isinstance(result, Refused)
    assert "10 MB" in result.reason

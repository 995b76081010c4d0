"""Names and addresses."""

import pytest

from app.domain.documents import DocumentChunk, distinct_names, host_of, name_of, uri_of
from app.domain.errors import DocumentNameInvalid


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("https://dart.dev/language/records", "documents/dart.dev/language/records"),
        ("https://dart.dev/language/", "documents/dart.dev/language"),
        ("http://wiki.example/a?id=1&b=2", "documents/wiki.example/a?id=1&b=2"),
        ("https://example.com/a%20b%2Fc", "documents/example.com/a%20b%2Fc"),
        ("https://example.com/page#part", "documents/example.com/page"),
        ("footnote://handbook/ask", "documents/handbook/ask"),
        ("example.com/page", "documents/example.com/page"),
    ],
)
def test_a_name_is_the_address_without_scheme_fragment_and_final_slash(uri: str, name: str) -> None:
    assert name_of(uri) == name


@pytest.mark.parametrize("uri", ["", "https://", "https:///", "#part"])
def test_an_address_without_a_place_has_no_name(uri: str) -> None:
    with pytest.raises(DocumentNameInvalid):
        name_of(uri)


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("documents/example.com/a%20b", "https://example.com/a%20b"),
        ("documents/example.com/a b", "https://example.com/a%20b"),
        ("documents/example.com/ü?q=1", "https://example.com/%C3%BC?q=1"),
    ],
)
def test_a_name_suggests_an_address_that_is_encoded_once(name: str, uri: str) -> None:
    assert uri_of(name) == uri


@pytest.mark.parametrize("name", ["", "documents/", "example.com/a", "/documents/a"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(DocumentNameInvalid):
        uri_of(name)


def test_the_host_is_where_a_reader_would_arrive() -> None:
    assert host_of("https://good.example@evil.invalid/x") == "evil.invalid"
    assert host_of("https://[::1") == ""


def test_documents_of_chunks_stand_at_their_first_place() -> None:
    chunks = [DocumentChunk(parent=name, id=str(place), content="") for place, name in enumerate("abacb")]
    assert distinct_names(chunks) == ("a", "b", "c")

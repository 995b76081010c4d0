"""Results as the server tells them become values of ours."""

import pytest

from app.domain.errors import MalformedReply
from app.mcp.results import answer_in, chunks_in, documents_in, tools_in

NAME = "documents/docs.example.com/a"


def document(name: str | None, content: str = "text", **more: object) -> dict[str, object]:
    return {"content": content, **({} if name is None else {"name": name}), **more}


@pytest.mark.parametrize(
    ("told", "name"),
    [
        (NAME, NAME),
        ("https://docs.example.com/a", NAME),
        ("http://docs.example.com/a/#part", NAME),
        ("docs.example.com/a", NAME),
        ("documents/docs.example.com/a%2520b", "documents/docs.example.com/a%2520b"),
        ("documents/docs.example.com/a b?c=d", "documents/docs.example.com/a b?c=d"),
        ({"name": NAME}, NAME),
        ({"uri": "https://docs.example.com/a"}, NAME),
    ],
)
def test_a_reference_is_a_name_however_it_is_told(told: object, name: str) -> None:
    assert answer_in({}, {"answerText": "x", "references": [told, told]}, "").references == (name,)


@pytest.mark.parametrize("told", ["ftp://a.dev/b", "documents/", "documents//", "https://", "a" * 600, "https://[", 7])
def test_what_names_nothing_is_no_reference(told: object) -> None:
    assert answer_in({}, {"answerText": "x", "references": [told]}, "").references == ()


@pytest.mark.parametrize("references", [None, "documents/a", {"a": 1}, 7])
def test_references_that_are_no_list_are_none(references: object) -> None:
    assert answer_in({}, {"answerText": "x", "references": references}, "").references == ()


def test_an_answer_that_is_no_text_is_malformed() -> None:
    with pytest.raises(MalformedReply):
        answer_in({}, {"answerText": ["x"]}, "")


@pytest.mark.parametrize("told", ["better", 7, None, ["weak"], {"a": 1}])
def test_an_outcome_that_nobody_knows_is_left_out(told: object) -> None:
    assert answer_in({"_meta": {"footnote/outcome": told}}, {"answerText": "x"}, "").outcome == "answered"


def test_documents_are_known_by_name_then_by_place_then_by_their_decoded_name() -> None:
    names = ["documents/a.dev/x", "documents/a.dev/y%2520z", "documents/a.dev/w"]
    told = [document(names[2], "w"), document("documents/a.dev/y z", "y"), document(names[0], "x")]
    found = documents_in("get_documents", {"documents": told}, names, "c")
    assert {name: each.content for name, each in found.items()} == dict(zip(names, "xyw", strict=True))
    some = documents_in("get_documents", {"documents": told[1:2]}, names, "c")
    assert {name: each.name for name, each in some.items()} == {names[1]: names[1]}
    nameless = [document(None, "x"), document(None, "y"), document(None, "w")]
    found = documents_in("get_documents", {"documents": nameless}, names, "c")
    assert [found[name].content for name in names] == list("xyw")


def test_a_document_that_nobody_asked_for_is_left_out() -> None:
    told = [document(NAME), document("documents/b.dev/other")]
    assert set(documents_in("get_documents", {"documents": told}, [NAME], "c")) == {NAME}


@pytest.mark.parametrize(
    "uri",
    [None, 7, "", "javascript:alert(1)", "//a.dev", "https://", "https://a b", "https://[", "https://a\nb", "data:x"],
)
def test_an_address_no_browser_should_open_is_derived_from_the_name(uri: object) -> None:
    found = documents_in("get_document", document(NAME, uri=uri), [NAME], "c")
    assert found[NAME].uri == "https://docs.example.com/a"


def test_an_empty_list_may_be_left_out_of_a_result() -> None:
    assert chunks_in({}, "c") == ()
    assert documents_in("get_documents", {}, [NAME], "c") == {}
    with pytest.raises(MalformedReply):
        chunks_in({"documents": []}, "c")


def test_a_chunk_without_an_id_gets_its_place() -> None:
    told = [{"parent": NAME, "content": "a", "id": 3}, {"parent": NAME, "content": "b"}]
    assert [chunk.id for chunk in chunks_in({"results": told}, "c")] == ["3", "1"]


def test_tools_without_a_name_are_left_out() -> None:
    assert tools_in({"tools": [{"name": "a"}, {"name": 1}, None], "nextCursor": 7}) == (("a",), "")

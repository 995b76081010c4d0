"""Words of a question that are likely names."""

import pytest

from app.answering.names import names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("How do I use FirebaseAuth with iOS?", ("FirebaseAuth", "iOS")),
        ("Does Kubernetes support GPU nodes?", ("GPU", "Kubernetes")),
        ("Kubernetes nodes", ()),
        ("Wie richte ich eine Datenbank in BigQuery ein?", ("BigQuery",)),
        ("", ()),
    ],
)
def test_capitals_within_a_word_or_a_sentence_make_a_name(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names

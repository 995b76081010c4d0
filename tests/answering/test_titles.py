"""What a document is called whose source tells no title."""

import pytest

from app.answering.titles import title_of, with_title
from app.domain.documents import Document


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("# Create buckets\n\nText.", "Create buckets"),
        ("Intro.\n\n## Before *you* begin ##\n", "Before *you* begin"),
        ("# [Buckets](https://a/b) and `gsutil`\n", "Buckets and `gsutil"),
        ("No heading at all.", "creating buckets"),
        ("", "creating buckets"),
        ("#" * 500, "creating buckets"),
    ],
)
def test_the_first_heading_is_the_title_else_the_names_last_words(content: str, title: str) -> None:
    assert title_of(content, "documents/docs.example.com/storage/creating-buckets") == title


def test_a_title_that_the_source_tells_is_kept_as_it_is() -> None:
    document = Document("documents/a", "https://a", "# Other\n", title="Its own")
    assert with_title(document) is document


def test_a_very_long_heading_is_cut_to_a_title() -> None:
    assert len(title_of(f"# {'word ' * 200}", "documents/a")) <= 200

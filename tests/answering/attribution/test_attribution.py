import pytest

from app.answering.attribution.attribution import PIECES, Attribution
from app.answering.attribution.places import READ
from app.domain.documents import Document

CACHE = Document(
    "documents/example.com/cache",
    "https://example.com/cache",
    """# Cache

## Settings

The cache keeps entries for 30 minutes. Entries must not be changed by hand.

Set `CACHE_DIR` to move the folder. Set `CACHE_SIZE` to limit how large it grows.

| Option | Default | Meaning |
|---|---|---|
| `--retries` | 3 | How often a request is tried again |
| `--workers` | 8 | How many workers fetch pages |

## Clearing

To clear the cache, run:

```
tool cache clear --all
```
""",
    "Cache",
)
BACKUP = Document(
    "documents/example.com/backup",
    "https://example.com/backup",
    "# Backup\n\nA backup is written every night. Backups are enabled by default.\n",
    "",
)


@pytest.fixture
def attribution() -> Attribution:
    return Attribution((CACHE, BACKUP))


def names(attribution: Attribution, sentence: str, before: str = "") -> list[str]:
    return [support.document.name for support in attribution.support(sentence, before=before)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The cache keeps entries for 30 minutes.",
        "Entries are kept in the cache for 1800 seconds.",
        "You must not change entries by hand.",
        "`CACHE_DIR` moves the folder.",
        "The `--workers` option sets how many workers fetch pages and defaults to 8.",
        "```\ntool cache clear --all\n```",
    ],
)
def test_what_a_document_says_is_bound_to_it(attribution: Attribution, sentence: str) -> None:
    assert names(attribution, sentence) == [CACHE.name]


@pytest.mark.parametrize(
    "sentence",
    [
        "The cache keeps entries for 60 minutes.",
        "The cache keeps entries for 30 seconds.",
        "Entries must be changed by hand.",
        "`CACHE_SIZE` moves the folder.",
        "The `--workers` option sets how many workers fetch pages and defaults to 3.",
        "The `--retries` option sets how many workers fetch pages.",
        "Backups are disabled by default.",
        "Backups are not enabled by default.",
        "Entries are compressed with gzip before they are stored.",
        "```\ntool cache purge --now\n```",
        "Backups are never enabled by default.",
        "Entries must not be changed by plugins.",
        "The cache drops entries for 30 minutes.",
    ],
)
def test_what_a_document_does_not_say_is_bound_to_nothing(attribution: Attribution, sentence: str) -> None:
    assert names(attribution, sentence) == []


def test_a_sentence_is_bound_to_the_document_that_says_it(attribution: Attribution) -> None:
    assert names(attribution, "A backup is written each night.") == [BACKUP.name]


def test_a_claim_of_the_writer_proves_nothing_by_itself(attribution: Attribution) -> None:
    assert attribution.support("Backups are encrypted with a key.", (BACKUP.name,)) == ()


def test_passages_stand_verbatim_in_their_document(attribution: Attribution) -> None:
    (support,) = attribution.support("The cache keeps entries for 30 minutes.")
    passage = support.passage
    assert passage.start is not None
    assert CACHE.content[passage.start : passage.start + len(passage.text)] == passage.text
    assert "The cache keeps entries for 30 minutes." in [passage.text[slice(*mark)] for mark in passage.marks]
    assert passage.headings == ("Settings",)


def test_the_segments_are_the_text_and_doubt_stands_where_it_belongs(attribution: Attribution) -> None:
    text = (
        "# Reply\n\nHere is how:\n\n- The cache keeps entries for 30 minutes.\n- Pages are sold at a market.\n"
        "\nA backup is written every night. Bananas are yellow fruits.\n"
    )
    composition = attribution.bound(text)
    assert "".join(segment.text for segment in composition.segments) == text
    assert [segment.numbers for segment in composition.segments] == [(1,), (), (2,), (), ()]
    assert [segment.unsupported for segment in composition.segments] == [False, True, False, True, False]
    assert [citation.number for citation in composition.citations] == [1, 2]
    assert composition.citations[1].title == "Backup"


def test_marks_of_another_writer_are_taken_out_but_not_of_code(attribution: Attribution) -> None:
    composition = attribution.bound("A backup is written every night [7]. Use `argv[1]`【3†source】.")
    text = "".join(segment.text for segment in composition.segments)
    assert text == "A backup is written every night. Use `argv[1]`."


def test_without_documents_every_claim_is_in_doubt() -> None:
    composition = Attribution(()).bound("The cache keeps entries for 30 minutes.")
    assert composition.segments[0].unsupported
    assert composition.citations == ()


@pytest.mark.parametrize("sentence", ["", "   ", "**", "???", "- ", "|", "```", "`", "[](", "1."])
def test_scraps_of_markdown_are_supported_by_nothing(attribution: Attribution, sentence: str) -> None:
    assert attribution.support(sentence) == ()


@pytest.mark.parametrize("content", ["", "word " * 1_000_000, "x" * 5_000_000, "# H\n\nA text.\n\n" * 400_000])
def test_a_monstrous_document_is_read_up_to_a_limit(content: str) -> None:
    document = Document("documents/example.com/m", "https://example.com/m", content)
    found = Attribution((document,)).support("A backup is written every night.")
    assert found == ()
    assert len(content) > READ or not content


def test_an_endless_answer_keeps_its_text_and_is_in_doubt_behind_the_limit(attribution: Attribution) -> None:
    text = "A backup is written every night.\n\n" * (PIECES + 20)
    composition = attribution.bound(text)
    assert "".join(segment.text for segment in composition.segments) == text
    assert composition.segments[-1].unsupported
    assert len(composition.segments) == PIECES + 1


@pytest.mark.parametrize(
    ("piece", "claims"),
    [
        ("# Caching", False),
        ("Here is how:", False),
        ("For example:", False),
        ("I hope this helps!", False),
        ("Would you like to know more?", False),
        ("The provided documents do not mention prices.", False),
        ("The cache keeps entries for 30 minutes.", True),
        ("- `--force` overwrites files", True),
        ("```\ntool run\n```", True),
    ],
)
def test_only_what_says_something_needs_a_source(attribution: Attribution, piece: str, claims: bool) -> None:
    assert attribution.claims(piece) is claims


def test_a_german_sentence_about_an_english_page_is_not_guessed_at(attribution: Attribution) -> None:
    assert names(attribution, "Der Zwischenspeicher behält Einträge für 30 Minuten.") == []


def test_a_follow_on_is_helped_by_the_sentence_before_it_but_its_numbers_are_not(attribution: Attribution) -> None:
    before = "A backup is written every night."
    assert names(attribution, "They are enabled by default.", before) == [BACKUP.name]
    assert names(attribution, "They are disabled by default.", before) == []
    assert names(attribution, "They are enabled by default since version 3.", before) == []

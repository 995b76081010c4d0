"""A sentence that nearly says what its passage says: one plain word, one pair or one polarity is another."""

import pytest

from app.answering.attribution.attribution import Attribution
from app.domain.documents import Document

PAGE = Document(
    "documents/example.com/proxy",
    "https://example.com/proxy",
    """# Proxy

Session tokens are sent in HTTP headers, so that a router may log them.

By default, the spool is located in `~/.spool` (on Linux), or in `C:/Spool` (on Windows).

Some relay plugins support binary frames. Only signed plugins are loaded by the relay.

A relay should use pinned certificates instead of floating ones.

- **Alpha** plugins are listed in `alpha.json` and reload at noon.
- **Omega** plugins are listed in `omega.json` and reload at midnight.
""",
)


def supported(sentence: str) -> bool:
    return bool(Attribution((PAGE,)).support(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "Session tokens are sent in HTTP headers.",
        "On Windows, the spool is located in `C:/Spool` by default.",
        "Some relay plugins support binary frames.",
        "The relay loads only signed plugins.",
        "A relay should use pinned certificates instead of floating ones.",
        "Omega plugins are listed in `omega.json`.",
    ],
)
def test_what_the_page_says_has_its_number(sentence: str) -> None:
    assert supported(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Session tokens are sent in HTTP cookies.",
        "On Windows, the spool is located in `~/.spool` by default.",
        "All relay plugins support binary frames.",
        "Signed plugins are loaded by the relay.",
        "A relay should use floating certificates instead of pinned ones.",
        "Plugins in `omega.json` reload at noon.",
    ],
)
def test_what_was_swapped_crossed_or_widened_has_none(sentence: str) -> None:
    assert not supported(sentence)


def test_another_verb_for_the_same_is_let_pass() -> None:
    assert supported("A router may record them when session tokens are sent in HTTP headers.")

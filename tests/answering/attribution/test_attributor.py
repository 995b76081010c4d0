"""Documents are read once for many answers."""

from dataclasses import replace

from app.answering.attribution.attributor import Attributor
from app.answering.attribution.places import Place, places_of
from app.domain.documents import Document

LAMP = Document("documents/a/lamp", "https://a/lamp", "# Lamp\n\nThe lamp is amber while the pump runs.\n")
PAGES = [replace(LAMP, name=f"documents/a/{number}") for number in range(4)]
SAID = "The lamp is amber while the pump runs."


class Reading:
    """Reads documents, and keeps a list of those that it read."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, document: Document) -> list[Place]:
        self.names.append(document.name)
        return places_of(document)


def test_a_document_is_read_once_for_many_answers() -> None:
    reading = Reading()
    attributor = Attributor(read=reading)
    for _ in range(3):
        assert [each.document for each in attributor.over((LAMP,)).support(SAID)] == [LAMP]
    assert reading.names == [LAMP.name]


def test_a_document_that_has_changed_is_read_anew() -> None:
    attributor = Attributor()
    assert attributor.over((LAMP,)).support(SAID)
    assert attributor.over((replace(LAMP, content="# Lamp\n\nThe lamp is green.\n"),)).support(SAID) == ()


def test_what_is_remembered_is_bounded_and_the_one_not_used_for_longest_goes_first() -> None:
    reading = Reading()
    attributor = Attributor(characters=3 * len(LAMP.content), read=reading)
    for page in (*PAGES[:3], PAGES[0], PAGES[3], PAGES[0], PAGES[1]):
        assert attributor.over((page,)).support(SAID)
    assert reading.names == [PAGES[number].name for number in (0, 1, 2, 3, 1)]


def test_a_document_that_is_too_large_to_be_remembered_is_read_each_time() -> None:
    reading = Reading()
    attributor = Attributor(characters=10, read=reading)
    for _ in range(2):
        assert attributor.over((LAMP,)).support(SAID)
    assert len(reading.names) == 2

"""Which words carry a question."""

import pytest

from app.answering.words import content_words, language_of, words_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I read a JSON file?", "en"),
        ("Wie lese ich eine Datei ein?", "de"),
        ("Bir dosyayı nasıl okurum?", "tr"),
        ("kubectl drain", "en"),
        ("", "en"),
    ],
)
def test_small_words_tell_the_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_small_words_are_left_out_and_each_word_counts_once() -> None:
    assert content_words("How do I read a file, and can I read the file?") == ("read", "file")
    assert content_words("Wie lese ich eine Datei ein?") == ("lese", "datei")


def test_where_all_words_are_small_all_count() -> None:
    assert content_words("what is it that was") == ("what", "is", "it", "that", "was")


def test_identifiers_stay_whole_and_the_turkish_capital_is_an_i() -> None:
    assert words_of("snake_case İstanbul don't") == ("snake_case", "istanbul", "don't")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Go'da", ("go",)),
        ("Flutter’daki widget", ("flutter", "widget")),
        ("the user's name", ("user's", "name")),
        ("at nine o'clock", ("nine", "clock")),
    ],
)
def test_a_case_ending_behind_an_apostrophe_is_no_part_of_a_name(text: str, words: tuple[str, ...]) -> None:
    assert content_words(text) == words

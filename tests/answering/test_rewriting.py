"""A follow-up that leans on what was said takes its topic along; any other question stays as it is."""

import pytest

from app.answering.rewriting import CARRIED, Rewriter
from app.domain.answers import Exchange, Question


async def standalone(text: str, *earlier: str) -> str:
    return await Rewriter().standalone(Question(text, history=tuple(Exchange(each, "An answer.") for each in earlier)))


@pytest.mark.parametrize(
    "text",
    [
        "And how often?",
        "How do I clean it?",
        "Can I also forbid readers to touch the valve?",
        "Which tool does that need?",
        "Why?",
        "Und wie oft?",
        "Geht das auch im Winter?",
        "Peki ne zaman?",
    ],
)
async def test_a_question_that_leans_on_the_talk_takes_its_topic_along(text: str) -> None:
    rewritten = await standalone(text, "How do I replace the amber lamp?")
    assert rewritten.endswith(f": {text}")
    assert "amber lamp" in rewritten


async def test_a_question_that_stands_alone_is_left_alone() -> None:
    text = "Which pressure does the tank sensor report at night?"
    assert await standalone(text, "How do I replace the amber lamp?") == text


async def test_the_first_question_of_a_talk_is_left_alone() -> None:
    assert await standalone("And how often?") == "And how often?"


async def test_the_topic_outlives_a_follow_up_without_one() -> None:
    assert "amber lamp" in await standalone("And why?", "How do I replace the amber lamp?", "And how often?")


async def test_a_new_topic_takes_the_place_of_the_old_one() -> None:
    earlier = ("How do I replace the amber lamp?", "Where does the tank sensor report?")
    rewritten = await standalone("And how often?", *earlier)
    assert "tank" in rewritten
    assert "lamp" not in rewritten


async def test_words_of_the_question_are_not_said_twice_and_few_are_carried() -> None:
    rewritten = await standalone("Does it clean the tank?", " ".join(f"tank word{number}" for number in range(40)))
    topic = rewritten.removesuffix(": Does it clean the tank?").split()
    assert len(topic) == CARRIED
    assert "tank" not in topic


@pytest.mark.parametrize("text", ["", "?", "\ud800", "\0", "🙂", "مضخة", "a" * 20_000])
async def test_any_text_can_be_rewritten(text: str) -> None:
    assert (await standalone(text, "How do I replace the amber lamp?")).endswith(text)
    assert await standalone("And how often?", text)


@pytest.mark.parametrize(
    "text",
    [
        "Is there a limit to the number of valves in a plant?",
        "Are there valves for salt water?",
        "Which command that lists valves also shows the inlet pressure of the plant?",
    ],
)
async def test_a_whole_question_takes_no_topic_along_for_its_small_words(text: str) -> None:
    assert await standalone(text, "How do I replace the amber lamp?") == text

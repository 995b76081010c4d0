"""A turn in each of its states: what a reader sees first, and the one thing that can be done."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.domain.answers import (
    Answer,
    AnswerFailed,
    Citation,
    FallbackReason,
    FellBack,
    Outcome,
    Segment,
    Step,
    StepStarted,
)
from app.domain.conversations import Turn, TurnStatus
from app.domain.documents import Page, Passage
from app.web.appraisal import is_quoted
from app.web.views import Composer, Interface
from tests.support.pages import NOW, presented

SLOW, FAST = "The pump is slow.", "The other pump is fast."
PUMP = Citation(
    1,
    "documents/docs.example.com/pump",
    "https://docs.example.com/pump",
    "Pump",
    "plant",
    (Passage(SLOW, ("Pump", "Speed"), 10, ((4, 8),)), Passage(FAST, ("Pump",), 90)),
)
HANDBOOK = Citation(2, "documents/handbook/ask", "footnote://handbook/ask", "Ask", "handbook", (Passage("Just ask."),))
FOUND = tuple(
    Page(f"documents/docs.example.com/{name}", f"https://docs.example.com/{name}", name.title(), "plant")
    for name in ("pump", "tank", "valve")
)
WRITTEN = Answer(
    steps=(StepStarted(Step.SEARCHING, 2), StepStarted(Step.READING, 2), StepStarted(Step.WRITING)),
    segments=(Segment("It is not quick.", (1,)), Segment(" You ask.\n\n", (2,)), Segment("Perhaps.")),
    citations=(PUMP, HANDBOOK),
    retrieved=FOUND,
    outcome=Outcome.ANSWERED,
)


def turn(status: TurnStatus, answer: Answer = WRITTEN) -> Turn:
    asked = NOW - timedelta(minutes=12)
    return Turn("T1", "C1", 1, "How <fast> is it?", status, asked, asked, answer=answer, milliseconds=6150)


def shown(each: Turn, *, rephrase: bool = False, interface: Interface | None = None) -> LexborNode:
    presenter, pages = presented(interface)
    composer = Composer("/c/C1/turns", False, (), 4000, each.question, id="again-T1") if rephrase else None
    article = LexborHTMLParser(pages.component("turn", presenter.turn(each, rephrase=composer))).css_first("article")
    assert article is not None
    return article


def words(node: LexborNode | None) -> str:
    assert node is not None
    return " ".join(node.text().split())


def test_an_answer_says_what_it_rests_on_and_how_long_it_took() -> None:
    article = shown(turn(TurnStatus.ANSWERED))
    assert words(article.css_first("h2.question")) == "How <fast> is it?"
    assert [words(step) for step in article.css(".status li")] == [
        "Answered from 2 documents",
        "6.2 s",
        "12 minutes ago",
    ]
    assert article.attributes["aria-labelledby"] == article.css_first("h2").attributes["id"]


def test_a_numeral_is_a_link_to_its_document_and_its_footnote_leads_back() -> None:
    article = shown(turn(TurnStatus.ANSWERED))
    first, second = article.css("a.cite")
    assert (first.attributes["href"], first.attributes["target"]) == ("https://docs.example.com/pump", "_blank")
    assert first.attributes["aria-label"] == "Source 1: Pump"
    note = article.css_first(".note.n1")
    assert note is not None
    assert note.css_first('.acts a[href^="#"]').attributes["href"] == f"#{first.attributes['id']}"
    assert note.css_first(".acts a").attributes["href"].startswith("/documents/docs.example.com/pump?passage=10-27-")
    assert words(note.css_first(".path")) == "Speed"
    assert words(note.css_first("details summary")) == "1 more passage"
    assert note.css_first(".passage mark") is not None
    assert second.attributes["href"] == "/documents/handbook/ask", "what has no address outside opens here"


def test_pages_that_were_only_found_stand_apart_from_those_cited() -> None:
    also = shown(turn(TurnStatus.ANSWERED)).css_first("details.also")
    assert words(also.css_first("summary")) == "Also looked at: 2 pages"
    assert [words(item) for item in also.css("li a")] == ["Tank", "Valve"]


def test_an_answer_that_only_quotes_says_so_and_folds_the_passages() -> None:
    quoted = replace(WRITTEN, segments=(Segment(f"**Speed**\n\n{SLOW}", (1,)),), citations=(PUMP,))
    article = shown(turn(TurnStatus.ANSWERED, quoted))
    assert "From the documents" in words(article.css_first(".prose"))
    assert words(article.css_first(".status li")) == "Quoted from 1 document"
    assert article.css_first(".note > .passage") is None
    assert words(article.css_first(".note summary")) == "2 passages"
    assert not is_quoted(WRITTEN)


def test_sentences_without_a_source_are_counted() -> None:
    assert words(shown(turn(TurnStatus.ANSWERED)).css_first(".doubts")) == "1 sentence has no source"


def test_a_weak_answer_shows_pages_with_numerals_and_no_prose() -> None:
    article = shown(turn(TurnStatus.WEAK, replace(WRITTEN, outcome=Outcome.WEAK)))
    assert "These pages may help" in words(article.css_first(".notice.doubt"))
    assert article.css_first(".prose") is None
    assert "It is not quick" not in words(article)
    results = article.css(".result")
    assert [words(result.css_first(".cite")) for result in results] == ["1", "2"]
    assert SLOW in words(results[0].css_first(".passage"))


def test_a_missing_answer_says_so_first_and_leads_on() -> None:
    empty = Answer(retrieved=FOUND, outcome=Outcome.NOT_FOUND)
    article = shown(turn(TurnStatus.NOT_FOUND, empty), rephrase=True, interface=Interface(contact="Ask Ada."))
    assert "The documents do not answer this" in words(article.css_first(".notice"))
    assert article.css_first(".cite") is None
    assert words(article.css_first("textarea")) == "How <fast> is it?"
    assert [words(line) for line in article.css(".lines a")] == ["Pump", "Tank", "Valve"]
    assert "Ask Ada." in words(article)
    text = words(article)
    assert text.index("do not answer") < text.index("Ask it another way") < text.index("Closest pages")


@pytest.mark.parametrize(
    ("code", "title", "again"),
    [
        ("source_unavailable", "The knowledge service does not answer.", True),
        ("quota_exceeded", "The knowledge service has answered its share of questions.", True),
        ("access_refused", "The knowledge service refused this app's credentials.", False),
        ("answer_timeout", "The answer took too long.", True),
        ("internal", "Something went wrong here.", True),
        ("of_a_later_version", "Something went wrong here.", True),
    ],
)
def test_a_failure_says_what_happened_under_its_number_with_one_button(code: str, title: str, again: bool) -> None:
    failed = replace(WRITTEN, outcome=None, failure=AnswerFailed(code, "req-77"))
    notice = shown(turn(TurnStatus.FAILED, failed)).css_first(".notice.fail")
    assert words(notice.css_first("strong")) == title
    assert words(notice.css_first("code")) == "req-77"
    assert len(notice.css("button")) == int(again)


@pytest.mark.parametrize(
    ("status", "title", "button"),
    [
        (TurnStatus.STOPPED, "You stopped this answer.", "Write it again"),
        (TurnStatus.INTERRUPTED, "The answer broke off.", "Ask again"),
    ],
)
def test_what_was_written_before_an_end_stays(status: TurnStatus, title: str, button: str) -> None:
    article = shown(turn(status, replace(WRITTEN, outcome=None)))
    assert "It is not quick." in words(article.css_first(".prose"))
    notice = article.css_first(".notice")
    assert words(notice.css_first("strong")) == title
    assert words(notice.css_first("form button")) == button
    assert notice.css_first("form").attributes["action"] == "/turns/T1/again"


def test_a_fall_back_and_what_was_searched_for_are_told_in_one_line_each() -> None:
    until = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
    answer = replace(WRITTEN, fell_back=FellBack(FallbackReason.QUOTA_DAY, until), searched_for="How fast is the pump?")
    article = shown(turn(TurnStatus.ANSWERED, answer))
    assert "used up until 08:00 UTC. This answer is composed from the documents." in words(article)
    assert "Searched for: How fast is the pump?" in words(article)


@pytest.mark.parametrize("status", [TurnStatus.PENDING, TurnStatus.RUNNING])
def test_a_running_turn_is_followed_and_can_be_stopped_and_looked_at_without_scripts(status: TurnStatus) -> None:
    article = shown(turn(status))
    assert article.attributes["hx-sse:connect"] == "/turns/T1/events"
    assert article.attributes["hx-swap"] == "none"
    assert article.css_first('form[action="/turns/T1/stop"] button') is not None
    assert article.css_first('noscript a[href="/turns/T1"]') is not None
    final = article.css_first("[hx-get]")
    assert (final.attributes["hx-get"], final.attributes["hx-target"]) == ("/turns/T1", "#turn-T1")


@pytest.mark.parametrize("status", list(TurnStatus))
def test_ids_are_the_turns_own_and_every_link_that_leaves_is_closed_off(status: TurnStatus) -> None:
    failed = AnswerFailed("internal", "r") if status is TurnStatus.FAILED else None
    article = shown(turn(status, replace(WRITTEN, failure=failed)))
    ids = [node.attributes["id"] for node in [article, *article.css("[id]")]]
    assert all("T1" in (each or "") for each in ids)
    for link in article.css('a[href^="http"]'):
        assert (link.attributes["target"], link.attributes["rel"]) == ("_blank", "noopener")
    for button in article.css("button"):
        assert words(button) or button.attributes.get("aria-label")


@pytest.mark.parametrize("status", list(TurnStatus))
def test_what_foreign_text_says_is_never_markup(status: TurnStatus) -> None:
    evil = "<img src=x onerror=alert(1)>\"'{{7*7}}</h2><script>"
    citation = Citation(1, "documents/x", f"https://x.example/{evil}", evil, evil, (Passage(evil, (evil,)),))
    answer = Answer(
        segments=(Segment(evil, (1,)),),
        citations=(citation,),
        retrieved=(Page("documents/y", "javascript:alert(1)", evil, evil, (evil,)),),
        searched_for=evil,
        failure=AnswerFailed(evil, evil) if status is TurnStatus.FAILED else None,
    )
    article = shown(replace(turn(status, answer), question=evil), rephrase=True, interface=Interface(contact=evil))
    assert article.css_first("img, script, [onerror]") is None
    assert article.css_first('a[href^="javascript"]') is None
    assert "49" not in words(article)

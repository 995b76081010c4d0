"""A turn in each of its states: what a reader sees first, and the one thing that can be done."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.domain.answers import (
    Answer,
    AnswerFailed,
    Citation,
    FallbackReason,
    FellBack,
    ModelGaveUp,
    Origin,
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
    segments=(
        Segment("It is not quick.", (1,)),
        Segment(" You ask.\n\n", (2,)),
        Segment("## Perhaps\n\nThere may be. It is *so* in <b> `x`.", unsupported=True),
        Segment(" And so on:"),
    ),
    citations=(PUMP, HANDBOOK),
    retrieved=FOUND,
    origin=Origin.MODEL,
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
    quoted = replace(
        WRITTEN, segments=(Segment(f"**Speed**\n\n{SLOW}", (1,)),), citations=(PUMP,), origin=Origin.QUOTED
    )
    article = shown(turn(TurnStatus.ANSWERED, quoted))
    assert "From the documents" in words(article.css_first(".prose"))
    assert words(article.css_first(".status li")) == "Quoted from 1 document"
    assert article.css_first(".note > .passage") is None
    assert words(article.css_first(".note summary")) == "2 passages"
    assert is_quoted(replace(quoted, segments=(Segment("Whatever it is."),))), "not by its words, which may be changed"


@pytest.mark.parametrize("origin", [Origin.MODEL, Origin.ANSWER_QUERY])
def test_an_answer_that_was_written_has_no_such_head(origin: Origin) -> None:
    written = replace(WRITTEN, segments=(Segment(SLOW, (1,)),), citations=(PUMP,), origin=origin)
    article = shown(turn(TurnStatus.ANSWERED, written))
    assert "From the documents" not in words(article)
    assert words(article.css_first(".status li")) == "Answered from 1 document"
    assert article.css_first(".note > .passage") is not None


def test_sentences_without_a_source_are_marked_counted_and_led_to() -> None:
    article = shown(turn(TurnStatus.ANSWERED))
    doubts = article.css_first("details.doubts")
    assert words(doubts.css_first("summary")) == "1 sentence has no source"
    assert "check them before relying on them" in words(doubts.css_first("p"))
    link = doubts.css_first("li a")
    assert words(link) == "It is so in <b> x."
    marked = article.css_first(link.attributes["href"])
    assert marked is not None
    assert marked.attributes["class"] == "unsourced"
    assert words(marked.parent) == "There may be. It is so in <b> x. (no source) And so on:"
    assert "".join(run.text() for run in article.css(".unsourced")) == "It is so in <b> x."


def test_ears_are_told_of_doubts_and_of_what_went_wrong() -> None:
    presenter, _ = presented()
    said = presenter.turn(turn(TurnStatus.ANSWERED)).says
    assert said == "Answer ready, 2 sources. 1 sentence has no source"
    failed = presenter.turn(turn(TurnStatus.FAILED, Answer(failure=AnswerFailed("source_unavailable", "r"))))
    assert failed.says == "The knowledge service cannot be reached."


def test_where_everything_has_a_source_nothing_is_counted() -> None:
    sure = replace(WRITTEN, segments=(Segment("It is not quick.", (1,)), Segment(" And so on:")))
    assert shown(turn(TurnStatus.ANSWERED, sure)).css_first(".doubts, .unsourced") is None


def test_of_many_sentences_without_a_source_the_first_are_listed() -> None:
    many = tuple(Segment(f"Claim {number} {'that goes on ' * 20}ends. ", unsupported=True) for number in range(30))
    doubts = shown(turn(TurnStatus.ANSWERED, replace(WRITTEN, segments=many))).css_first(".doubts")
    assert words(doubts.css_first("summary")) == "30 sentences have no source"
    items = [words(item) for item in doubts.css("li")]
    assert len(items) == 9
    assert items[-1] == "…"
    assert all(len(item) < 100 and item.endswith("…") for item in items)


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


SOON = NOW + timedelta(seconds=40)
FAILURES = {
    "quota_exceeded": ("The knowledge service is asked too often at the moment.", "Try again in 40 seconds.", "again"),
    "day_quota_exceeded": (
        "The knowledge service has answered its share of questions for today.",
        "It answers again from 14:31 UTC.",
        "again",
    ),
    "access_refused": ("The knowledge service refused this app's credentials.", "The operator must renew them", ""),
    "source_unavailable": ("The knowledge service cannot be reached.", "Try again in 40 seconds.", "again"),
    "source_too_slow": ("The knowledge service did not answer in time.", "ask for less at once", "again"),
    "malformed_reply": ("The knowledge service replied in a form that nobody can read.", "Try again.", "again"),
    "question_refused": (
        "A filter of the knowledge service turned the question away.",
        "Ask in other words.",
        "change",
    ),
    "model": ("The writing model gave no answer.", "Try again in 40 seconds.", "again"),
    "answer_timeout": ("The answer took too long.", "ask for less at once", "again"),
    "internal": ("Something went wrong here.", "tell the operator the request's number", "again"),
    "of_a_later_version": ("Something went wrong here.", "Try again.", "again"),
}


@pytest.mark.parametrize("code", FAILURES)
def test_a_failure_says_what_happened_under_its_number_with_a_next_step(code: str) -> None:
    title, text, step = FAILURES[code]
    failed = replace(WRITTEN, outcome=None, failure=AnswerFailed(code, "req-77", SOON))
    article = shown(turn(TurnStatus.FAILED, failed), interface=Interface(contact="Ask Ada."))
    notice = article.css_first(".notice.fail")
    assert words(notice.css_first("strong")) == title
    assert text in words(notice)
    assert words(notice.css_first("code")) == "req-77"
    assert [words(each) for each in notice.css("button")] == (["Try again"] if step == "again" else [])
    assert [words(each) for each in notice.css("a.button")] == (["Ask in other words"] if step == "change" else [])
    assert notice.css_first('a[href^="/search?q=How"]') is not None
    assert ("Ask Ada." in words(notice)) == (step == ""), "where only the operator can act, whom to tell"
    assert article.css_first(".doubts summary") is not None, "what was written stays, with what is known of it"


def test_a_time_to_wait_for_can_be_counted_down_by_scripts() -> None:
    failed = Answer(failure=AnswerFailed("quota_exceeded", "r", SOON))
    time = shown(turn(TurnStatus.FAILED, failed)).css_first('.notice local-time[data-form="wait"] time')
    assert time is not None
    assert (time.attributes["datetime"], words(time)) == ("2026-11-30T14:30:40+00:00", "in 40 seconds")


def test_a_question_that_was_turned_away_is_kept_for_other_words() -> None:
    failed = Answer(failure=AnswerFailed("question_refused", "r"))
    link = shown(turn(TurnStatus.FAILED, failed)).css_first(".notice a.button")
    assert link is not None
    assert link.attributes["href"] == "/?question=How+%3Cfast%3E+is+it%3F"


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


COMPOSED = " This answer is composed from the documents."
LATER, TOMORROW, BEFORE = NOW + timedelta(hours=1), NOW + timedelta(hours=18), NOW - timedelta(hours=1)


@pytest.mark.parametrize(
    ("reason", "until", "said"),
    [
        (FallbackReason.QUOTA_DAY, LATER, "The answer quota is used up until 15:30 UTC."),
        (FallbackReason.QUOTA_DAY, TOMORROW, "The answer quota is used up until December 1, 08:30 UTC."),
        (FallbackReason.QUOTA_DAY, BEFORE, "The answer quota of the day was used up."),
        (FallbackReason.QUOTA_DAY, None, "The answer quota of the day was used up."),
        (FallbackReason.QUOTA_MINUTE, LATER, "The answer quota is used up for the moment, until 15:30 UTC."),
        (FallbackReason.QUOTA_MINUTE, BEFORE, "The answer quota was used up for a moment."),
        (FallbackReason.UNAVAILABLE, LATER, "The answering service did not reply."),
        (FallbackReason.NOT_OFFERED, None, "The knowledge service offers no ready answers."),
        (FallbackReason.MALFORMED, None, "The answering service sent something that cannot be read."),
        (FallbackReason.REFUSED, None, "A filter of the answering service turned the question away."),
        (FallbackReason.NO_ANSWER, None, "The answering service had no answer."),
    ],
)
def test_a_fall_back_is_told_in_one_line_with_its_reason(
    reason: FallbackReason, until: datetime | None, said: str
) -> None:
    article = shown(turn(TurnStatus.ANSWERED, replace(WRITTEN, fell_back=FellBack(reason, until))))
    assert [words(line) for line in article.css(".notice")] == [said + COMPOSED]


@pytest.mark.parametrize(
    ("status", "instead"),
    [
        (TurnStatus.WEAK, " The documents were searched instead."),
        (TurnStatus.NOT_FOUND, " The documents were searched instead."),
        (TurnStatus.FAILED, ""),
        (TurnStatus.STOPPED, COMPOSED),
    ],
)
def test_an_answer_that_is_none_is_not_called_one(status: TurnStatus, instead: str) -> None:
    fell = FellBack(FallbackReason.NO_ANSWER)
    article = shown(turn(status, replace(WRITTEN, outcome=None, fell_back=fell)))
    assert words(article.css_first("p.notice")) == f"The answering service had no answer.{instead}"


def test_a_model_that_failed_and_sources_that_did_not_reply_are_told() -> None:
    answer = replace(WRITTEN, origin=Origin.QUOTED, gave_up=ModelGaveUp("model"), unreachable=("ours", "Knowledge"))
    interface = Interface(remote=frozenset({"Knowledge"}))
    article = shown(turn(TurnStatus.ANSWERED, answer), interface=interface)
    assert [words(line) for line in article.css(".notice")] == [
        "The writing model gave no answer. Passages of the documents are quoted instead.",
        "The sources Ours and Knowledge could not be asked; this answer rests on the others.",
    ]
    one = replace(answer, outcome=Outcome.NOT_FOUND, gave_up=None, unreachable=("ours",))
    [line, *_] = shown(turn(TurnStatus.NOT_FOUND, one)).css(".notice")
    assert words(line) == "The source Ours could not be asked; only the others were searched."


def test_what_was_searched_for_is_told() -> None:
    article = shown(turn(TurnStatus.ANSWERED, replace(WRITTEN, searched_for="How fast is the pump?")))
    assert words(article.css_first("p.asked")) == "Searched for: How fast is the pump?"


def test_a_citation_from_a_remote_source_names_source_product_and_host() -> None:
    citation = replace(PUMP, uri="https://firebase.google.com/docs/auth", collection="Developer Knowledge")
    answer = replace(WRITTEN, citations=(citation,))
    remote = Interface(remote=frozenset({"Developer Knowledge"}))
    note = shown(turn(TurnStatus.ANSWERED, answer), interface=remote).css_first(".note .meta")
    assert [words(span) for span in note.css("span")] == ["Developer Knowledge", "Firebase", "firebase.google.com"]
    own = shown(turn(TurnStatus.ANSWERED, replace(answer, citations=(replace(citation, collection="mirror"),))))
    assert [words(span) for span in own.css(".note .meta span")][:2] == ["Mirror", "firebase.google.com"]


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
        segments=(Segment(evil, (1,)), Segment(f"\n\n{evil}", unsupported=True)),
        citations=(citation,),
        retrieved=(Page("documents/y", "javascript:alert(1)", evil, evil, (evil,)),),
        searched_for=evil,
        fell_back=FellBack(FallbackReason.REFUSED),
        unreachable=(evil,),
        failure=AnswerFailed(evil, evil) if status is TurnStatus.FAILED else None,
    )
    article = shown(replace(turn(status, answer), question=evil), rephrase=True, interface=Interface(contact=evil))
    assert article.css_first("img, script, [onerror]") is None
    assert article.css_first('a[href^="javascript"]') is None
    assert "49" not in words(article)

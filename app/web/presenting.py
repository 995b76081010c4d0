"""From domain values to what templates are given: turns, footnotes, lists. Not markup, no decisions of HTTP."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from markupsafe import Markup

from app.domain.answers import Answer, AnswerFailed, Citation
from app.domain.conversations import Conversation, Turn, TurnStatus
from app.domain.documents import Collection, DocumentChunk, Page, Passage, Scope, host_of
from app.web import wording
from app.web.addresses import Addresses, PassageMark, outside
from app.web.appraisal import claim_of, doubts, has_room_in_margin, is_quoted
from app.web.errors import Remedy, told_of_failure
from app.web.i18n import Language
from app.web.markdown import Words, answer_html, passage_html, plain
from app.web.products import product_of
from app.web.times import moment
from app.web.views import (
    Aside,
    Choice,
    Cite,
    Composer,
    Day,
    Doubts,
    Entry,
    Interface,
    Note,
    Notice,
    Place,
    Sources,
    Status,
    TurnView,
)

CLOSEST, ALSO = 5, 10  # pages in a list; more would not be looked at
DOUBTS, DOUBT_LENGTH = 8, 90  # sentences without a source that are listed, and characters of each


@dataclass(frozen=True, slots=True)
class Presenter:
    """Presents to one reader: in their language, with the addresses of this request.

    `cite` renders a numeral; `now` is what relative times count from.
    """

    language: Language
    addresses: Addresses
    interface: Interface
    render_cite: Callable[[Cite], Markup]
    now: datetime

    @property
    def words(self) -> Words:
        """Our few words within rendered documents."""
        gettext = self.language.gettext
        return Words(gettext("Code"), gettext("{language} code"), gettext("Table"), gettext("no source"))

    # --- turns -------------------------------------------------------------------------------------------------------

    def live(self, turn: Turn) -> TurnView:
        """A turn that the browser follows: empty, to be filled by the stream."""
        return TurnView(
            id=turn.id,
            face="live",
            question=turn.question,
            status=Status(wording.trail((), self.language), running=True),
            says=wording.announcement(TurnStatus.PENDING, turn.answer, self.language),
            beside=True,
        )

    def turn(self, turn: Turn, *, rephrase: Composer | None = None) -> TurnView:
        """A turn in its final form; one that is not final is presented as live."""
        if not turn.status.final:
            return self.live(turn)
        answer, status = turn.answer, turn.status
        written = status not in (TurnStatus.WEAK, TurnStatus.NOT_FOUND)
        quoted = status is TurnStatus.ANSWERED and is_quoted(answer)
        notice = self._notice(turn)
        return TurnView(
            id=turn.id,
            face=str(status),
            question=turn.question,
            status=self._status(turn, quoted=quoted),
            says=notice.title if notice else wording.announcement(status, answer, self.language),
            beside=has_room_in_margin(answer, folded=quoted),
            aside=self.aside(answer, status),
            heading=self.language.gettext("From the documents") if quoted else "",
            blocks=self.blocks(turn) if written else (),
            sources=self.sources(answer, turn.id, folded=quoted) if written else None,
            weak=self._notes(answer.citations, turn.id, folded=False) if status is TurnStatus.WEAK else (),
            closest=self._pages(answer.retrieved, CLOSEST) if status is TurnStatus.NOT_FOUND else (),
            notice=notice,
            rephrase=rephrase if status is TurnStatus.NOT_FOUND else None,
            contact=self.interface.contact if status is TurnStatus.NOT_FOUND else "",
            doubts=self._doubts(turn) if written else None,
            tools=status in (TurnStatus.ANSWERED, TurnStatus.WEAK),
        )

    def blocks(self, turn: Turn) -> tuple[Markup, ...]:
        """The answer's text, block by block."""
        citations = turn.answer.citations
        return answer_html(
            turn.answer.segments,
            self.cite(turn.id, citations),
            address=address_of(citations),
            words=self.words,
            doubts=_doubt_anchor(turn.id),
        )

    def aside(self, answer: Answer, status: TurnStatus) -> Aside:
        """What stands in quiet lines between the status and the text."""
        told = wording.remarks(answer, self.interface.label, self.now, self.language, status)
        return Aside(answer.searched_for, told)

    def status(self, answer: Answer) -> Status:
        """The status line of an answer that is being made."""
        return Status(wording.trail(answer.steps, self.language), running=True)

    def cite(self, turn_id: str, citations: Sequence[Citation], *, live: bool = False) -> Callable[[int, bool], Markup]:
        """Renders the numeral of a citation; a number that no citation has becomes nothing."""
        places = {citation.number: self._place(citation) for citation in citations}

        def rendered(number: int, first: bool) -> Markup:  # the renderer calls it by position
            place = places.get(number)
            if place is None:
                return Markup("")
            anchor = f"ref-{turn_id}-{number}" if first and not live else ""
            return self.render_cite(Cite(number, place, first, anchor))

        return rendered

    def sources(self, answer: Answer, turn_id: str, *, folded: bool = False, live: bool = False) -> Sources | None:
        """Footnotes and what else was found; None where there is neither."""
        also = () if live else self._pages(answer.also_found, ALSO)
        if not answer.citations and not also:
            return None
        return Sources(self._notes(answer.citations, "" if live else turn_id, folded=folded), also)

    def _status(self, turn: Turn, *, quoted: bool) -> Status:
        return Status(
            steps=wording.verdict(turn, self.language, quoted=quoted),
            seconds=self.language.seconds(turn.milliseconds) if turn.milliseconds is not None else "",
            asked=moment(turn.created_at, self.language.ago(turn.created_at, self.now), self.language),
        )

    def _doubts(self, turn: Turn) -> Doubts | None:
        pieces = doubts(turn.answer)
        if not pieces:
            return None
        places = tuple(
            (f"{_doubt_anchor(turn.id)}{number}", _shortened(plain(claim_of(piece.text)), DOUBT_LENGTH))
            for number, piece in enumerate(pieces[:DOUBTS], 1)
        )
        return Doubts(wording.doubts(len(pieces), self.language), places, more=len(pieces) > DOUBTS)

    def _failed(self, failure: AnswerFailed) -> Notice:
        told = told_of_failure(failure, self.language, self.now)
        return Notice(
            "fail",
            told.title,
            told.text,
            again=self.language.gettext("Try again") if told.remedy is Remedy.AGAIN else "",
            search=True,
            request_id=failure.request_id,
            line=told.line,
            change=told.remedy is Remedy.CHANGE,
            contact=self.interface.contact if told.remedy is Remedy.NONE else "",
        )

    def _notice(self, turn: Turn) -> Notice | None:
        gettext = self.language.gettext
        match turn.status:
            case TurnStatus.FAILED:
                return self._failed(turn.answer.failure or AnswerFailed("internal"))
            case TurnStatus.STOPPED:
                kept = (
                    gettext("What was written stays.") if turn.answer.segments else gettext("Nothing was written yet.")
                )
                return Notice("", gettext("You stopped this answer."), kept, gettext("Write it again"))
            case TurnStatus.INTERRUPTED:
                return Notice(
                    "doubt",
                    gettext("The answer broke off."),
                    gettext("The service was restarted while it was writing. Nothing that you typed is lost."),
                    gettext("Ask again"),
                )
            case _:
                return None

    def _notes(self, citations: Sequence[Citation], turn_id: str, *, folded: bool) -> tuple[Note, ...]:
        notes: list[Note] = []
        for citation in citations:
            passages = tuple(passage_html(passage, uri=citation.uri, words=self.words) for passage in citation.passages)
            shown = 0 if folded else 1
            notes.append(
                Note(
                    number=citation.number,
                    place=self._place(citation),
                    passage=passages[0] if shown and passages else None,
                    folded=passages[shown:],
                    id=f"note-{turn_id}-{citation.number}" if turn_id else "",
                    back=f"ref-{turn_id}-{citation.number}" if turn_id else "",
                )
            )
        return tuple(notes)

    # --- places ------------------------------------------------------------------------------------------------------

    def _place(self, citation: Citation) -> Place:
        headings = citation.passages[0].headings if citation.passages else ()
        return self.place(
            citation.name, citation.uri, citation.title, citation.collection, headings, marks(citation.passages)
        )

    def _pages(self, pages: Sequence[Page], limit: int) -> tuple[Place, ...]:
        return tuple(
            self.place(page.name, page.uri, page.title, page.collection, page.headings) for page in pages[:limit]
        )

    def place(
        self,
        name: str,
        uri: str,
        title: str,
        collection: str,
        headings: Sequence[str] = (),
        passages: Iterable[PassageMark] = (),
    ) -> Place:
        """A document as it is named in a list."""
        href = outside(uri)
        host = host_of(href)
        path = tuple(heading for heading in headings if heading)
        return Place(
            title=title or name.rpartition("/")[2] or name,
            reader=self.addresses.reader(name, passages),
            href=href,
            label=self.interface.label(collection) if collection else "",
            product=product_of(host) if collection in self.interface.remote else "",
            host=host,
            headings=path[1:] if path and path[0] == title else path,
        )

    def found(self, chunk: DocumentChunk) -> Place:
        """A search's hit, with its own words marked in the reader."""
        text = chunk.content.removeprefix(chunk.lead) if chunk.lead else chunk.content
        known = chunk.end > chunk.start and chunk.end - chunk.start == len(text)
        marked = (PassageMark.of(text, chunk.start),) if known else ()
        return self.place(chunk.parent, chunk.uri, chunk.title, chunk.collection, chunk.headings, marked)

    # --- lists -------------------------------------------------------------------------------------------------------

    def days(self, conversations: Sequence[Conversation], current: str = "") -> tuple[Day, ...]:
        """Conversations, newest first, under the days on which they were last asked in."""
        today = self.now.astimezone(UTC).date()
        labelled = groupby(
            conversations, key=lambda each: self.language.day(each.updated_at.astimezone(UTC).date(), today)
        )
        return tuple(
            Day(label, tuple(Entry(each.id, each.title, each.id == current) for each in group))
            for label, group in labelled
        )

    def choices(self, collections: Sequence[Collection], scope: Scope | None = None) -> tuple[Choice, ...]:
        """The collections that can be asked alone. Nothing is chosen where a scope holds several."""
        chosen = scope.collections if scope and len(scope.collections) == 1 else frozenset()
        return tuple(
            Choice(
                each.name,
                self.interface.label(each.name),
                ""
                if each.documents is None
                else self.language.ngettext("%(number)s document", "%(number)s documents", each.documents),
                each.name in chosen,
            )
            for each in collections
        )


def address_of(citations: Sequence[Citation]) -> Callable[[int], str]:
    """The address that a quoted document's own relative links begin at, by the citation's number."""
    uris = {citation.number: citation.uri for citation in citations}
    return lambda number: uris.get(number, "")


def marks(passages: Sequence[Passage]) -> tuple[PassageMark, ...]:
    """The places of those passages that stand word for word in their document."""
    return tuple(PassageMark.of(passage.text, passage.start) for passage in passages if passage.start is not None)


def _doubt_anchor(turn_id: str) -> str:
    """What the ids of sentences without a source begin with; their number follows."""
    return f"doubt-{turn_id}-"


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit].rpartition(' ')[0] or text[:limit]} …"

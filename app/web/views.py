"""What templates are given: one frozen value for each page and component. Not how they are made from the domain.

`href` is an address that is ready to be written, `html` is rendered and safe, `label` and `text` are plain.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from markupsafe import Markup

from app.web.errors import Told
from app.web.times import Line, Moment


@dataclass(frozen=True, slots=True)
class Interface:
    """What the operator decides about the pages, as plain values.

    `root_path` is the prefix under which a proxy offers the app (`/chat`), or empty. `assets_folder` holds the local
    copies of htmx. `labels` names collections as readers should see them; `remote` are those that remote servers hold:
    their names stay as they are, and the product that a host tells about stands beside them.
    """

    product_name: str = "Footnote"
    contact: str = ""
    starters: tuple[str, ...] = ()
    public_url: str = ""
    root_path: str = ""
    assets: Literal["cdn", "local"] = "cdn"
    assets_folder: Path | None = None
    question_limit: int = 4000
    version: str = "0"
    labels: Mapping[str, str] = field(default_factory=dict)
    remote: frozenset[str] = frozenset()

    def label(self, collection: str) -> str:
        """A collection or remote source as readers know it."""
        if collection in self.labels:
            return self.labels[collection]
        if collection in self.remote:
            return collection[:1].upper() + collection[1:]
        return collection.replace("-", " ").replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class Entry:
    """A conversation in the side list."""

    id: str
    title: str
    current: bool


@dataclass(frozen=True, slots=True)
class Day:
    """The conversations of one day, or of several older ones under one heading."""

    label: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A collection that can be asked alone, and how many documents it has."""

    value: str
    label: str
    documents: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Composer:
    """Where a question is typed. `stop` is the running turn that its button stops, or empty."""

    action: str
    docked: bool
    choices: tuple[Choice, ...]
    limit: int
    question: str = ""
    error: Told | None = None
    stop: str = ""
    id: str = "ask"


@dataclass(frozen=True, slots=True)
class Status:
    """What was done so far, step by step. `running`: the last step is under way."""

    steps: tuple[str, ...]
    running: bool = False
    seconds: str = ""
    asked: Moment | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A document as it is named in a list: its address outside (empty where it has none), and our reader's.

    `headings` lead down to the passage; `reader` opens the document here with its passages marked. `label` names the
    source, `product` what the host tells about, where that is known.
    """

    title: str
    reader: str
    href: str = ""
    label: str = ""
    product: str = ""
    host: str = ""
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cite:
    """A citation's numeral in the text. `id` only where the text is final: streamed text has no ids."""

    number: int
    place: Place
    first: bool
    id: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote: a document, and the passages that the text rests on. `folded` are the passages after the first."""

    number: int
    place: Place
    passage: Markup | None
    folded: tuple[Markup, ...] = ()
    id: str = ""
    back: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """The footnotes of an answer, and the pages that were found but not cited."""

    notes: tuple[Note, ...]
    also: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence about the turn: `tone` is empty, `doubt` or `fail`; `again` names the button that asks once more.

    `line` stands for the text where a time is in it. `change`: to ask in other words helps; `contact`: whom to tell.
    """

    tone: str
    title: str
    text: str
    again: str = ""
    search: bool = False
    request_id: str = ""
    line: Line | None = None
    change: bool = False
    contact: str = ""


@dataclass(frozen=True, slots=True)
class Aside:
    """What stands above an answer in quiet lines: the question that was searched for, and how the answer came to be."""

    searched_for: str = ""
    remarks: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Doubts:
    """The pieces of an answer that have no source: how many, and each with its place on the page and its words."""

    label: str
    places: tuple[tuple[str, str], ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class TurnView:
    """A question and its answer in one of its states. `face` is the turn's status, or `live` while it is followed.

    `beside`: there is room for the footnotes in the margin.
    """

    id: str
    face: str
    question: str
    status: Status
    says: str
    beside: bool = False
    aside: Aside = Aside()
    heading: str = ""
    blocks: tuple[Markup, ...] = ()
    sources: Sources | None = None
    weak: tuple[Note, ...] = ()
    closest: tuple[Place, ...] = ()
    notice: Notice | None = None
    rephrase: Composer | None = None
    contact: str = ""
    doubts: Doubts | None = None
    tools: bool = False


@dataclass(frozen=True, slots=True)
class AskPage:
    """The start: a composer, questions to begin with, what can be asked about."""

    composer: Composer
    starters: tuple[str, ...]
    collections: tuple[Choice, ...]
    documents: int
    days: tuple[Day, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """A conversation."""

    id: str
    title: str
    turns: tuple[TurnView, ...]
    composer: Composer
    days: tuple[Day, ...] = ()
    waited: bool = False
    announced: str = ""


@dataclass(frozen=True, slots=True)
class DeletePage:
    """Asks before a conversation is deleted."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A heading of a document and those below it."""

    text: str
    anchor: str
    below: tuple["Outline", ...] = ()


@dataclass(frozen=True, slots=True)
class Marked:
    """A passage that is marked in the reader."""

    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A document in the reader. `lost` counts passages that were asked for and are not there word for word."""

    place: Place
    address: str
    language: str
    direction: str
    html: Markup
    outline: tuple[Outline, ...]
    marked: tuple[Marked, ...]
    titled: bool = False
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A document that a search found, with the words around what matched."""

    place: Place
    passage: Markup


@dataclass(frozen=True, slots=True)
class SearchPage:
    """Documents without an answer. `results` is None before anything was searched."""

    query: str
    collection: str
    tabs: tuple[Choice, ...]
    results: tuple[Result, ...] | None = None
    seconds: str = ""
    error: Told | None = None
    days: tuple[Day, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """A plain page that says what happened and what can be done."""

    told: Told
    request_id: str

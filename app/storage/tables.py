"""The schema, once, for SQLite and PostgreSQL alike. Not the queries: each module beside this one has its own.

Times are stored in UTC. Identifiers of conversations and turns are random text, so none can be guessed.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Key = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up only what is called INTEGER
Time = DateTime(timezone=True)

# --- knowledge -------------------------------------------------------------------------------------------------------

collections = Table(
    "collections",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("created_at", Time, nullable=False),
    Column("updated_at", Time, nullable=False),
)

# A document's row is never changed once it is live: a changed page is a new row, staged beside the old one; one short
# transaction at the end of an ingest makes the staged rows live and the replaced ones removed. Removed rows stay
# readable by id until the next ingest begins, because a reader may still hold the former index.
documents = Table(
    "documents",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),  # documents/{uri without scheme}
    Column("uri", Text, nullable=False),
    Column("collection", ForeignKey("collections.name"), nullable=False),
    Column("state", String(10), nullable=False),  # staged, live, removed
    Column("generation", Integer, nullable=False),  # the ingest that staged it
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("language", String(35), nullable=False),
    Column("product", String(200), nullable=False, server_default=""),
    Column("version", String(200), nullable=False, server_default=""),
    Column("content", Text, nullable=False),  # Markdown
    Column("origin", Text, nullable=False),  # the path below the ingested folder; where --prune looks
    Column("digest", LargeBinary(32), nullable=False),  # SHA-256 of the raw bytes, address and reader's version
    Column("updated_at", Time, nullable=False),
)
Index(
    "uq_documents_live_name",
    documents.c.name,
    unique=True,
    sqlite_where=text("state = 'live'"),
    postgresql_where=text("state = 'live'"),
)
Index("ix_documents_collection_state", documents.c.collection, documents.c.state)
Index("ix_documents_name", documents.c.name)

# A chunk is a slice of its document's content: content[start:end], behind `lead` (a table's header row, or empty).
chunks = Table(
    "chunks",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    Column("document_id", ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("headings", JSON, nullable=False),  # the heading path, a list of texts
    Column("lead", Text, nullable=False),
    UniqueConstraint("document_id", "position"),
)

# Few facts about the whole: "generation" counts the ingests that went live.
facts = Table(
    "facts",
    metadata,
    Column("key", String(50), primary_key=True),
    Column("value", JSON, nullable=False),
)

# --- what other services allow, and who may use us by a program -------------------------------------------------------

# How often a tool of a source was called on a day. A day is the source's own (its quota's), as YYYY-MM-DD.
quota_days = Table(
    "quota_days",
    metadata,
    Column("source", String(200), primary_key=True),
    Column("tool", String(60), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("used", Integer, nullable=False),
    Column("exhausted", Integer, nullable=False, server_default="0"),  # the source itself said that the day is used up
)

# A program's way in. Only the token's SHA-256 is kept; its first characters tell which one it is.
tokens = Table(
    "tokens",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("owner", String(200), nullable=False),  # the user that it acts as
    Column("beginning", String(20), nullable=False),
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("scopes", JSON, nullable=False),  # a list of: ask, search, mcp
    Column("created_at", Time, nullable=False),
    Column("expires_at", Time, nullable=False),
    Column("used_at", Time),
    Column("revoked_at", Time),
)

# --- conversations ---------------------------------------------------------------------------------------------------

conversations = Table(
    "conversations",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("title", Text, nullable=False),
    Column("created_at", Time, nullable=False),
    Column("updated_at", Time, nullable=False),
)
Index("ix_conversations_owner_updated_at", conversations.c.owner, conversations.c.updated_at)

turns = Table(
    "turns",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("conversation_id", ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("language", String(35), nullable=False),
    Column("scope", JSON, nullable=False),
    Column("status", String(20), nullable=False),
    Column("created_at", Time, nullable=False),
    Column("finished_at", Time),
    Column("milliseconds", Integer),
    Column("lease_holder", String(80)),  # the process that writes the answer
    Column("lease_until", Time),  # after this another may take over, or mark it interrupted
    Column("stop_requested", Integer, nullable=False, server_default="0"),  # seen by whichever process writes
    UniqueConstraint("conversation_id", "position"),
)
Index("ix_turns_status", turns.c.status)

answers = Table(
    "answers",
    metadata,
    Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("text", Text, nullable=False),
    Column("body", JSON, nullable=False),  # the Answer without its citations
)

citations = Table(
    "citations",
    metadata,
    Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("uri", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("collection", Text, nullable=False),
    Column("passages", JSON, nullable=False),
)
Index("ix_citations_name", citations.c.name)

events = Table(
    "events",
    metadata,
    Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),  # 1, 2, 3 …: the event's id in every stream
    Column("event", JSON, nullable=False),
)

"""What a document's row may be, and how many values one statement takes. Not the queries."""

# Staged, live, removed. All are of one length: then SQLite changes a state in its place, where it would else write the
# whole row with its content anew, and an ingest of many pages would keep other writers waiting at its end.
STAGED, LIVE, REMOVED = "next", "live", "gone"
IN_ONE_STATEMENT = 500  # SQLite binds at most 32,766 values

"""What a document's row may be, and how many values one statement takes. Not the queries."""

STAGED, LIVE, REMOVED = "staged", "live", "removed"
IN_ONE_STATEMENT = 500  # SQLite binds at most 32,766 values

"""How often a source's tools were called on a day, as rows that all processes share. Not how often they may be."""

from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.engine import Database
from app.storage.tables import quota_days


class QuotaDays:
    """The counts of one source. `day` is YYYY-MM-DD, a unit is a tool's name.

    Rows stay for ever, one a day and tool: were old ones deleted, a clock that jumped ahead and was set back would
    grant its day anew.
    """

    def __init__(self, database: Database, source: str) -> None:
        self._database = database
        self._source = source

    async def take(self, day: str, limits: Mapping[str, int]) -> str | None:
        """Take one of each unit, all or none; the unit of which nothing is left, or None when they were taken."""
        async with self._database.writing() as connection:
            for unit in sorted(limits):  # always in one order: two processes cannot wait for each other
                await connection.execute(self._row(day, unit).on_conflict_do_nothing())
            counts = await self._counts(connection, day, limits, locked=True)
            empty = next((unit for unit, left in counts.items() if left <= 0), None)
            if empty is None:
                await connection.execute(
                    update(quota_days)
                    .where(*self._of(day), quota_days.c.tool.in_(limits))
                    .values(used=quota_days.c.used + 1)
                )
        return empty

    async def give_back(self, day: str, units: Sequence[str]) -> None:
        """One of each was taken for a call that was never sent."""
        if not units:
            return
        async with self._database.writing() as connection:
            await connection.execute(
                update(quota_days)
                .where(*self._of(day), quota_days.c.tool.in_(units), quota_days.c.used > 0)
                .values(used=quota_days.c.used - 1)
            )

    async def exhaust(self, day: str, unit: str) -> None:
        """The source itself said that nothing is left of this day."""
        row = self._row(day, unit, exhausted=1)
        async with self._database.writing() as connection:
            await connection.execute(
                row.on_conflict_do_update(
                    index_elements=[quota_days.c.source, quota_days.c.tool, quota_days.c.day], set_={"exhausted": 1}
                )
            )

    async def left(self, day: str, limits: Mapping[str, int]) -> Mapping[str, int]:
        """How many of each unit are left; never less than 0."""
        async with self._database.reading() as connection:
            return await self._counts(connection, day, limits)

    async def _counts(
        self, connection: AsyncConnection, day: str, limits: Mapping[str, int], *, locked: bool = False
    ) -> dict[str, int]:
        wanted = (
            select(quota_days.c.tool, quota_days.c.used, quota_days.c.exhausted)
            .where(*self._of(day), quota_days.c.tool.in_(limits))
            .order_by(quota_days.c.tool)
        )
        rows = (await connection.execute(wanted.with_for_update() if locked else wanted)).all()
        found = {row.tool: (row.used, row.exhausted) for row in rows}
        counts = {}
        for unit, limit in limits.items():
            used, exhausted = found.get(unit, (0, 0))
            counts[unit] = 0 if exhausted else max(0, limit - used)
        return counts

    def _of(self, day: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        return quota_days.c.source == self._source, quota_days.c.day == day

    def _row(self, day: str, unit: str, exhausted: int = 0) -> sqlite.Insert | postgresql.Insert:
        insert = sqlite.insert if self._database.dialect == "sqlite" else postgresql.insert
        return insert(quota_days).values(source=self._source, tool=unit, day=day, used=0, exhausted=exhausted)

"""`footnote index`: how the index is, whether it is right, making it anew. Not how it is built."""

import asyncio

import typer
from rich.console import Console

from app.bootstrap.corpus import open_upkeep
from app.bootstrap.storage import data_folder
from app.cli.knowledge import JsonOption
from app.cli.output import IngestBar, print_json
from app.corpus.index.keeping import Counts
from app.corpus.upkeep import IndexStatus, Rebuilt, Verified
from app.settings.reading import load
from app.settings.values import Settings

MB = 1_000_000
MEND = "make the index anew with: footnote index rebuild"

index = typer.Typer(
    name="index", help="The search index: how it is, whether it is right, making it anew.", no_args_is_help=True
)


@index.command()
def status(as_json: JsonOption = False) -> None:
    """Show what index and database hold, and who is writing. Changes nothing."""
    found = asyncio.run(_status(load()))  # a full disk can be looked at, too
    if as_json:
        print_json(status_object(found))
        return
    rows = (
        ("database", f"generation {found.database_generation or 'none'}, {_told(found.in_database)}"),
        ("index", f"generation {found.index_generation or 'none'}, {_told(found.in_index)}, {found.bytes / MB:.1f} MB"),
        ("made", f"{found.made_at.astimezone():%Y-%m-%d %H:%M:%S}, as {found.recipe}" if found.made_at else "never"),
        ("writing", found.writer or "nobody"),
        ("together", "they agree" if found.agrees else f"they differ: {MEND}"),
    )
    out = Console(highlight=False)
    for name, text in rows:
        out.print(f"{name:9} {text}", markup=False, soft_wrap=True)


@index.command()
def rebuild(as_json: JsonOption = False) -> None:
    """Make the index anew from the database. Readers keep the former one until the new one is there."""
    settings = load()
    data_folder(settings)
    done = asyncio.run(_rebuilt(settings))
    if as_json:
        print_json(rebuilt_object(done))
    else:
        print(f"{_told(done.counts)}, {done.bytes / MB:.1f} MB, in {done.seconds:.1f} s")


@index.command()
def verify(as_json: JsonOption = False) -> None:
    """Compare the index with its sums and with the database, key by key. Exit code 1 where something is wrong."""
    found = asyncio.run(_verified(load()))
    if as_json:
        print_json(verified_object(found))
    else:
        _print_verified(found)
    if not found.sound:
        raise typer.Exit(1)


async def _status(settings: Settings) -> IndexStatus:
    async with open_upkeep(settings) as upkeep:
        return await upkeep.status()


async def _rebuilt(settings: Settings) -> Rebuilt:
    with IngestBar() as bar:
        async with open_upkeep(settings) as upkeep:
            return await upkeep.rebuild(bar.update)


async def _verified(settings: Settings) -> Verified:
    async with open_upkeep(settings) as upkeep:
        return await upkeep.verify()


def _print_verified(found: Verified) -> None:
    out = Console(highlight=False)
    for fault in found.faults:
        out.print(f"FAIL {fault}", markup=False, soft_wrap=True)
    if (more := found.faults_in_all - len(found.faults)) > 0:
        out.print(f"… and {more} more", markup=False)
    out.print(
        f"ok   {_told(found.counts)}, all as in the database" if found.sound else f"Mend it: {MEND}", markup=False
    )


def _told(counts: Counts) -> str:
    return f"{counts.documents} documents, {counts.chunks} chunks"


def status_object(found: IndexStatus) -> dict[str, object]:
    """The object of `footnote index status --json`."""
    return {
        "agrees": found.agrees,
        "database": {"generation": found.database_generation, **_counts_object(found.in_database)},
        "index": {
            "generation": found.index_generation,
            **_counts_object(found.in_index),
            "bytes": found.bytes,
            "recipe": found.recipe,
            "recipe_wanted": found.recipe_wanted,
            "made_at": found.made_at.isoformat() if found.made_at else None,
        },
        "writer": found.writer or None,
    }


def rebuilt_object(done: Rebuilt) -> dict[str, object]:
    """The object of `footnote index rebuild --json`."""
    return {**_counts_object(done.counts), "bytes": done.bytes, "seconds": round(done.seconds, 2)}


def verified_object(found: Verified) -> dict[str, object]:
    """The object of `footnote index verify --json`."""
    return {
        "sound": found.sound,
        **_counts_object(found.counts),
        "faults": list(found.faults),
        "faults_in_all": found.faults_in_all,
        "mend": None if found.sound else "footnote index rebuild",
    }


def _counts_object(counts: Counts) -> dict[str, object]:
    return {"documents": counts.documents, "chunks": counts.chunks}

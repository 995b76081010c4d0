"""`footnote check`, `settings`, `migrate` and `assets`: what an operator asks of the installation itself."""

import asyncio
from typing import Annotated

import typer
from rich.console import Console

from app.bootstrap.checks import check_neighbours, tried
from app.bootstrap.storage import data_folder, migrate_database
from app.cli.knowledge import JsonOption
from app.cli.output import print_json
from app.settings.reading import SettingLine, listing, load


def check(as_json: JsonOption = False) -> None:
    """Try database, index and assets, and say what to mend. Exit code 1 where something is amiss."""
    settings = load()
    findings = [*asyncio.run(check_neighbours(settings))]
    if settings.assets == "local":
        from app.web.assets import verified  # noqa: PLC0415  # late, like fetch below

        findings.append(tried("assets", lambda: f"{len(verified(settings.data / 'assets'))} files, verified"))
    if as_json:
        print_json([{"name": part.name, "ok": part.ok, "detail": part.detail} for part in findings])
    else:
        out = Console(highlight=False)
        for part in findings:
            out.print(f"{'ok  ' if part.ok else 'FAIL'} {part.name:10} {part.detail}", markup=False, soft_wrap=True)
    if not all(part.ok for part in findings):
        raise typer.Exit(1)


def settings(
    as_json: JsonOption = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As the table of docs/settings.md.")] = False,
) -> None:
    """List each setting with its help, default and present value; secrets as dots."""
    lines = tuple(listing(load()))
    if as_json:
        print_json(
            [{"name": line.name, "value": line.value, "default": line.default, "help": line.help} for line in lines]
        )
    elif markdown:
        print(as_markdown(lines))
    else:
        out = Console(highlight=False)
        for line in lines:
            out.print(f"{line.name}={line.value}", style="bold", markup=False, soft_wrap=True)
            out.print(f"    {line.help} Default: {line.default or 'none'}", markup=False, soft_wrap=True)


def as_markdown(lines: tuple[SettingLine, ...]) -> str:
    """The table in docs/settings.md and README.md: defaults only, so that it is the same everywhere."""
    rows = (f"| `{line.name}` | {f'`{line.default}`' if line.default else ''} | {_cell(line.help)} |" for line in lines)
    return "\n".join(("| Setting | Default | What it does |", "| --- | --- | --- |", *rows))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def migrate() -> None:
    """Bring the database to this version's schema. A start does the same."""
    settings = load()
    data_folder(settings)
    asyncio.run(migrate_database(settings))
    print("The database is up to date.")


def assets() -> None:
    """Fetch the pinned htmx files into the data folder and verify them, for FOOTNOTE_ASSETS=local."""
    settings = load()
    from app.web.assets import fetch  # noqa: PLC0415  # late: what it needs to fetch with is needed nowhere else

    folder = data_folder(settings).path / "assets"
    fetch(folder)
    print(f"The htmx files are in {folder}, verified.")

"""The command line `footnote`: its commands, its exit codes, how an error is told. Not what a command does."""

import sys
from typing import Annotated

import typer

from app import __version__
from app.cli.asking import ask, evaluate
from app.cli.index import index
from app.cli.knowledge import get, ingest, search
from app.cli.mcp import mcp
from app.cli.operating import assets, check, migrate, settings
from app.cli.serving import serve
from app.cli.tokens import token
from app.domain.errors import AppError, DocumentNameInvalid, ManifestInvalid, PathMissing, QuestionError, SettingsError
from app.resources import PACKAGE
from app.telemetry.logging import configure_logging

WRONG_USE = (SettingsError, QuestionError, PathMissing, ManifestInvalid, DocumentNameInvalid)

program = typer.Typer(
    name="footnote",
    help="Answers questions about documentation, and proves every answer with footnotes.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (serve, ingest, ask, search, get, evaluate, check, settings, migrate, assets, mcp):
    program.command()(command)
program.add_typer(token)
program.add_typer(index)


def main() -> None:
    """Exit with 0 when done, 1 when it failed, 2 when it was used wrongly."""
    configure_logging(level="error", form="console")  # to standard error: results are for standard output alone
    try:
        program()
    except AppError as error:
        print(error_text(error), file=sys.stderr)
        sys.exit(2 if isinstance(error, WRONG_USE) else 1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has left, as `| head` does
        sys.stderr.close()
        sys.exit(1)


def error_text(error: AppError) -> str:
    """What the page says of the error, and below it what a reader is not told: names, paths, the database's words."""
    if isinstance(error, SettingsError):  # names the setting and the mend itself
        return f"footnote: {error}"
    from app.web.errors import told  # noqa: PLC0415  # late: most commands end well, and need no languages
    from app.web.i18n import Languages  # noqa: PLC0415

    said = told(error, Languages.load(PACKAGE / "locales").default)
    code = f"{said.code}: {error.detail}" if error.detail else said.code
    return f"footnote: {said.title} {said.text}\n  {code}"


def _version(wanted: bool) -> None:
    if wanted:
        print(f"footnote {__version__}")
        raise typer.Exit


@program.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options before any command."""

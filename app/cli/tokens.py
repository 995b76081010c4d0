"""`footnote token`: ways in for programs, made, listed and revoked. Not how a token is checked."""

import asyncio
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console

from app.bootstrap.storage import data_folder
from app.bootstrap.tokens import open_tokens
from app.cli.knowledge import JsonOption
from app.cli.output import print_json
from app.domain.tokens import Token, TokenScope
from app.settings.reading import load

LONGEST = 200  # characters of a name
MOST_DAYS = 366

token = typer.Typer(name="token", help="Ways in for programs: make, list, revoke.", no_args_is_help=True)


def _named(text: str) -> str:
    if not text.strip() or len(text) > LONGEST or not text.isprintable():
        raise typer.BadParameter(f"is no name. Give 1 to {LONGEST} printable characters.")
    return text.strip()


def _owner(text: str) -> str:
    return _named(text) if text else ""


@token.command()
def create(
    name: Annotated[str, typer.Argument(help="What it is for.", callback=_named)],
    scope: Annotated[
        list[TokenScope] | None, typer.Option("--scope", help="What it allows; repeatable. All, when not given.")
    ] = None,
    days: Annotated[int, typer.Option("--days", min=1, max=MOST_DAYS, help="It expires after so many days.")] = 90,
    owner: Annotated[
        str, typer.Option("--owner", callback=_owner, help="The user that it acts as; empty: one of its own.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Make a token and show its secret, this once."""
    made, secret = asyncio.run(_created(name, frozenset(scope or TokenScope), days, owner))
    if as_json:
        print_json({**token_object(made), "token": secret})
        return
    print(secret)
    allows = ", ".join(sorted(made.scopes))
    print(
        f"This is shown once. It allows {allows}, until {made.expires_at:%Y-%m-%d}. Its id: {made.id}", file=sys.stderr
    )


async def _created(name: str, scopes: frozenset[TokenScope], days: int, owner: str) -> tuple[Token, str]:
    settings = load()
    data_folder(settings)
    async with open_tokens(settings) as tokens:
        return await tokens.create(name, scopes, days=days, owner=owner)


@token.command("list")
def list_tokens(as_json: JsonOption = False) -> None:
    """List all tokens, without their secrets."""
    found = asyncio.run(_all())
    if as_json:
        print_json([token_object(each) for each in found])
        return
    out = Console(highlight=False)
    if not found:
        out.print("There are no tokens.")
        return
    for each in found:  # the id whole, on a line of its own: it is what `revoke` takes
        used = f"used {each.used_at:%Y-%m-%d %H:%M}" if each.used_at else "never used"
        out.print(f"{each.id}  {each.name}", style="bold", markup=False, soft_wrap=True)
        allows = " ".join(sorted(each.scopes))
        out.print(
            f"    {_state(each)}, expires {each.expires_at:%Y-%m-%d}, {used}; begins {each.beginning}…; "
            f"allows {allows}; acts as {each.owner}",
            markup=False,
            soft_wrap=True,
        )


async def _all() -> tuple[Token, ...]:
    settings = load()
    data_folder(settings)
    async with open_tokens(settings) as tokens:
        return await tokens.all()


@token.command()
def revoke(token_id: Annotated[str, typer.Argument(metavar="ID", help="As the list shows it.")]) -> None:
    """Take a token back. What it was opening ends with the next request."""
    if not asyncio.run(_revoked(token_id)):
        print("footnote: There is no token of this id. See: footnote token list", file=sys.stderr)
        raise typer.Exit(1)
    print("The token is revoked.")


async def _revoked(token_id: str) -> bool:
    settings = load()
    data_folder(settings)
    async with open_tokens(settings) as tokens:
        return await tokens.revoke(token_id)


def token_object(each: Token) -> dict[str, object]:
    """The fields of `footnote token list --json`."""
    return {
        "id": each.id,
        "name": each.name,
        "owner": each.owner,
        "begins": each.beginning,
        "scopes": sorted(each.scopes),
        "created_at": each.created_at.isoformat(),
        "expires_at": each.expires_at.isoformat(),
        "used_at": each.used_at.isoformat() if each.used_at else None,
        "revoked_at": each.revoked_at.isoformat() if each.revoked_at else None,
        "state": _state(each),
    }


def _state(each: Token) -> str:
    if each.revoked_at:
        return "revoked"
    return "valid" if each.opens(datetime.now(UTC)) else "expired"

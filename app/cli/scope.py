"""Where to look, as options of a command. Not what is found there."""

from typing import Annotated

import typer

from app.domain.documents import Scope

Names = list[str] | None

CollectionOption = Annotated[Names, typer.Option("--collection", "-c", help="Look only here; repeatable.")]
ProductOption = Annotated[Names, typer.Option("--product", help="Look only at documents about it; repeatable.")]
VersionOption = Annotated[Names, typer.Option("--version", help="Look only at this version; repeatable.")]
LanguageOption = Annotated[Names, typer.Option("--language", help="Look only at documents in it; repeatable.")]


def scope_of(
    collections: Names = None, products: Names = None, versions: Names = None, languages: Names = None
) -> Scope:
    """The scope that the options name."""
    return Scope(
        collections=frozenset(collections or ()),
        products=frozenset(products or ()),
        versions=frozenset(versions or ()),
        languages=frozenset(languages or ()),
    )

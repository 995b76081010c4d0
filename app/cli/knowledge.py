"""`footnote ingest`, `search` and `get`: the operator's documents, in and out. Not how they are read or ranked."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from app.answering.describing import described
from app.answering.reporting import document_object, part_object
from app.bootstrap.corpus import Corpus, ingest_paths, open_corpus
from app.bootstrap.knowledge import open_knowledge
from app.bootstrap.storage import data_folder
from app.cli.output import IngestBar, print_json
from app.cli.scope import CollectionOption, LanguageOption, ProductOption, VersionOption, scope_of
from app.corpus.ingest import IngestReport, OnProgress
from app.domain.documents import EVERYWHERE, Document, DocumentChunk, Scope
from app.settings.reading import load
from app.settings.values import Settings

SHOWN_SKIPS = 20  # the rest is counted; --json tells all

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON value on standard output, for programs.")]


def ingest(  # options, by name on the command line
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.", show_default=False)],
    collection: Annotated[str, typer.Option("--collection", "-c", help="Name of the set they belong to.")],
    base_uri: Annotated[str | None, typer.Option(help="Address under which the documents are published.")] = None,
    manifest: Annotated[Path | None, typer.Option(help="JSON lines with path, uri, title, lang.")] = None,
    product: Annotated[str, typer.Option(help="Product that the documents are about.")] = "",
    version: Annotated[str, typer.Option(help="Version of the product that they are about.")] = "",
    prune: Annotated[bool, typer.Option("--prune", help="Remove documents of the collection that are gone.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take documents into the knowledge, only what changed. Readers keep the former state until all is in."""
    settings = load()
    data_folder(settings)

    def taken(corpus: Corpus, progress: OnProgress) -> Coroutine[None, None, IngestReport]:
        return ingest_paths(
            corpus,
            paths,
            collection=collection,
            base_uri=base_uri,
            manifest=manifest,
            product=product,
            version=version,
            prune=prune,
            progress=progress,
        )

    report = asyncio.run(_ingested(settings, taken))
    if as_json:
        print_json(report_object(report))
    else:
        _print_report(report, collection)


async def _ingested(
    settings: Settings, taken: Callable[[Corpus, OnProgress], Coroutine[None, None, IngestReport]]
) -> IngestReport:
    with IngestBar() as bar:
        async with open_corpus(settings, progress=bar.update) as corpus:
            return await taken(corpus, bar.update)


def report_object(report: IngestReport) -> dict[str, object]:
    """The object of `footnote ingest --json`."""
    return {
        "added": report.added,
        "changed": report.changed,
        "same": report.same,
        "removed": report.removed,
        "skipped": len(report.skipped),
        "seconds": round(report.seconds, 2),
        "skipped_files": [{"file": skipped.origin, "reason": skipped.reason} for skipped in report.skipped],
        "warnings": [{"file": warning.origin, "reason": warning.reason} for warning in report.warnings],
    }


def _print_report(report: IngestReport, collection: str) -> None:
    out = Console(highlight=False)
    out.print(
        f"{collection}: {report.added} added, {report.changed} changed, {report.same} the same, "
        f"{report.removed} removed, {len(report.skipped)} skipped in {report.seconds:.1f} s",
        markup=False,
    )
    for heading, files in (("Skipped", report.skipped), ("Taken with a warning", report.warnings)):
        if files:
            out.print(f"{heading}:", markup=False)
        for file in files[:SHOWN_SKIPS]:
            out.print(f"  {_on_one_line(file.origin)}: {file.reason}", markup=False, soft_wrap=True)
        if len(files) > SHOWN_SKIPS:
            out.print(f"  … and {len(files) - SHOWN_SKIPS} more; --json tells all", markup=False)


def _on_one_line(name: str) -> str:
    """A file name may hold anything, a line break or a terminal's command too."""
    return name.encode("unicode_escape").decode("ascii") if not name.isprintable() else name


def search(
    query: Annotated[str, typer.Argument(help="Words or a question.")],
    collection: CollectionOption = None,
    product: ProductOption = None,
    version: VersionOption = None,
    language: LanguageOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=50, help="At most so many parts.")] = 5,
    as_json: JsonOption = False,
) -> None:
    """Find the parts of documents that match best, without an answer."""
    settings = load()
    data_folder(settings)
    found = asyncio.run(_found(settings, query, scope_of(collection, product, version, language), limit))
    if as_json:
        print_json({"results": [part_object(chunk) for chunk in found]})
        return
    out = Console(highlight=False)
    for chunk in found:
        out.print(f"{chunk.title}  {' › '.join(chunk.headings)}", style="bold", markup=False)
        out.print(chunk.uri, style="cyan", markup=False, soft_wrap=True)
        out.print(chunk.content.strip()[:400], markup=False)
        out.print()
    if not found:
        out.print("Nothing matches. Try other words, or fewer.")


async def _found(settings: Settings, query: str, scope: Scope, limit: int) -> tuple[DocumentChunk, ...]:
    async with open_knowledge(settings) as knowledge:
        found = await knowledge.source.search_documents(query, scope, limit)
        return await described(knowledge.source, found, scope)


def get(
    name: Annotated[str, typer.Argument(help="documents/… or the address.")],
    as_json: JsonOption = False,
) -> None:
    """Print one whole document as Markdown."""
    settings = load()
    data_folder(settings)
    document = asyncio.run(_document(settings, name))
    if as_json:
        print_json(document_object(document))
    else:
        print(document.content)


async def _document(settings: Settings, name: str) -> Document:
    async with open_knowledge(settings) as knowledge:
        return await knowledge.source.get_document(knowledge.name_given(name), EVERYWHERE)

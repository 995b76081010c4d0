"""What an operator asks of the installation: each part tried in turn. Not how a finding is printed."""

from collections.abc import Callable
from dataclasses import dataclass

from app.bootstrap.corpus import open_corpus
from app.bootstrap.storage import data_folder
from app.domain.errors import AppError
from app.settings.values import Settings


@dataclass(frozen=True, slots=True)
class Finding:
    """How one part of the installation is: `detail` says what was seen, or what to mend."""

    name: str
    ok: bool
    detail: str


async def check_neighbours(settings: Settings) -> tuple[Finding, ...]:
    """Try each part in turn; one that fails does not hide the others."""
    findings = [tried("data", lambda: str(data_folder(settings).path))]
    try:
        async with open_corpus(settings) as corpus:
            collections = await corpus.source.collections()
            documents = sum(collection.documents or 0 for collection in collections)
            findings.append(Finding("database", ok=True, detail="opened, schema up to date"))
            readiness = await corpus.source.readiness()
            counted = f"{documents} documents in {len(collections)} collections"
            findings.append(
                Finding("index", readiness.ready, counted if readiness.ready else "empty: ingest documents")
            )
    except AppError as error:
        findings.append(Finding("database", ok=False, detail=f"{error.code}: {error.detail}"))
    return tuple(findings)


def tried(name: str, attempt: Callable[[], str]) -> Finding:
    """What came of trying one part: its own words, or the error's code and detail."""
    try:
        return Finding(name, ok=True, detail=attempt())
    except AppError as error:
        return Finding(name, ok=False, detail=f"{error.code}: {error.detail or error}")

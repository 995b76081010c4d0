"""What becomes of each material of an ingest: counted, and the names that are taken. Not how anything is stored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.corpus.materials import SkippedFile
from app.corpus.parsing import Parsed, Refused, Result, Same
from app.storage.documents import Known


@dataclass(slots=True)
class Tally:
    """What has become of the materials so far, and which names are taken: of two files for one, the first has it."""

    skipped: list[SkippedFile]
    warnings: list[SkippedFile] = field(default_factory=list)
    added: int = 0
    changed: int = 0
    same: int = 0
    removed: int = 0
    stale: list[int] = field(default_factory=list)  # keys of the rows that are replaced
    _unread: set[str] = field(default_factory=set)  # names of what cannot be read now
    _taken: dict[str, str] = field(default_factory=dict)  # name: origin
    _folded: dict[str, str] = field(default_factory=dict)  # name without regard to case, where it has one: origin
    _by_name: dict[str, Known] = field(default_factory=dict)
    _by_origin: dict[str, list[Known]] = field(default_factory=dict)

    def knows(self, known: Iterable[Known]) -> None:
        """What is stored before."""
        for each in known:
            self._by_name[each.name] = each
            self._by_origin.setdefault(each.origin, []).append(each)

    def digests_of(self, origin: str) -> frozenset[bytes]:
        return frozenset(each.digest for each in self._by_origin.get(origin, ()))

    def gone(self) -> list[Known]:
        """What is stored, but not among the materials."""
        kept = self._taken.keys() | self._unread
        return [each for name, each in sorted(self._by_name.items()) if name not in kept]

    def counted(self, results: Sequence[Result], elsewhere: Mapping[str, str]) -> list[Parsed]:
        """The documents that must be written; everything is counted. `elsewhere`: names of other collections."""
        fresh = []
        for result in results:
            match result:
                case Same(origin, digest):
                    name = next(each.name for each in self._by_origin[origin] if each.digest == digest)
                    if self._takes(name, origin):
                        self.same += 1
                case Refused(origin, reason):
                    self.skipped.append(SkippedFile(origin, reason))
                    self._unread.update(each.name for each in self._by_origin.get(origin, ()))  # that is not gone
                case Parsed():
                    if self._is_new(result, elsewhere):
                        fresh.append(result)
        return fresh

    def _is_new(self, result: Parsed, elsewhere: Mapping[str, str]) -> bool:
        name, origin = result.document.name, result.origin
        if other := elsewhere.get(name):
            self.skipped.append(SkippedFile(origin, f"is in the collection {other} already"))
            return False
        if not self._takes(name, origin):
            return False
        self.warnings += [SkippedFile(origin, warning) for warning in result.warnings]
        if former := self._by_name.get(name):
            self.changed += 1
            self.stale.append(former.id)
        else:
            self.added += 1
        return True

    def _takes(self, name: str, origin: str) -> bool:
        if first := self._taken.get(name):
            self.skipped.append(SkippedFile(origin, f"has the same address as {first}"))
            return False
        self._taken[name] = origin
        if twin := self._twin(name, origin):
            self.warnings.append(SkippedFile(origin, f"has an address that differs from that of {twin} only in case"))
        return True

    def _twin(self, name: str, origin: str) -> str | None:
        """The first origin whose name differs in case only. Most names are in lower case, and are held once."""
        folded = name.casefold()
        twin = self._folded.get(folded) or (self._taken.get(folded) if folded != name else None)
        if folded != name and not twin:
            self._folded[folded] = origin
        return twin

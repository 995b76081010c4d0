"""`python -m tests.bench.attribution`: how well sentences are bound to documents. Labelled by hand, three parts.

What is tuned is tuned on `dev`; `fresh` is what is reported. tests/data/attribution/README.md tells the labels.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from app.answering.attribution.attribution import Attribution
from app.domain.documents import Document, name_of

DATA = Path(__file__).parents[1] / "data" / "attribution"
BOUND = ("right", "elsewhere")  # labels that want a number


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence as a model would write it, the documents that it is given, and what is to be said of it."""

    half: str
    given: tuple[str, ...]
    label: str
    document: str
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """To which documents a sentence was bound, by their keys."""

    labelled: Labelled
    bound: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether it has its number, or rightly none."""
        wanted = (self.labelled.document,) if self.labelled.label in BOUND else ()
        return self.bound[:1] == wanted


@dataclass(frozen=True, slots=True)
class Score:
    """Precision: of the sentences with a number, how many are right. Recall: of the right ones, how many have one."""

    verdicts: tuple[Verdict, ...]

    @property
    def precision(self) -> float:
        numbered = [verdict for verdict in self.verdicts if verdict.bound]
        return sum(verdict.right for verdict in numbered) / len(numbered)

    @property
    def recall(self) -> float:
        return self.of(*BOUND)

    def of(self, *labels: str) -> float:
        """The share of these labels' sentences that got what they should."""
        met = [verdict.right for verdict in self.verdicts if verdict.labelled.label in labels]
        return sum(met) / len(met)


def excerpts() -> dict[str, Document]:
    """The documents by their keys."""
    found = {}
    for line in (DATA / "excerpts.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row["key"]] = Document(name_of(row["uri"]), row["uri"], row["content"], row["title"])
    return found


def labelled() -> tuple[Labelled, ...]:
    """The whole set."""
    rows = map(json.loads, (DATA / "sentences.jsonl").read_text(encoding="utf-8").splitlines())
    return tuple(Labelled(**{**row, "given": tuple(row["given"])}) for row in rows)


def judged(half: str) -> Score:
    """One half, each sentence among the documents that it is given."""
    return Score(tuple(_judged(half, lambda each: each.given)))


def control(half: str) -> float:
    """The share of true sentences that get a number among documents that have nothing to do with them."""
    keys = list(excerpts())
    groups = {each.given for each in labelled()}
    foreign = {given: tuple(key for key in keys if key not in given)[:: max(1, len(groups) // 2)] for given in groups}
    verdicts = [v for v in _judged(half, lambda each: foreign[each.given]) if v.labelled.label in BOUND]
    return sum(bool(verdict.bound) for verdict in verdicts) / len(verdicts)


def _judged(half, given) -> Iterator[Verdict]:
    documents = excerpts()
    keys = {document.name: key for key, document in documents.items()}
    made: dict[Sequence[str], Attribution] = {}
    for each in labelled():
        if each.half == half:
            among = given(each)
            if among not in made:
                made[among] = Attribution([documents[key] for key in among])
            supports = made[among].support(each.sentence)
            yield Verdict(each, tuple(keys[support.document.name] for support in supports))


def main() -> int:
    out = sys.stdout
    for half in ("dev", "test", "fresh"):
        if half != "dev" and "--dev" in sys.argv:
            continue
        began = perf_counter()
        score = judged(half)
        spent = (perf_counter() - began) / len(score.verdicts)
        out.write(
            f"{half}: {len(score.verdicts)} sentences, precision {score.precision:.3f}, recall {score.recall:.3f}"
        )
        out.write(f", foreign documents {control(half):.3f}, {spent * 1000:.2f} ms a sentence\n")
        counts = Counter(verdict.labelled.label for verdict in score.verdicts)
        for label, count in sorted(counts.items()):
            out.write(f"  {label:15}{count:4}  {score.of(label):.2f}\n")
        if "--errors" in sys.argv:
            for verdict in score.verdicts:
                if not verdict.right:
                    each = verdict.labelled
                    out.write(f"  {each.label} {each.document} -> {verdict.bound}: {each.sentence}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

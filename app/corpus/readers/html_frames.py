"""What a list, an item, a quote or a table of HTML gathers, and the Markdown it becomes. Not the walk over the tree."""

from dataclasses import dataclass, field

from app.corpus.readers.vault import FENCE_OPEN, Vault


@dataclass(slots=True)
class Frame:
    """An element that holds blocks: the page, a list, an item, a quote, a table, a row, a cell."""

    kind: str
    blocks: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    heads: int = 0
    count: int = 0
    ordered: bool = False
    span: int = 1
    terms: list[str] = field(default_factory=list)  # of a definition list: those that wait for their meaning
    owed: dict[int, int] = field(default_factory=dict)  # columns that a cell above still covers -> rows left


def put_item(parent: Frame, frame: Frame) -> None:
    blocks = frame.blocks
    if parent.terms:
        term = ", ".join(parent.terms)
        parent.terms.clear()
        simple = blocks and FENCE_OPEN not in blocks[0] and not blocks[0].startswith(("- ", "1. ", "> ", "| ", "#"))
        blocks = [f"{term}: {blocks[0]}", *blocks[1:]] if simple else [term, *blocks]
    if not blocks:
        return
    parent.count += 1
    mark = f"{parent.count}. " if parent.ordered else "- "
    one_and_a_list = len(blocks) == 2 and "\n" not in blocks[0] and blocks[1].startswith(("- ", "1. "))
    lines = ("\n" if one_and_a_list else "\n\n").join(blocks).split("\n")
    pad = " " * len(mark)
    parent.blocks.append("\n".join([mark + lines[0], *((pad + line).rstrip() for line in lines[1:])]))


def listed(items: list[str]) -> str:
    return ("\n\n" if any("\n\n" in item for item in items) else "\n").join(items)


def put_row(parent: Frame, frame: Frame) -> None:
    parent.blocks.extend(frame.blocks)
    if not frame.rows:
        return
    row = _covered(parent, frame)
    if any(row):
        if not parent.rows and frame.heads == len(frame.rows):
            parent.heads = 1
        parent.rows.append(row)


def put_cell(vault: Vault, parent: Frame, frame: Frame) -> None:
    words = vault.cell(" ".join(" ".join(frame.blocks).split("\n")))
    text = " ".join(words.replace("\\|", "|").replace("|", "\\|").split())
    parent.rows.append([text, str(frame.span), str(frame.count)])


def _covered(table: Frame, row: Frame) -> list[str]:
    """The row's cells in their columns. A cell that spans rows is repeated, so that each row can be read alone."""
    cells: list[str] = []
    above = table.rows[-1] if table.rows else []

    def fill() -> None:
        while table.owed.get(len(cells), 0) > 0:
            table.owed[len(cells)] -= 1
            cells.append(above[len(cells)] if len(cells) < len(above) else "")

    for text, columns, rows in row.rows:
        fill()
        for nth in range(int(columns)):
            table.owed[len(cells)] = int(rows) - 1
            cells.append(text if nth == 0 else "")
    fill()
    return cells


def table_lines(table: Frame) -> list[str]:
    rows = table.rows
    if not rows:
        return []
    width = max(len(row) for row in rows)
    if width == 1:
        return [row[0].replace("\\|", "|") for row in rows if row[0]]  # laid out, not tabulated
    rows = _joined_rows([row + [""] * (width - len(row)) for row in rows])
    head, body = (rows[0], rows[1:]) if table.heads else ([""] * width, rows)
    lines = [_row(head), "| " + " | ".join(["---"] * width) + " |", *map(_row, body)]
    return ["\n".join(lines)]


def _joined_rows(rows: list[list[str]]) -> list[list[str]]:
    """The rows with a name in one row and its meaning in the next ("--flag" above "what it does") joined to one."""
    joined: list[list[str]] = []
    for row in rows:
        above = joined[-1] if joined else []
        if above and not row[0] and above[0] and not any(above[1:]):
            joined[-1] = [above[0], *row[1:]]
        else:
            joined.append(row)
    return joined


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"

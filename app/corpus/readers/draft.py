"""What a reader of one format makes of a file before the door rounds it off. Not the result that the corpus stores."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """A page as its reader left it. `content` is Markdown; `titles` are candidates, best first; all may be empty."""

    content: str
    titles: tuple[str, ...] = ()
    description: str = ""
    language: str = ""
    uri: str = ""
    warnings: tuple[str, ...] = ()


class Unreadable(Exception):
    """The file is not what its name says, or holds no text. The argument is a short sentence for the report."""

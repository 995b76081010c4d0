"""What a reader may ask and how much at once, as values. Not who enforces it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`question` in characters, `unfinished` in turns a reader, `history` in earlier exchanges told to the answerer."""

    question: int = 4000
    unfinished: int = 3  # a browser tab holds a connection for each, and HTTP/1.1 has six a host
    history: int = 5
    title: int = 80
    retry_after: float = 5.0  # seconds; by then one of the running answers has probably ended

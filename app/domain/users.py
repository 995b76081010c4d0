"""Who asks."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    READER = "reader"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class User:
    """A reader, known by a stable id. `anonymous`: known by a cookie alone. `groups` limit what retrieval may find."""

    id: str
    name: str = ""
    role: Role = Role.READER
    groups: frozenset[str] = frozenset()
    anonymous: bool = True

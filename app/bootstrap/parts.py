"""The optional parts that settings may name, so that an evaluation can leave them out. Not how they are built."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.domain.errors import SettingsError
from app.settings.values import Settings, named


@dataclass(frozen=True, slots=True)
class Part:
    """`needs`: the setting that turns it on. `off`: what its settings are where it is left out."""

    needs: str
    off: Mapping[str, object]


# Each new optional part has its row here, and nothing else to do to be measured apart.
PARTS: Mapping[str, Part] = {
    "model": Part("model_url", {"model_url": "", "model_name": "", "model_api_key": None}),
}


def parts_named(text: str) -> tuple[str, ...]:
    """The parts of "model,…", each once and in the order of the table. Raises SettingsError for an unknown one."""
    wanted = {part.strip().lower() for part in text.split(",")} - {""}
    if unknown := sorted(wanted - PARTS.keys()):
        raise SettingsError(
            f"--with {unknown[0]}", "is no optional part.", f"Those that can be left out: {', '.join(PARTS)}."
        )
    return tuple(part for part in PARTS if part in wanted)


def with_parts(settings: Settings, wanted: Iterable[str]) -> Settings:
    """The settings with these optional parts and no others. Raises SettingsError for one that they do not name."""
    off: dict[str, object] = {}
    for name, part in PARTS.items():
        if name not in wanted:
            off.update(part.off)
        elif not getattr(settings, part.needs):
            raise SettingsError(named(part.needs), f"is not set, and --with {name} asks for it.", "Set it first.")
    return settings.model_copy(update=off)

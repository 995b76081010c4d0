"""Optional parts are on where they are asked for, and off else, whatever the settings name."""

from pathlib import Path

import pytest

from app.bootstrap.parts import PARTS, parts_named, with_parts
from app.domain.errors import SettingsError
from app.settings.values import Settings
from tests.support.corpus import settings_for


def every_part_on(data: Path) -> Settings:
    return settings_for(data, model_url="http://127.0.0.1:9/v1", model_name="tiny", model_api_key="secret")


def test_none_is_on_that_nobody_asked_for(tmp_path: Path) -> None:
    assert with_parts(every_part_on(tmp_path), ()) == settings_for(tmp_path)


def test_what_is_left_out_is_as_if_it_had_never_been_set() -> None:
    for part in PARTS.values():
        assert part.needs in part.off
        for name, value in part.off.items():
            assert value == Settings.model_fields[name].default


def test_a_part_that_was_asked_for_stays_as_it_is_set(tmp_path: Path) -> None:
    settings = every_part_on(tmp_path)
    assert with_parts(settings, PARTS) == settings


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_not_set_is_told_with_its_setting(part: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=f"FOOTNOTE_{PARTS[part].needs.upper()}: is not set, and --with {part}"):
        with_parts(settings_for(tmp_path), (part,))


@pytest.mark.parametrize(
    ("text", "found"), [("", ()), (" , ", ()), ("model", ("model",)), (" Model,model, ", ("model",))]
)
def test_parts_are_read_from_a_list_with_commas(text: str, found: tuple[str, ...]) -> None:
    assert parts_named(text) == found


def test_an_unknown_part_is_told_with_those_that_there_are() -> None:
    with pytest.raises(SettingsError, match=r"--with oracle: is no optional part\. .*: model\."):
        parts_named("model,oracle")

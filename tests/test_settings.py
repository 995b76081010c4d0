"""Settings: where they come from, and what a wrong one says."""

from pathlib import Path

import pytest

from app.domain.errors import SettingsError
from app.settings import Settings, listing, load


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for line in listing(Settings()):
        monkeypatch.delenv(line.name, raising=False)


def test_defaults_ask_nothing_of_a_newcomer() -> None:
    settings = load()
    assert (settings.host, settings.port, settings.assets) == ("127.0.0.1", 8000, "cdn")
    assert settings.database.startswith("sqlite+aiosqlite:////")


def test_the_environment_beats_the_file_and_the_command_line_beats_both(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("FOOTNOTE_PORT=1111\nFOOTNOTE_CONTACT=Ask the library desk\n", encoding="utf-8")
    assert load().port == 1111
    monkeypatch.setenv("FOOTNOTE_PORT", "2222")
    assert load().port == 2222
    assert load(port=3333).port == 3333
    assert load().contact == "Ask the library desk"


def test_an_empty_variable_is_as_if_it_were_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_PORT", "")
    monkeypatch.setenv("FOOTNOTE_SECRET_KEY", "")
    assert load().port == 8000
    assert load().secret_key is None


def test_starters_are_separated_by_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_STARTERS", "How do I begin? | What is a chunk?|")
    assert load().starters == ("How do I begin?", "What is a chunk?")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("FOOTNOTE_PORT", "eighty", "integer"),
        ("FOOTNOTE_PORT", "70000", "65535"),
        ("FOOTNOTE_ASSETS", "else", "'cdn' or 'local'"),
        ("FOOTNOTE_PUBLIC_URL", "ask.example.com", "such as https://ask.example.com"),
        ("FOOTNOTE_ROOT_PATH", "ask", "such as /ask"),
        ("FOOTNOTE_SECRET_KEY", "short", "32 characters"),
        ("FOOTNOTE_DATABASE_URL", "mysql://x", "postgresql://"),
        ("FOOTNOTE_HOST", "0.0.0.0", "FOOTNOTE_ALLOW_ANONYMOUS_NETWORK=true"),
        ("FOOTNOTE_DATABASE_URL_FILE", "/nowhere/at/all", "cannot be read"),
    ],
)
def test_a_wrong_setting_is_named_with_what_to_do(
    name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=name) as raised:
        load()
    assert said in str(raised.value)


def test_a_wrong_secret_is_not_repeated_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_DATABASE_URL", "mysql://user:hunter2@host/db")
    with pytest.raises(SettingsError) as raised:
        load()
    assert "hunter2" not in str(raised.value)


def test_a_secret_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql://db/footnote\n", encoding="utf-8")
    monkeypatch.setenv("FOOTNOTE_DATABASE_URL_FILE", str(tmp_path / "url"))
    assert load().database == "postgresql+psycopg://db/footnote"


def test_the_listing_shows_every_setting_with_its_help_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_SECRET_KEY", "k" * 40)
    lines = {line.name: line for line in listing(load())}
    assert len(lines) == len(Settings.model_fields)
    assert all(line.help.endswith(".") for line in lines.values())
    assert lines["FOOTNOTE_SECRET_KEY"].value == "••••••••"
    assert lines["FOOTNOTE_PORT"].default == "8000"

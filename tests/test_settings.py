"""Settings: where they come from, and what a wrong one says."""

from pathlib import Path

import pytest

from app.domain.errors import SettingsError
from app.settings.reading import listing, load
from app.settings.values import Settings


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


# --- remote servers and models ---------------------------------------------------------------------------------------

TWO_SOURCES = """
own_documents = true

[[sources]]
name = "google"
url = "https://developerknowledge.googleapis.com/mcp"
api_key_file = "key"

[[sources]]
name = "wiki"
url = "http://127.0.0.1:9000/mcp"
token = "abc"
"""


def test_a_remote_server_takes_the_place_of_the_own_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_SOURCE_URL", "https://knowledge.example.com/mcp")
    monkeypatch.setenv("FOOTNOTE_SOURCE_API_KEY", "k3y")
    settings = load()
    assert [(each.name, each.secret("api_key")) for each in settings.remotes] == [("knowledge.example.com", "k3y")]
    assert not settings.asks_own_documents


def test_servers_in_the_file_stand_beside_the_own_documents(tmp_path: Path) -> None:
    (tmp_path / "footnote.toml").write_text(TWO_SOURCES, encoding="utf-8")
    (tmp_path / "key").write_text("from-a-file\n", encoding="utf-8")
    settings = load()
    assert settings.asks_own_documents
    assert [(each.name, each.is_google) for each in settings.remotes] == [("google", True), ("wiki", False)]
    assert (settings.remotes[0].secret("api_key"), settings.remotes[1].secret("token")) == ("from-a-file", "abc")


def test_the_environment_beats_the_toml_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "footnote.toml").write_text('port = 1111\ncontact = "The desk"\n', encoding="utf-8")
    monkeypatch.setenv("FOOTNOTE_PORT", "2222")
    assert (load().port, load().contact) == (2222, "The desk")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1\n", "prot"),
        ("port = \n", "cannot be read"),
        ("[[sources]]\nname = 'a'\n", "sources.0.url"),
        ("[[sources]]\nname = 'a'\nurl = 'example.com'\n", "https://example.com/mcp"),
        ("[[sources]]\nname = 'a'\nurl = 'https://a/'\nkey = 'x'\n", "sources.0.key"),
        ("[[sources]]\nname = 'a'\nurl = 'http://a.example.com/'\ntoken = 'x'\n", "in the open"),
        ("[[sources]]\nname = 'a'\nurl = 'https://a/'\n[[sources]]\nname = 'a'\nurl = 'https://b/'\n", "called a"),
        ("own_documents = false\n", "nothing to ask"),
        ("[[sources]]\nname = 'a'\nurl = 'https://a/mcp?key=hunter2'\n", "its own setting"),
        ("[[sources]]\nname = 'a'\nurl = 'https://a/mcp'\napi_key_file = '/nowhere'\n", "sources.a.api_key_file"),
        ("[[sources]]\nname = 'a'\nurl = 'https://a/mcp'\ntoken = \"two\\nlines\"\n", "sources.a.token"),
    ],
)
def test_a_wrong_file_is_told_with_the_place(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "footnote.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        load()
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"SOURCE_URL": "knowledge.example.com"}, "FOOTNOTE_SOURCE_URL"),
        ({"SOURCE_URL": "https://user:hunter2@a.example.com/mcp"}, "its own setting"),
        ({"SOURCE_URL": "https://a.example.com/mcp?api_key=hunter2"}, "its own setting"),
        ({"SOURCE_URL": "https://a.example.com/mcp", "SOURCE_API_KEY": "hunter2\nb"}, "FOOTNOTE_SOURCE_API_KEY"),
        ({"SOURCE_API_KEY": "hunter2"}, "FOOTNOTE_SOURCE_URL"),
        ({"SOURCE_URL": "http://a.example.com/mcp", "SOURCE_API_KEY": "hunter2"}, "https"),
        ({"MODEL_URL": "https://models.example.com/v1"}, "FOOTNOTE_MODEL_NAME"),
        ({"MODEL_NAME": "m"}, "FOOTNOTE_MODEL_URL"),
        ({"MODEL_API_KEY": "hunter2"}, "FOOTNOTE_MODEL_URL"),
        ({"SOURCE_API_KEY_FILE": "/nowhere/at/all"}, "cannot be read"),
    ],
)
def test_half_of_a_service_is_told_and_its_key_is_not(
    given: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(f"FOOTNOTE_{name}", value)
    with pytest.raises(SettingsError) as raised:
        load()
    assert said in str(raised.value)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("url", ["https://a.example.com/mcp", "http://127.0.0.1:9/mcp", "http://knowledge:8000/mcp"])
def test_a_key_goes_where_nobody_reads_it_on_the_way(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_SOURCE_URL", url)
    monkeypatch.setenv("FOOTNOTE_SOURCE_API_KEY", "k3y")
    assert load().remotes[0].url == url


def test_the_listing_names_remote_servers_without_their_keys(tmp_path: Path) -> None:
    (tmp_path / "footnote.toml").write_text(TWO_SOURCES, encoding="utf-8")
    (tmp_path / "key").write_text("from-a-file\n", encoding="utf-8")
    lines = {line.name: line.value for line in listing(load())}
    assert lines["FOOTNOTE_SOURCES"] == "google | wiki"

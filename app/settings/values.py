"""Every setting: its name, type, default and one line of help, and what makes it sound. Not where it comes from."""

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_core import PydanticUseDefault
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from app.domain.errors import SettingsError
from app.settings.remotes import LOOPBACK, RemoteSource, is_private, name_at, service_address

PREFIX = "FOOTNOTE_"
TOML = Path("footnote.toml")
SECRETS = ("secret_key", "database_url", "source_api_key", "source_token", "model_api_key")


def named(name: str) -> str:
    """A setting's full name, as it stands in the environment."""
    return PREFIX + name.upper()


class Settings(BaseSettings):
    """All settings in force. Values are checked here, so that a wrong one stops the start and not a reader."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        frozen=True,
        env_ignore_empty=True,
    )

    data: Path = Field(
        default=Path("data"), description="Folder for database, index and keys; the only one written to."
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    allow_anonymous_network: bool = Field(
        default=False,
        description="Allow to listen beyond this machine while nobody signs in. Whoever reaches the port may then ask.",
    )
    public_url: str = Field(
        default="",
        description="Address under which readers open the app, such as https://ask.example.com; empty: as asked.",
    )
    root_path: str = Field(default="", description="Path prefix behind a proxy that strips it, such as /ask.")
    secret_key: SecretStr | None = Field(
        default=None, description="Signs readers' cookies, 32 characters or more; made in the data folder when not set."
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="postgresql://… or sqlite:///…; empty: footnote.sqlite3 in the data folder. May hold a password.",
    )
    assets: Literal["cdn", "local"] = Field(
        default="cdn",
        description="Where browsers get htmx: cdn, or local (from the data folder: run footnote assets once).",
    )
    default_knowledge: bool = Field(
        default=True, description="Build the handbook and the Python library reference at the first start."
    )
    product_name: str = Field(default="Footnote", min_length=1, max_length=60, description="Name shown to readers.")
    contact: str = Field(
        default="", max_length=300, description="Line shown where the documents do not answer, such as whom to ask."
    )
    starters: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Questions to begin with, separated by |; empty: those of the default knowledge."
    )
    source_url: str = Field(
        default="",
        description="Address of a remote Developer Knowledge MCP server that answers instead of own documents.",
    )
    source_api_key: SecretStr | None = Field(default=None, description="Its API key, sent as X-Goog-Api-Key alone.")
    source_token: SecretStr | None = Field(default=None, description="Its bearer token, where it takes one.")
    source_answers_a_day: int | None = Field(
        default=None, ge=0, description="Answers asked of it a day; empty: 50 at Google's, else without limit."
    )
    sources: Annotated[tuple[RemoteSource, ...], NoDecode] = Field(
        default=(), description="Remote servers beside the own documents: [[sources]] in footnote.toml, not a variable."
    )
    own_documents: bool | None = Field(
        default=None, description="Ask the own documents; empty: yes, but not where FOOTNOTE_SOURCE_URL is set."
    )
    model_url: str = Field(
        default="", description="OpenAI-compatible endpoint of a language model that writes; empty: answers are quoted."
    )
    model_name: str = Field(default="", description="The model's name there.")
    model_api_key: SecretStr | None = Field(default=None, description="Its API key.")
    calls_a_minute: int = Field(
        default=120, ge=1, le=100_000, description="Tool calls a minute that one caller of /mcp may make."
    )
    require_token: bool = Field(default=False, description="Let programs in (/mcp, /api) with a token only.")
    question_limit: int = Field(default=4000, ge=100, le=20_000, description="Longest question, in characters.")
    answer_seconds: int = Field(
        default=120, ge=5, le=600, description="Time after which an unfinished answer is given up."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="What is logged.")
    log_format: Literal["console", "json"] = Field(default="console", description="How it is logged.")

    @field_validator("starters", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split("|") if part.strip())
        return value

    @field_validator(*SECRETS, mode="before")
    @classmethod
    def _blank_is_unset(cls, value: object) -> object:
        if isinstance(value, str) and not value.strip():
            raise PydanticUseDefault
        return value

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < 32:
            raise ValueError("is shorter than 32 characters. Make one with: openssl rand -hex 32")
        return value

    @field_validator("public_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        if not value:
            return value
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("is no web address. Give scheme and host, such as https://ask.example.com.")
        return value.rstrip("/")

    @field_validator("root_path")
    @classmethod
    def _path(cls, value: str) -> str:
        if value and (not value.startswith("/") or "//" in value or any(sign in value for sign in "?#\\ ")):
            raise ValueError("is no path. Begin with one slash, such as /ask.")
        return value.rstrip("/")

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("postgresql://", "sqlite:///")):
            raise ValueError("names no database we know. Begin with postgresql:// or sqlite:///.")
        return value

    @field_validator("source_url", "model_url")
    @classmethod
    def _service(cls, value: str) -> str:
        return service_address(value) if value else value

    @model_validator(mode="after")
    def _services_are_complete(self) -> "Settings":
        for url, secret in (
            ("source_url", "source_api_key"),
            ("source_url", "source_token"),
            ("model_url", "model_api_key"),
        ):
            given, address = getattr(self, secret), getattr(self, url)
            if given and not address:
                raise SettingsError(named(secret), "is set, but not whose it is.", f"Set {named(url)}, too.")
            if given and not is_private(address):
                raise SettingsError(named(url), "is plain http, and a key would be sent in the open.", "Use https.")
        if bool(self.model_url) != bool(self.model_name):
            missing, there = ("model_name", "model_url") if self.model_url else ("model_url", "model_name")
            raise SettingsError(named(missing), f"is missing beside {named(there)}.", "Set both or neither.")
        names = [remote.name for remote in self.remotes]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise SettingsError("sources", f"two are called {twice}.", "Give each a name of its own.")
        if not names and self.own_documents is False:
            raise SettingsError(named("own_documents"), "leaves nothing to ask.", f"Set {named('source_url')}, too.")
        return self

    @model_validator(mode="after")
    def _not_open_by_accident(self) -> "Settings":
        if self.host not in LOOPBACK and not self.allow_anonymous_network:
            raise SettingsError(
                f"{PREFIX}HOST",
                f"{self.host} is reached from other machines, and nobody signs in.",
                f"Listen on 127.0.0.1, or set {PREFIX}ALLOW_ANONYMOUS_NETWORK=true if whoever reaches it may ask.",
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  # the form of pydantic-settings
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Which source beats which: the first that has a value."""
        return init_settings, env_settings, dotenv_settings, TomlConfigSettingsSource(settings_cls, TOML)

    @property
    def remotes(self) -> tuple[RemoteSource, ...]:
        """All remote servers: that of the environment first."""
        if not self.source_url:
            return self.sources
        one = RemoteSource(
            name=name_at(self.source_url),
            url=self.source_url,
            api_key=self.source_api_key,
            token=self.source_token,
            answers_a_day=self.source_answers_a_day,
        )
        return (one, *self.sources)

    @property
    def asks_own_documents(self) -> bool:
        """Whether the own documents are asked, alone or beside remote servers."""
        return self.own_documents if self.own_documents is not None else not self.source_url

    @property
    def database(self) -> str:
        """The database as SQLAlchemy names it, with its asynchronous driver."""
        if self.database_url is None:
            return f"sqlite+aiosqlite:///{(self.data / 'footnote.sqlite3').resolve()}"
        given = self.database_url.get_secret_value()
        return given.replace("sqlite:///", "sqlite+aiosqlite:///", 1).replace(
            "postgresql://", "postgresql+psycopg://", 1
        )

"""Every setting: its name, type, default and one line of help. Read once at start, and nowhere else.

The environment beats `.env`, which beats the default. A secret may also come from a file named by `…_FILE`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_core import PydanticUseDefault
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.domain.errors import SettingsError

PREFIX = "FOOTNOTE_"
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


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

    @field_validator("secret_key", "database_url", mode="before")
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

    @model_validator(mode="after")
    def _not_open_by_accident(self) -> "Settings":
        if self.host not in LOOPBACK and not self.allow_anonymous_network:
            raise SettingsError(
                f"{PREFIX}HOST",
                f"{self.host} is reached from other machines, and nobody signs in.",
                f"Listen on 127.0.0.1, or set {PREFIX}ALLOW_ANONYMOUS_NETWORK=true if whoever reaches it may ask.",
            )
        return self

    @property
    def database(self) -> str:
        """The database as SQLAlchemy names it, with its asynchronous driver."""
        if self.database_url is None:
            return f"sqlite+aiosqlite:///{(self.data / 'footnote.sqlite3').resolve()}"
        given = self.database_url.get_secret_value()
        return given.replace("sqlite:///", "sqlite+aiosqlite:///", 1).replace(
            "postgresql://", "postgresql+psycopg://", 1
        )


@dataclass(frozen=True, slots=True)
class SettingLine:
    """One setting as it is listed: full name, present value (a secret as dots), default and help."""

    name: str
    value: str
    default: str
    help: str


def load(**given: object) -> Settings:
    """Settings from environment and `.env`; `given` (from the command line) beat both. Raises SettingsError."""
    try:
        return Settings(**_secrets_from_files(), **given)  # type: ignore[arg-type]  # pydantic checks each value
    except ValidationError as error:
        raise _first_problem(error) from error


def listing(settings: Settings) -> Iterator[SettingLine]:
    """All settings in the order of their declaration."""
    for name, field in Settings.model_fields.items():
        yield SettingLine(
            PREFIX + name.upper(),
            _shown(getattr(settings, name)),
            _shown(field.default),
            field.description or "",
        )


def _secrets_from_files() -> dict[str, str]:
    """`FOOTNOTE_SECRET_KEY_FILE` and its like: the habit of containers, so that no secret stands in an environment."""
    files = _SecretFiles()
    found: dict[str, str] = {}
    for name in ("secret_key", "database_url"):
        path: Path | None = getattr(files, f"{name}_file")
        if path is None:
            continue
        try:
            found[name] = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            setting = f"{PREFIX}{name.upper()}_FILE"
            raise SettingsError(setting, f"{path} cannot be read.", "Name a readable text file.") from error
    return found


class _SecretFiles(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="ignore", env_ignore_empty=True)

    secret_key_file: Path | None = None
    database_url_file: Path | None = None


def _first_problem(error: ValidationError) -> SettingsError:
    problem = error.errors(include_url=False, include_input=False)[0]
    name = str(problem["loc"][0]) if problem["loc"] else ""
    field = Settings.model_fields.get(name)
    if problem["type"] == "value_error":
        said = str(problem["ctx"]["error"])
        what, _, mend = said.partition(". ")
        return SettingsError(PREFIX + name.upper(), what + ".", mend)
    what = problem["msg"].removesuffix(".") + "."
    return SettingsError(PREFIX + name.upper(), what, f"It is: {field.description}" if field else "")


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case SecretStr():
            return "••••••••"
        case bool():
            return str(value).lower()
        case tuple():
            return " | ".join(map(str, value))
        case _:
            return str(value)

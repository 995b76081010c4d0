"""The data folder."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.domain.errors import DataInUse, StorageUnavailable
from app.storage.folder import DataFolder


def folder(path: Path) -> DataFolder:
    made = DataFolder(path)
    made.prepare()
    return made


def test_the_folder_is_made_where_it_is_missing(tmp_path: Path) -> None:
    assert folder(tmp_path / "a" / "b").path.is_dir()


def test_a_file_in_the_folders_place_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    with pytest.raises(StorageUnavailable, match="data"):
        folder(tmp_path / "data")


def test_the_key_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    made = folder(tmp_path)
    key = made.secret_key()
    assert len(key) >= 32
    assert made.secret_key() == key
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


def test_an_emptied_key_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "secret.key").touch()
    with pytest.raises(StorageUnavailable, match="delete it"):
        folder(tmp_path).secret_key()


def test_a_second_server_is_told_which_process_holds_the_folder(tmp_path: Path) -> None:
    made = folder(tmp_path)
    script = (
        "import sys; from pathlib import Path; from app.storage.folder import DataFolder\n"
        "with DataFolder(Path(sys.argv[1])).held_by_server(): print('held')"
    )
    with made.held_by_server(), pytest.raises(DataInUse, match=str(os.getpid())), made.held_by_server():
        pass
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "held", "the folder is free again after its server has gone"

"""Who holds a turn, and whether that process lives."""

import subprocess
import sys

from app.chat.holder import is_dead, new_holder


def test_this_process_lives_and_each_of_its_writers_has_a_name_of_its_own() -> None:
    one, other = new_holder(), new_holder()
    assert one != other
    assert not is_dead(one)
    assert len(one) <= 80


def test_a_process_that_is_gone_is_dead() -> None:
    source = "from app.chat.holder import new_holder; print(new_holder())"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert is_dead(done.stdout.strip())


def test_a_later_process_with_the_same_number_is_not_the_holder() -> None:
    host, pid, _started, token = new_holder().split("/")
    assert is_dead(f"{host}/{pid}/1/{token}")


def test_nothing_is_known_of_another_hosts_processes() -> None:
    _host, _pid, started, token = new_holder().split("/")
    assert not is_dead(f"elsewhere/999999/{started}/{token}")
    assert not is_dead("nonsense")

"""A server that is killed in mid-answer, and the one that comes after it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.chat.live import TurnEnded
from app.domain.answers import AnswerCompleted, Outcome, TextDelta
from app.domain.conversations import TurnStatus
from tests.chat.conftest import ANN, House, Script, followed

SERVER = Path(__file__).with_name("server.py")


def killed_in_mid_answer(url: str) -> tuple[str, dict[int, str]]:
    """Run a server, kill it after some words: the turn's id and what its reader had been told."""
    told: dict[int, str] = {}
    turn_id = ""
    command = [sys.executable, str(SERVER), url]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}
    ) as server:
        assert server.stdout is not None
        for line in server.stdout:
            match line.split():
                case ["turn", given]:
                    turn_id = given
                case ["told", number, text]:
                    told[int(number)] = text.replace("_", " ")
            if len(told) == 5:
                server.kill()
    return turn_id, told


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
async def test_an_answer_whose_server_was_killed_is_interrupted_and_can_be_asked_again(url: str, house: House) -> None:
    turn_id, told = killed_in_mid_answer(url)
    assert (await house.conversations.turn(ANN.id, turn_id)).status is TurnStatus.RUNNING
    chat = await house.chat(Script(TextDelta("so."), AnswerCompleted(Outcome.ANSWERED)))  # the next start
    turn = await chat.turn(ANN, turn_id)
    assert turn.status is TurnStatus.INTERRUPTED, "at once, though the lease had not run out"
    assert turn.answer.outcome is None, "never shown as complete"

    seen = await followed(chat, turn_id)
    words = {each.number: each.event.text for each in seen if isinstance(each.event, TextDelta)}
    assert words.items() >= told.items(), "a restart loses nothing that a reader was told"
    assert "".join(words.values()).split() == [
        f"word{number}" for number in range(len("".join(words.values()).split()))
    ]
    last = max(told)
    rest = await followed(chat, turn_id, last)
    assert [each.number for each in rest] == list(range(last + 1, rest[-1].number + 1)), "who reconnects goes on there"
    assert rest[-1].event == TurnEnded(TurnStatus.INTERRUPTED)

    again = await chat.ask_again(ANN, turn_id)
    assert (await followed(chat, again.id))[-1].event == TurnEnded(TurnStatus.ANSWERED)

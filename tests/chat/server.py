"""A server reduced to its chat, to be killed in mid-answer: asks one question and tells how far it is."""

import asyncio
import sys
from collections.abc import AsyncIterator

from app.chat.live import LiveAnswers
from app.chat.service import Chat
from app.domain.answers import AnswerEvent, Question, Step, StepStarted, TextDelta
from app.domain.users import User
from app.storage.conversations import Conversations
from app.storage.engine import Database
from app.storage.journal import Journal


async def answer(_question: Question) -> AsyncIterator[AnswerEvent]:
    yield StepStarted(Step.SEARCHING)
    number = 0
    while True:
        yield TextDelta(f"word{number} ")
        number += 1
        await asyncio.sleep(0.01)


async def main(url: str) -> None:
    database = await Database.open(url)
    journal = Journal(database)
    async with LiveAnswers(answer, journal) as live:
        chat = Chat(Conversations(database), journal, live)
        turn = await chat.ask(User("ann"), "How?")
        say("turn", turn.id)
        async for numbered in chat.follow(User("ann"), turn.id):
            if isinstance(numbered.event, TextDelta):
                say("told", numbered.number, numbered.event.text.replace(" ", "_"))


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


asyncio.run(main(sys.argv[1]))

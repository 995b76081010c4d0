"""A real browser for tests, and one reader in it who notices whatever goes wrong. Not what is tested."""

import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request, async_playwright

SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 15_000  # milliseconds; machines that run many tests at once are slow


class BrowserMissing(Exception):
    """There is no Chromium, or no way to drive it."""


def chromium() -> Path:
    """The program: FOOTNOTE_CHROMIUM, else the one that is installed."""
    named = os.environ.get("FOOTNOTE_CHROMIUM")
    for candidate in (named, shutil.which("chromium"), shutil.which("chromium-browser"), shutil.which("google-chrome")):
        if candidate and Path(candidate).is_file():
            return Path(candidate)
    raise BrowserMissing("No Chromium here: install one, or name it in FOOTNOTE_CHROMIUM.")


@asynccontextmanager
async def opened_browser() -> AsyncIterator[Browser]:
    program = chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(SWITCHES))
        try:
            yield browser
        finally:
            await browser.close()


@dataclass  # without slots: Playwright remembers handlers on the object that they belong to
class Reader:
    """One person with a browser of their own. `problems` are errors of pages, refused content, requests elsewhere."""

    context: BrowserContext
    home: str
    problems: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    _allowed: list[re.Pattern[str]] = field(default_factory=list)

    @classmethod
    async def of(cls, browser: Browser, home: str, **options: object) -> "Reader":
        context = await browser.new_context(locale="en-GB", **options)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        reader = cls(context, home)
        await context.expose_binding("violated", lambda _source, what: reader.problems.append(f"violation: {what}"))
        await context.add_init_script(
            "addEventListener('securitypolicyviolation', (event) =>"
            " window.violated(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`))"
        )
        context.on("page", reader._watch)
        return reader

    async def page(self, path: str = "/") -> Page:
        page = await self.context.new_page()
        await page.goto(self.home + path)
        return page

    def allow(self, pattern: str) -> None:
        """This problem is what the test is about."""
        self._allowed.append(re.compile(pattern))

    @property
    def unexpected(self) -> list[str]:
        return [problem for problem in self.problems if not any(each.search(problem) for each in self._allowed)]

    def _watch(self, page: Page) -> None:
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", self._requested)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _requested(self, request: Request) -> None:
        self.asked.append(request.url)
        if urlsplit(request.url).scheme in ("http", "https") and not request.url.startswith(self.home):
            self.problems.append(f"elsewhere: {request.url}")


async def ask(page: Page, question: str) -> Locator:
    """Type a question and send it with Enter; its turn."""
    field_ = page.locator("question-composer textarea:visible").last
    await field_.fill(question)
    await field_.press("Enter")
    turn = page.locator(".turn", has=page.locator(".question", has_text=question)).last
    await turn.wait_for()
    return turn


async def ended(turn: Locator, face: str = "answered") -> None:
    """Wait until the turn stands there in its final form."""
    await turn.and_(turn.page.locator(f".turn.{face}")).wait_for()


async def words(turn: Locator) -> list[int]:
    """The numbers of the words that the answer shows, in their order."""
    return [int(number) for number in re.findall(r"word(\d+)", await turn.locator(".prose").inner_text())]


async def until_words(turn: Locator, count: int) -> None:
    """Wait until the answer shows so many words."""
    await turn.locator(".prose", has_text=re.compile(rf"word{count}\b")).wait_for()

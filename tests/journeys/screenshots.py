"""Photographs every screen at four sizes, light and dark, to be looked at by people; nothing is compared.

python -m tests.journeys.screenshots OUT [NAME…] [--sizes 390x844…] [--schemes dark]
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Page

from app.web.assets import fetch
from tests.support.browser import Reader, ask, ended, opened_browser, until_words
from tests.support.server import Server

SIZES = {"1440x900": (1440, 900), "768x1024": (768, 1024), "390x844": (390, 844), "320x400": (320, 400)}


async def start(_: Page) -> None:
    """The page as it opens."""


async def streaming(page: Page) -> None:
    await until_words(await ask(page, "slowly 400 words about tanks, one after another"), 40)


async def answer(page: Page) -> None:
    await ended(await ask(page, "rich: how do I drain a tank without taking my plant down?"))


async def two(page: Page) -> None:
    await answer(page)
    await ended(await ask(page, "slowly 24 words: and several at once?"))


async def card(page: Page) -> None:
    await answer(page)
    await page.locator("a.cite").nth(2).hover()
    await page.locator("citation-card:popover-open").wait_for()


async def weak(page: Page) -> None:
    await ended(await ask(page, "weak: can a tank drain itself before the power is taken away?"), "weak")


async def missing(page: Page) -> None:
    await ended(await ask(page, "missing: what does the parking permit cost?"), "not_found")


async def failed(page: Page) -> None:
    await ended(await ask(page, "failing: how are taints removed?"), "failed")


async def doubtful(page: Page) -> None:
    turn = await ask(page, "doubtful: how long may a pump run without oil?")
    await ended(turn)
    await turn.locator(".doubts summary").click()


async def doubt_below(page: Page) -> None:
    await doubtful(page)
    await page.locator(".doubts").scroll_into_view_if_needed()


async def fallen(page: Page) -> None:
    await ended(await ask(page, "fallen quota_day: how do I drain a tank?"))


async def gaveup(page: Page) -> None:
    await ended(await ask(page, "gaveup: how do I drain a tank?"))


async def partly(page: Page) -> None:
    await ended(await ask(page, "partly: and how is that one drained?"))


FAILURES = (
    "quota_exceeded",
    "day_quota_exceeded",
    "access_refused",
    "source_unavailable",
    "source_too_slow",
    "malformed_reply",
    "question_refused",
    "model",
)


def broken(code: str) -> Callable[[Page], Awaitable[None]]:
    async def shown(page: Page) -> None:
        await ended(await ask(page, f"broken {code}: how are taints removed?"), "failed")

    return shown


async def stopped(page: Page) -> None:
    turn = await ask(page, "endless words about valves")
    await until_words(turn, 30)
    await page.keyboard.press("Escape")
    await ended(turn, "stopped")


async def reader(page: Page) -> None:
    await answer(page)
    await page.goto(str(await page.locator(".notes .acts a").first.evaluate("link => link.href")))


async def search(page: Page) -> None:
    await page.goto(page.url + "search?q=tank")


async def error(page: Page) -> None:
    await page.goto(page.url + "c/nothing")


SCREENS: dict[str, Callable[[Page], Awaitable[None]]] = {
    "ask": start,
    "streaming": streaming,
    "answer": answer,
    "two": two,
    "card": card,
    "weak": weak,
    "missing": missing,
    "failed": failed,
    "doubtful": doubtful,
    "doubt_below": doubt_below,
    "fallen": fallen,
    "gaveup": gaveup,
    "partly": partly,
    **{code: broken(code) for code in FAILURES},
    "stopped": stopped,
    "reader": reader,
    "search": search,
    "error": error,
}


async def photograph(out: Path, names: list[str], sizes: list[str], schemes: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        fetch(data / "assets")
        server = Server(data, os.environ, scripted=True)
        server.start()
        try:
            async with opened_browser() as browser:
                for size in sizes:
                    width, height = SIZES[size]
                    for scheme in schemes:
                        for name in names:
                            viewer = await Reader.of(
                                browser,
                                server.address,
                                viewport={"width": width, "height": height},
                                color_scheme=scheme,
                                has_touch=width < 700,
                            )
                            page = await viewer.page()
                            await SCREENS[name](page)
                            shot = out / f"{name}-{size}-{scheme}.png"
                            await page.screenshot(path=shot, animations="disabled")
                            print(shot, *viewer.problems)  # noqa: T201
                            await viewer.context.close()
        finally:
            server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", default=list(SCREENS))
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--schemes", nargs="+", choices=["light", "dark"], default=["light", "dark"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    asyncio.run(photograph(options.out, options.names, options.sizes, options.schemes))


if __name__ == "__main__":
    main()

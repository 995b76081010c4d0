"""Characters that are not for readers, taken out of text, also while it arrives. No Markdown, no links."""

import re

# Control characters but tab and line feed; what turns the direction of text or hides in it; tags; what is no character.
# The two joiners stay: Persian and Hindi are spelled with them, and emoji.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_RETURN = re.compile("\r\n?")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def cleaned(text: str) -> str:
    """The text without them; line ends as LF."""
    text = _RETURN.sub("\n", text)
    text = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _UNSEEN.sub("", text)


class Cleaning:
    """The same for text that comes in pieces: half a line end or half a character waits for its other half."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        text = self._half + text
        self._half = text[-1:] if text[-1:] == "\r" or "\ud800" <= text[-1:] <= "\udbff" else ""
        return cleaned(text[: len(text) - len(self._half)])

    def end(self) -> str:
        rest, self._half = self._half, ""
        return cleaned(rest)

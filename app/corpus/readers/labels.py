"""The bold words that name a note, a tab or a file once its template tag is gone. Not the tags themselves."""

import re

MARK = "\ue006"  # stands before a label that may join the paragraph below it

STYLES = {
    "aside": "Note", "info": "Info", "note": "Note", "tip": "Tip", "hint": "Tip", "warning": "Warning",
    "danger": "Danger", "caution": "Caution", "important": "Important", "success": "Success",
    "example": "Example", "question": "Question", "key-term": "Key term", "codelab": "Codelab",
    "gotchas": "Gotchas", "celebration": "Note", "objective": "Objective", "abstract": "Abstract",
    "summary": "Summary", "quote": "Quote", "failure": "Failure", "bug": "Bug", "error": "Error",
    "deprecated": "Deprecated", "attention": "Attention", "see": "See", "seealso": "See also",
    "recommend": "Recommended", "alert": "Note", "callout": "Note", "admonition": "Note", "faq": "Question",
    "todo": "To do", "nb": "NB", "version-note": "Version note", "primary": "Note",
}  # fmt: skip
LANGUAGES = {
    "js": "JavaScript", "ts": "TypeScript", "go": "Go", "python": "Python", "py": "Python", "dart": "Dart",
    "java": "Java", "kotlin": "Kotlin", "swift": "Swift", "rust": "Rust", "csharp": "C#", "cpp": "C++",
    "php": "PHP", "ruby": "Ruby",
}  # fmt: skip

# A label and the blank line below it, where what follows is the first word of a paragraph (no list, no block).
_JOINED = re.compile(
    f"{MARK}(\\*\\*[^*\n]*\\*\\*)[ \t]*\n(?:[ \t]*\n)*[ \t]*(?=[^\\W\\d_]|[\ue000\ue004\\[(\"'„“<]|\\*{{1,2}}[^\\s*])"
)
_BESIDE = re.compile(rf"{MARK}(\*\*[^*\n]*\*\*)[ \t]+(?=\S)")


def note_label(style: str, title: str = "") -> str:
    """The label of a note, such as `**Warning: Mind the gap.**`; empty where neither says anything."""
    name = STYLES.get(style.lower(), "")
    title = title.strip().strip("*").strip()
    if title and name and title.casefold() != name.casefold() and name != "Note":
        return f"{MARK}**{name}: {title}{'' if title[-1] in '.:?!' else '.'}**"
    if title:
        return f"{MARK}**{title}**" if title[-1] in ".:?!" else f"{MARK}**{title}:**"
    return f"{MARK}**{name}:**" if name else ""


def tab_label(title: str) -> str:
    """The label of a tab: bold words in a line of their own."""
    title = title.strip().strip("*").strip()
    return f"**{LANGUAGES.get(title, title)}**" if title else ""


def join_labels(text: str) -> str:
    """The text with each note's label at the beginning of its first paragraph."""
    if MARK not in text:
        return text
    return _BESIDE.sub(r"\1 ", _JOINED.sub(r"\1 ", text)).replace(MARK, "")

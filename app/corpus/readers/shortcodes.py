"""The words that Hugo's shortcodes stand for. Not how they are found."""

from app.corpus.readers.labels import STYLES, note_label, tab_label
from app.corpus.readers.template_tags import UNKNOWN_CLOSE, UNKNOWN_OPEN, Tag

_HEADINGS = {
    "whatsnext": "What's next", "prerequisites": "Before you begin", "objectives": "Objectives",
    "cleanup": "Clean up", "synopsis": "Synopsis", "options": "Options",
    "parentoptions": "Options inherited from parent commands", "seealso": "See also", "examples": "Examples",
    "envvars": "Environment variables",
}  # fmt: skip


def shortcode_words(tag: Tag) -> str:  # noqa: C901, PLR0911, PLR0912 - a table of names, told in order
    if tag.closing:
        return ""
    match tag.name:
        case "tab" | "details" | "accordion":
            label = tab_label(tag.first("name", "header", "title", "summary"))
            return f"\n\n{label}\n\n" if label else ""
        case "heading":
            heading = tag.first("name")
            return _HEADINGS.get(heading.lower(), heading)
        case "glossary_tooltip":
            return tag.named.get("text") or tag.first("term_id").replace("-", " ")
        case "ref" | "relref" | "rel-ref":
            return _source_path(tag.first("path"))
        case "feature-state":
            said = " ".join(tag.named[key] for key in ("for_k8s_version", "state") if key in tag.named) or tag.first(
                "name"
            )
            return f"**Feature state:** {said}" if said else ""
        case "codenew" | "code_sample" | "codefile" | "example" | "readfile" | "code_file":
            named = tag.first("file", "path")
            return f"`{named}`" if named and "`" not in named else ""
        case "figure" | "img" | "imgproc":
            return tag.named.get("caption") or tag.named.get("title") or tag.named.get("alt") or ""
        case "table":
            return f"{tag.named['caption']}\n" if tag.named.get("caption") else ""
        case "param" | "skew" | "latest-version" | "version" | "latest-semver" | "latest-release":
            return f"{UNKNOWN_OPEN}{{{tag.first('name') or tag.name}}}{UNKNOWN_CLOSE}"
        case "link" | "button" | "api-reference" | "cardlink":
            return tag.named.get("text") or tag.named.get("title") or ""
        case "config_option" | "configoption":
            return f"`{tag.first('name')}`:" if tag.first("name") else ""
        case "spec_status":
            return ""
        case name if name in STYLES:
            label = note_label(tag.named.get("color", name) if name == "alert" else name, tag.named.get("title", ""))
            return label + " " if label else ""
        case _:
            return ""


def _source_path(reference: str) -> str:
    """Hugo's reference to another page: its source file's path, as a link would give it."""
    path, mark, fragment = reference.partition("#")
    relative = path and not path.startswith("/") and "." not in path.rpartition("/")[2]
    return (path + ".md" if relative else path) + mark + fragment

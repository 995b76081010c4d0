"""Footnote answers questions about documentation, and proves every answer with footnotes."""

__version__ = "0.1.0"

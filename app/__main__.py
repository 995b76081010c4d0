"""`python -m app` is the command line, for where `footnote` is not on the path."""

from app.cli.program import main

if __name__ == "__main__":
    main()

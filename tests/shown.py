"""For scripts that import it: checks that a document shows the files of a folder."""

LANGUAGES = {
    ".sh": "sh", ".py": "python", ".mjs": "js", ".php": "php", ".rs": "rust", ".go": "go", ".rb": "ruby",
}


def wrong(document, folder, suffixes, most_lines):
    """Errors about the programs of `folder` in `document`: one per suffix, shown word for word, with no
    more lines than `most_lines` says by suffix."""
    text = document.read_text("utf-8")
    programs = sorted(path for path in folder.iterdir() if path.suffix in LANGUAGES)
    if {path.suffix for path in programs} != set(suffixes):
        yield f"{folder} has not one program for each of {', '.join(suffixes)}"
    for path in programs:
        program = path.read_text("utf-8")
        if f"\n```{LANGUAGES[path.suffix]}\n{program}```\n" not in text:
            yield f"{document} does not show {path} word for word"
        most = most_lines.get(path.suffix, most_lines[""])
        if len(program.splitlines()) > most:
            yield f"{path} has more than {most} lines"

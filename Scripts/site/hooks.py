"""Hooks of mkdocs: pages outside of Documentation, links to files, generated reference, one search, the version."""
import json
import os
import pathlib
import re
import subprocess
import sys

from mkdocs.structure.files import File

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import reference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCC = ROOT / ".build/documentation"
#: pages of the site whose files are elsewhere
PAGES = {"README.md": "readme", "CHANGELOG.md": "changelog", "SECURITY.md": "security", "CONTRIBUTING.md": "contributing",
         "RELEASE.md": "release",
         "Examples/README.md": "examples", "Benchmarks/README.md": "benchmarks", "Benchmarks/LEDGER.md": "ledger"}
#: the search's weight of what follows the pages for users: a hit in a title counts 1,000 times
BEHIND = 0.0005
DEVELOPMENT = ["Architecture.md", "Simulation.md", "Fuzzing.md", "LinuxTests.md"]
MARK = re.compile(r"^[ \t]*<!-- check: .*?-->\n+", re.M | re.S)
LINK = re.compile(r"(?<=\]\()([^)#\s]*)((?:#[^)\s]*)?)(?=\))")
LANGUAGES = {".swift": "swift", ".py": "python", ".yaml": "yaml", ".yml": "yaml", ".js": "js", ".sh": "sh", ".json": "json"}
STYLE = """.md-grid { max-width: 76rem }
.md-typeset table:not([class]) { font-size: 0.68rem }
.md-typeset img { max-width: 100% }
/* drawings scroll where they would be too small to read */
.md-typeset img[src$=".svg"] { max-width: none; width: 34rem }
.md-typeset p:has(> img[src$=".svg"]) { overflow-x: auto }
/* contrast: the theme's faint texts are below the ratio that axe requires */
[data-md-color-scheme="default"] { --md-default-fg-color--light: #595959 }
[data-md-color-scheme="slate"][data-md-color-primary] {
    --md-default-fg-color--light: #b8bcc8; --md-typeset-a-color: hsl(225, 90%, 80%);
    --md-code-hl-number-color: hsl(6, 90%, 78%); --md-code-hl-special-color: hsl(340, 85%, 78%);
    --md-code-hl-function-color: hsl(291, 60%, 80%); --md-code-hl-constant-color: hsl(250, 75%, 82%);
    --md-code-hl-keyword-color: hsl(219, 75%, 78%); --md-code-hl-string-color: hsl(150, 50%, 64%);
}
.md-tabs__link { opacity: 1 }
"""
#: regions that scroll can be reached with the keyboard, and each has a name of its own
SCRIPT = """addEventListener("load", () => {
    for (const region of document.querySelectorAll('pre > code, .md-typeset__scrollwrap, p:has(> img[src$=".svg"])')) region.tabIndex = 0;
    document.querySelectorAll(".md-code__nav").forEach((nav, number) => nav.setAttribute("aria-label", `Code ${number + 1}`));
});
"""


origins = {}  # of a page of the site: its file


def on_config(config):
    # the version, with the commit and its date
    config.copyright = subprocess.check_output([ROOT / ".build/debug/harald", "--version"], text=True).strip()
    return config


def on_files(files, config):
    def add(uri, content):
        files.append(File.generated(config, uri, content=content))
    add("site.css", STYLE)
    add("site.js", SCRIPT)
    for path, name in PAGES.items():
        origins[f"project/{name}.md"] = ROOT / path
        add(f"project/{name}.md", (ROOT / path).read_text())
    for name, text in reference.pages(DOCC).items():
        add(f"Reference/{name}.md", text)
    for page in [*map(ROOT.joinpath, PAGES), *(ROOT / "Documentation").rglob("*.md")]:
        for path, _ in LINK.findall(page.read_text()):
            target = (page.parent / path).resolve()
            if path and ":" not in path and target.exists() and not site_page(target):
                uri = f"project/source/{target.relative_to(ROOT)}.md"
                if uri not in origins:
                    origins[uri] = target
                    add(uri, source(target))
    return files


def source(target):
    """Returns a page that shows a file or lists a folder."""
    title = f"# {target.relative_to(ROOT)}\n\n"
    if target.is_dir():
        return title + "".join(f"- `{path.name}`\n" for path in sorted(target.iterdir()))
    return f"{title}````{LANGUAGES.get(target.suffix, 'text')}\n{target.read_text()}\n````\n"


def site_page(target):
    """Returns the page or file of the site that is a file of the repository."""
    documentation = ROOT / "Documentation"
    if target.is_relative_to(documentation):
        return str(target.relative_to(documentation))
    return next((uri for uri, origin in origins.items() if origin == target), None)


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    # The rules, and pages for those who change Harald, follow all others.
    is_for_users = not uri.startswith(("project/", "Reference/rules")) and uri not in DEVELOPMENT
    page.meta["search"] = {"boost": 2 if uri.startswith(("Tutorials/", "HowTo/", "Troubleshooting")) else 1 if is_for_users else BEHIND}
    if uri.startswith(("project/source/", "Reference/")):
        return markdown
    folder = origins.get(uri, ROOT / "Documentation" / uri).parent

    def moved(match):
        path, anchor = match.groups()
        if not path or re.match(r"[a-z]+:", path) or path.startswith(("Reference/", "../Reference/")):
            return match[0]
        found = site_page((folder / path).resolve())
        return os.path.relpath(found, pathlib.PurePath(uri).parent) + anchor if found else match[0]
    # links in code stay as they are
    parts = re.split(r"(^```.*?^```$|`[^`\n]+`)", MARK.sub("", markdown), flags=re.M | re.S)
    return "".join(part if number % 2 else LINK.sub(moved, part) for number, part in enumerate(parts))


def on_post_page(output, page, config):
    """Names the dialogue of the search, which the theme leaves without a name."""
    return output.replace('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"')


def on_post_build(config):
    """Adds the reference of the libraries to the search, below the guides."""
    index = pathlib.Path(config.site_dir) / "search/search_index.json"
    content = json.loads(index.read_text())
    for location, title, text in reference.symbols(DOCC):
        content["docs"].append({"location": f"api/{location}/", "title": title, "text": text, "boost": BEHIND})
    index.write_text(json.dumps(content))

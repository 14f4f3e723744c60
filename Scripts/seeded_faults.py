"""Seeded faults for simulate-faults and kernel-faults: builds all of them into a copy of the tree, compiled with
-DHARALD_FAULTS, where HARALD_FAULT in the environment chooses one at run time. The sources have no faults in them.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOOK = """
#if HARALD_FAULTS
#if canImport(Glibc)
import Glibc
#endif

/// The fault that is on, chosen by HARALD_FAULT in the environment.
public enum SimulatedFault {
    private static let chosen = getenv("HARALD_FAULT").map { String(cString: $0) } ?? ""
    private static let number = names.firstIndex(of: chosen) ?? -1
    /// True if the fault with this number is on.
    public static func isOn(_ fault: Int) -> Bool { number == fault }
    package static let names: [String] = [%s]
}
#endif
"""


def read(file):
    """The faults of a list: name, file, the original text and its replacement."""
    for block in re.split(r"\n(?=== )", file.read_text() if file.exists() else ""):
        found = re.match(r"== (\S+) (\S+)\n(.*)\n-- becomes\n(.*?)\n*$", block, re.S)
        if found:
            yield found[1], Path(found[2]), found[3], found[4]


def condition(number):
    """The expression that is true if the fault with this number is on."""
    return f"SimulatedFault.isOn({number})"


def alternative(number, old, new):
    """The statements of a fault beside the original ones. A replacement with the word FAULT is an expression that has
    the condition in its place."""
    if "FAULT" in new:
        return new.replace("FAULT", condition(number))
    return f"if {condition(number)} {{\n{new}\n}} else {{\n{old}\n}}"


class FaultyTree:
    """A copy of the tree below .build, with all faults of a list, built as `debug` or `release`."""

    def __init__(self, name, configuration="debug"):
        self.configuration = configuration
        self.copy = ROOT / ".build" / name / "tree"
        self.scratch = ROOT / ".build" / name / "build"

    def write(self, names, texts, lines=None):
        """Writes the copy. `texts` has (file, original, replacement); `lines` has (line number, line) by file."""
        self.copy.mkdir(parents=True, exist_ok=True)
        # With new files, which are not committed yet.
        tracked = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "Package.swift", "Package.resolved",
             "Sources", "Tests", "Examples"],
            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
        files = {name: (ROOT / name).read_bytes() for name in filter(None, tracked) if (ROOT / name).exists()}
        for path, old, new in texts:
            text = files[str(path)].decode()
            if text.count(old) != 1:
                sys.exit(f"{path} has the text of a fault {text.count(old)} times:\n{old}")
            files[str(path)] = with_hook(text.replace(old, new))
        for path, changes in (lines or {}).items():
            text = files[str(path)].decode().split("\n")
            original = (ROOT / path).read_text().split("\n")
            for place, changed in changes:
                spots = [at for at, line in enumerate(text) if line == original[place]]
                text[min(spots, key=lambda spot: abs(spot - place))] = changed
            files[str(path)] = with_hook("\n".join(text))
        listed = ", ".join(f'"{name}"' for name in names)
        files["Sources/BluetoothModel/SimulatedFault.swift"] = (HOOK % listed).encode()
        for old in (self.copy / "Sources").rglob("*"):
            if old.is_file() and str(old.relative_to(self.copy)) not in files:
                old.unlink()
        # Only changed files, so that the next build is short.
        for name, content in files.items():
            target = self.copy / name
            if not target.exists() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)

    def build(self, product, *options):
        command = ["swift", "build", "-c", self.configuration, *options, "--product", product,
                   "--package-path", str(self.copy), "--scratch-path", str(self.scratch),
                   "-Xswiftc", "-DHARALD_FAULTS", "-j", "2"]
        if subprocess.run(command, cwd=ROOT).returncode:
            sys.exit("the copy with the faults does not compile")

    def program(self, product):
        return self.scratch / self.configuration / product


def with_hook(text):
    """The text of a file that can ask for the fault that is on."""
    if not re.search(r"^import BluetoothModel$", text, re.M):
        text = "import BluetoothModel\n" + text
    return text.encode()

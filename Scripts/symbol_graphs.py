"""The symbol graphs of the modules of the last debug build: the public API with its documentation, as the compiler sees
it."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ROOT / ".build" / "debug" / "Modules"
PRODUCTS = ["Harald", "HaraldDevices"]
EXPORT = re.compile(
    r"^@_exported import (?:(?:struct|class|enum|protocol|typealias|func|var) )?(\w+)(?:\.(\w+))?", re.M)
#: the module maps of C code, which the modules name
INCLUDES = ["Sources/*/module.modulemap", "Sources/*/include/module.modulemap",
            ".build/checkouts/*/Sources/*/include/module.modulemap"]
#: the arguments of the compiler that find these modules
C_MODULES = [
    *(argument for path in sorted((ROOT / ".build" / "debug").glob("*.build/module.modulemap"))
      for argument in ("-Xcc", f"-fmodule-map-file={path}")),
    *(argument for pattern in INCLUDES for path in sorted(ROOT.glob(pattern)) for argument in ("-I", str(path.parent)))]


def exports(product):
    """Returns the modules that a product consists of, each with the types that it re-exports; None for all."""
    modules = {product: None}
    for module, name in EXPORT.findall((ROOT / "Sources" / product / "Exports.swift").read_text()):
        if module in PRODUCTS or not (ROOT / "Sources" / module).is_dir():
            continue
        if name and modules.get(module, set()) is not None:
            modules.setdefault(module, set()).add(name)
        elif not name:
            modules[module] = None
    return modules


def check_build(modules):
    """Ends the program where a module was not built; warns where its sources changed since then."""
    for module in modules:
        if not (MODULES / f"{module}.swiftmodule").exists():
            sys.exit(f"The module {module} is not built; 'make build' builds it.")
        built = max(file.stat().st_mtime for file in (MODULES.parent / f"{module}.build").iterdir())
        if any(file.stat().st_mtime > built for file in (ROOT / "Sources" / module).rglob("*.swift")):
            print(f"Sources of {module} changed after the last build, whose API is compared.", file=sys.stderr)


def symbol_graphs(module):
    """Returns the symbol graphs of a module: its own, and those of its extensions of other modules."""
    with tempfile.TemporaryDirectory() as folder:
        target = json.loads(subprocess.check_output(["swift", "-print-target-info"], text=True))["target"]["triple"]
        result = subprocess.run(
            ["swift", "symbolgraph-extract", "-module-name", module, "-I", str(MODULES), "-target", target,
             "-minimum-access-level", "public", "-skip-synthesized-members",
             "-module-cache-path", str(ROOT / ".build" / "symbol-cache"), "-output-dir", folder,
             *C_MODULES],
            capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"The API of {module} could not be read:\n{result.stderr}")
        return [json.loads(file.read_text()) for file in sorted(pathlib.Path(folder).glob("*.symbols.json"))]

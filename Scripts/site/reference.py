"""Pages of the site that are generated from definitions: commands, rules, the HTTP API, ranges, errors, libraries."""
import json
import pathlib
import re
import subprocess
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".build/debug/harald"


def pages(docc):
    """Returns the text of each page by its name."""
    return {"commands": commands(), "rules": rules(), "http": http(), "hub-http": hub_http(), "ranges": ranges(), "errors": errors(docc),
            "libraries": libraries(docc)}


def output(*arguments):
    return subprocess.check_output([PROGRAM, *arguments], text=True)


def cell(text):
    """Returns a text for a cell of a table."""
    return re.sub(r"\s+", " ", str(text or "")).replace("|", "\\|").replace("<", "&lt;").strip()


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines) + "\n\n" if rows else ""


def commands():
    text = ("# Commands and options\n\nThis page is the reference of every command of `harald`, generated from its "
            "definitions. [The program](../harald.md) explains adapters, devices, values and exit statuses.\n\n")
    return text + command(json.loads(output("--experimental-dump-help"))["command"], [])


def command(node, path):
    path = [*path, node["commandName"]]
    arguments = [a for a in node.get("arguments", []) if a["shouldDisplay"] and a["valueName"] not in ("help", "version")]
    text = ""
    if len(path) > 1:
        usage = " ".join([*path, *(form(a) for a in arguments if a["kind"] == "positional")])
        text = f"{'#' * min(len(path), 4)} {' '.join(path)}\n\n{node.get('abstract', '')}\n\n`{usage}`\n\n"
        for paragraph in re.split(r"\n\n+", node.get("discussion") or ""):
            text += (f"```text\n{paragraph}\n```\n\n" if "\n  " in paragraph else f"{paragraph}\n\n") if paragraph else ""
        rows = [[f"`{form(a)}`", (a.get("abstract") or "") + (f" (default: {a['defaultValue']})" if a.get("defaultValue") else "")]
                for a in arguments]
        text += table(["argument", "meaning"], rows)
    return text + "".join(command(child, path) for child in node.get("subcommands", []) if child["commandName"] != "help")


def form(argument):
    """Returns an argument as the user writes it."""
    if argument["kind"] == "positional":
        name = f"<{argument['valueName']}>" + ("..." if argument["isRepeating"] else "")
        return f"[{name}]" if argument["isOptional"] else name
    names = ", ".join(("-" if n["kind"] == "short" else "--") + n["name"] for n in argument["names"])
    return names + (f" <{argument['valueName']}>" if argument["kind"] == "option" else "")


def rules():
    text = ("# Rules of check\n\nThis page has every rule of `harald check`, generated from the program. "
            "[Check](../Check.md) explains the options.\n\n")
    for line in output("check", "--list", "--json").splitlines():
        rule = json.loads(line)
        facts = [rule["severity"], rule["section"], *([rule["test"]] if rule["test"] else []),
                 *(f"`--{need}`" for need in rule["needs"])]
        text += f"## {rule['rule']}\n\n{'; '.join(facts)}\n\n{rule['text']}\n\n**Remedy:** {rule['advice']}\n\n"
    return text


def http():
    with tempfile.TemporaryDirectory() as folder:
        document = api(folder, f"{folder}/token", "serve", "--no-browser", "--adapter", "virtual:empty", "--token-file",
                       f"{folder}/token", "--store", folder)
    return ("# HTTP API of the explorer\n\nThis page has every operation of `harald serve`, generated from its OpenAPI "
            "document (`GET /api/v1/openapi.json`). [The tutorial](../Tutorials/http.md) uses it.\n\n") + operations(document)


def hub_http():
    with tempfile.TemporaryDirectory() as folder:
        document = api(folder, f"{folder}/s.web/harald-hub-token", "hub", "--store", f"{folder}/s", "--monitor", "virtual:empty")
    return ("# HTTP API of the hub\n\nThis page has every operation of `harald hub`, generated from its OpenAPI document "
            "(`GET /api/v1/openapi.json`). [The health hub](../HealthHub.md) has the meaning of readings, states and "
            "roles.\n\n") + operations(document)


def api(folder, token, *arguments):
    """Returns the OpenAPI document of a server."""
    server = subprocess.Popen([PROGRAM, *arguments, "--listen", "127.0.0.1:0", "--json"], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        base = json.loads(server.stdout.readline())["base"]
        bearer = f"Bearer {pathlib.Path(token).read_text().strip()}"
        request = urllib.request.Request(f"{base}/api/v1/openapi.json", headers={"Authorization": bearer})
        return json.load(urllib.request.urlopen(request))
    finally:
        server.terminate()
        server.wait()


def operations(document):
    """Returns the operations of an OpenAPI document, in groups by their tags, or by the beginning of their paths."""
    text, groups = "", {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            group = (operation.get("tags") or [path.removeprefix("/api/v1").split("/")[1]])[0]
            groups.setdefault(group, []).append((path, method.upper(), operation))
    for group, members in groups.items():
        text += f"## {group[0].upper()}{group[1:]}\n\n"
        for path, method, operation in members:
            text += f"### {method} {path}\n\n{operation['summary']}\n\n"
            text += table(["parameter", "in", "type", "meaning"],
                          [[f"`{p['name']}`", p["in"], kind(p["schema"]), p.get("description")] for p in operation.get("parameters", [])])
            for media, content in operation.get("requestBody", {}).get("content", {}).items():
                body = content["schema"]
                text += table(["key of the body", "type", "required"],
                              [[f"`{key}`", kind(value), "yes" if key in body.get("required", []) else "no"]
                               for key, value in body.get("properties", {}).items()]) or f"Body: {kind(body)} ({media})\n\n"
            text += table(["status", "response"], [[status, value.get("description")] for status, value in operation["responses"].items()])
    return text


def kind(schema):
    """Returns a schema in a few words."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1]
    if "enum" in schema:
        return ", ".join("null" if one is None else str(one) for one in schema["enum"])
    name = schema.get("type", "any")
    name = " or ".join(name) if isinstance(name, list) else name
    if name == "array":
        return f"list of {kind(schema.get('items', {}))}"
    limits = [str(schema[key]) for key in ("minimum", "maximum") if key in schema]
    return name + (f" {' to '.join(limits)}" if limits else "")


def ranges():
    text = ("# Ranges of the hub\n\nThis page has the ranges with which the health hub compares readings, generated from "
            "the program. A range is a published number, not a diagnosis ([the health hub](../HealthHub.md)).\n\n")
    rows = [json.loads(line) for line in output("hub", "rules", "--json").splitlines()]
    rows = rows[0] if len(rows) == 1 and isinstance(rows[0], list) else rows
    rows = rows[0].get("rules", rows) if len(rows) == 1 and isinstance(rows[0], dict) else rows
    keys = [key for key in rows[0] if not isinstance(rows[0][key], (list, dict))]
    return text + table(keys, [[row.get(key) for key in keys] for row in rows])


def errors(docc):
    text = ("# Errors and exit statuses\n\nThis page is for authors of programs and scripts.\n\n## Exit statuses\n\n"
            "Of every command of `harald`:\n\n")
    discussion = json.loads(output("--experimental-dump-help"))["command"]["discussion"]
    statuses = re.findall(r"^ +(\d+)  (.*)$", discussion.split("EXIT STATUS")[1], re.M)
    text += table(["status", "meaning"], statuses)
    text += "## Codes of BluetoothError\n\nOf the library `Harald` ([reference](../../api/documentation/harald/bluetootherror/)):\n\n"
    codes = [(title, abstract) for path, title, abstract in symbols(docc) if "/bluetootherror/code-swift.struct/" in path]
    return text + table(["code", "meaning"], [[f"`{title}`", abstract] for title, abstract in codes
                                              if not re.search(r"[(=]", title)])


def libraries(docc):
    text = ("# Libraries\n\nThis page lists the library products; each has a reference with all its symbols, made by DocC. "
            "The search of this site finds symbols too.\n\n")
    facts = {"harald": "the async API", "haralddevices": "drivers, and how to declare them",
             "corebluetooth": "Apple's API on Linux", "corebluetoothdevices": "drivers with CoreBluetooth",
             "virtualtransport": "the virtual radio (product `VirtualBluetooth`)",
             "virtualdevices": "simulated devices, device files and twins", "bluetoothprofiles": "typed values of the standard services"}
    known = {path: title for path, title, _ in symbols(docc)}
    for name, fact in facts.items():
        title = known.get(f"documentation/{name}", name)
        text += f"- [{title}](../../api/documentation/{name}/): {fact}\n"
    return text


def symbols(docc):
    """Yields path, title and summary of each page of the reference."""
    for file in sorted((docc / "data/documentation").rglob("*.json")):
        data = json.loads(file.read_text())
        title = data.get("metadata", {}).get("title")
        if title:
            text = "".join(part.get("text", part.get("code", "")) for part in data.get("abstract", []))
            yield str(file.relative_to(docc / "data").with_suffix("")), title, text

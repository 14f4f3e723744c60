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
    return {"commands": commands(), "rules": rules(), "http": http(), "hub-http": hub_http(), "ranges": ranges(),
            "errors": errors(docc), "libraries": libraries(docc)}


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


#: chapters of the rules by the beginnings of their identifiers; other rules are about a service
CHAPTERS = {"Advertising": ["adv"], "Generic Access and Generic Attribute": ["gap", "gatt"], "Structure of the database": ["db"],
            "Requests of the attribute protocol": ["att", "value"], "Subscriptions": ["cccd", "indication"],
            "Protected values": ["sec"], "The link and L2CAP": ["link", "l2cap"], "Pairing and bonds": ["sm", "sc"],
            "Control points": ["racp"], "Malformed packets": ["hostile"], "Services of the Bluetooth SIG": []}


def rules():
    text = ("# Rules of check\n\nThis page has every rule of `harald check`, generated from the program. "
            "[Check](../Check.md) explains the options.\n\n")
    chapters = {title: "" for title in CHAPTERS}
    places = {prefix: title for title, prefixes in CHAPTERS.items() for prefix in prefixes}
    for line in output("check", "--list", "--json").splitlines():
        rule = json.loads(line)
        facts = [rule["severity"], rule["section"], *([rule["test"]] if rule["test"] else []),
                 *(f"`--{need}`" for need in rule["needs"])]
        title = places.get(rule["rule"].split("-")[0], "Services of the Bluetooth SIG")
        chapters[title] += f"### {rule['rule']}\n\n{'; '.join(facts)}\n\n{rule['text']}\n\n**Remedy:** {rule['advice']}\n\n"
    return text + "".join(f"## {title}\n\n{content}" for title, content in chapters.items())


def http():
    with tempfile.TemporaryDirectory() as folder:
        document = api(folder, f"{folder}/token", "serve", "--no-browser", "--adapter", "virtual:empty", "--token-file",
                       f"{folder}/token", "--store", folder)
    return ("# HTTP API of the explorer\n\nThis page has every operation of `harald serve`, generated from its OpenAPI "
            "document (`GET /api/v1/openapi.json`). [The tutorial](../Tutorials/http.md) uses it.\n\n`{id}` in a path is the "
            "identifier of a device, `{handle}` that of an attribute. The header `Harald-Viewer` names the viewer that owns "
            "links, subscriptions and questions.\n\n") + operations(document)


def hub_http():
    with tempfile.TemporaryDirectory() as folder:
        document = api(folder, f"{folder}/s.web/harald-hub-token", "hub", "--store", f"{folder}/s", "--monitor", "virtual:empty")
    return ("# HTTP API of the hub\n\nThis page has every operation of `harald hub`, generated from its OpenAPI document "
            "(`GET /api/v1/openapi.json`). [Readings](../HubReadings.md), [states](../HealthHub.md#state) and "
            "[roles](../HubOperation.md#tokens) have pages of their own.\n\n") + operations(document)


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
            group = (operation.get("tags") or [path.removeprefix("/api/v1").split("/")[1].split(".")[0]])[0]
            groups.setdefault(group, []).append((path, method.upper(), operation))
    for group, members in groups.items():
        text += f"## {group[0].upper()}{group[1:]}\n\n"
        for path, method, operation in members:
            text += f"### {method} {path}\n\n{operation['summary']}\n\n"
            text += table(["query", "type", "meaning"],
                          [[f"`{p['name']}`", kind(p["schema"]), p.get("description")]
                           for p in operation.get("parameters", []) if p["in"] == "query"])
            body = operation.get("requestBody", {}).get("content", {})
            if body:
                text += "Body: " + ", or ".join(map(shape, alternatives(body))) + "\n\n"
            results = [shape(schema) for status, response in operation["responses"].items() if status.startswith("2")
                       for schema in alternatives(response.get("content", {}))]
            if results:
                text += "Result: " + ", or ".join(results) + "\n\n"
    schemas = document.get("components", {}).get("schemas", {})
    text += "## Objects\n\n" if schemas else ""
    for name, schema in sorted(schemas.items()):
        rows = [[f"`{key}`", kind(value), "" if key in schema.get("required", []) else "not always"]
                for key, value in schema.get("properties", {}).items()]
        text += f"### {name} {{ #object-{name.lower()} }}\n\n" + table(["key", "type", ""], rows)
    return text


#: types of files that say little
FILES = {"*/*": "a file", "text/plain": "text"}


def alternatives(content):
    """Returns the schemas of a body: several if it has one of them; of a file its type."""
    return [one for media, value in content.items() if value.get("schema") or media != "application/json"
            for one in value.get("schema", {}).get("oneOf", [value.get("schema") or {"type": FILES.get(media, f"`{media}`")}])]


def shape(schema):
    """Returns the keys of an object, or the type of anything else."""
    keys = schema.get("properties")
    if not keys:
        return kind(schema)
    return "{" + ", ".join(f"`{key}`: {kind(value)}" + ("" if key in schema.get("required", []) else " (optional)")
                           for key, value in keys.items()) + "}"


def kind(schema):
    """Returns a schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#object-{name.lower()})"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value).strip(chr(34))}`" for value in schema["enum"])
    name = schema.get("type", "any")
    name = " or ".join(name) if isinstance(name, list) else name
    if name == "array":
        return f"list of {kind(schema.get('items', {}))}"
    least, most = schema.get("minimum"), schema.get("maximum")
    if None not in (least, most):
        return f"{name}, {least} to {most}"
    return name + (f", at least {least}" if least is not None else f", at most {most}" if most is not None else "")


#: words of the ranges: of kinds of values, groups of people, quantities and bounds
KINDS = {"bloodPressure": "Blood pressure", "glucose": "Glucose", "continuousGlucose": "Continuous glucose", "weight": "Weight",
         "oxygenSaturation": "Oxygen saturation", "temperature": "Temperature"}
GROUPS = {"adult": "adults", "minor": "under 18", "infant": "infants under three months",
          "pregnant": "pregnancy and six weeks after birth"}
QUANTITIES = {"bmi": "body mass index", "spO2": "saturation"}
BOUNDS = {"min": "from", "above": "above", "max": "to", "below": "below"}


def ranges():
    text = ("# Ranges of the hub\n\nThis page has the ranges with which the health hub compares readings, generated from "
            "the program. A range is a published number, not a diagnosis ([the health hub](../HealthHub.md)). Of the ranges of "
            "a value the first that contains it applies. A range has a code, and one of HL7's ObservationInterpretation.\n\n")
    rules = {}
    for line in output("hub", "rules", "--json").splitlines():
        rule = json.loads(line)
        rules.setdefault(rule["kind"], []).append(rule)
    for name, rows in rules.items():
        text += f"## {KINDS.get(name, name)}\n\n"
        text += table(["range", "values", "for", "advice if urgent", "source"],
                      [[f"{rule['range']} (`{rule['code']}`, {rule['interpretation']})", bounds(rule), people(rule),
                        rule.get("action", ""), rule["source"]] for rule in rows])
    return text


def bounds(rule):
    """Returns the limits of a range, in each unit."""
    parts = []
    for quantity, units in rule["bounds"].items():
        words = QUANTITIES.get(quantity, quantity)
        values = [" ".join(f"{BOUNDS[key]} {limits[key]}" for key in ("min", "above", "max", "below") if key in limits)
                  + (f" {unit}" if unit else "") for unit, limits in sorted(units.items(), key=lambda one: one[0] == "kPa")]
        values[1:] = [re.sub(r"^\w+ ", "", value) for value in values[1:]]
        parts.append(f"{words} {' ('.join(values)}" + (")" if len(values) > 1 else ""))
    return (" or " if rule["anyQuantity"] else " and ").join(parts)


def people(rule):
    """Returns for whom a range is, and under which conditions."""
    facts = [", ".join(GROUPS.get(group, group) for group in rule["groups"])]
    if "diabetes" in rule:
        facts.append("with diabetes" if rule["diabetes"] else "without diabetes")
    if rule.get("setting"):
        facts.append({"home": "at home", "office": "at a doctor's"}.get(rule["setting"], rule["setting"]))
    if rule["meals"]:
        facts.append(" or ".join(rule["meals"]))
    if rule.get("guideline"):
        facts.append(f"`{rule['guideline']}`")
    return "; ".join(facts)


def errors(docc):
    text = ("# Errors and exit statuses\n\nThis page is for authors of programs and scripts.\n\n## Exit statuses\n\n"
            "Of every command of `harald`:\n\n")
    discussion = json.loads(output("--experimental-dump-help"))["command"]["discussion"]
    statuses = re.findall(r"^ +(\d+)  (.*)$", discussion.split("EXIT STATUS")[1], re.M)
    text += table(["status", "meaning"], statuses)
    text += "## Codes of BluetoothError\n\nOf the library `Harald` ([reference](../../api/documentation/harald/bluetootherror/)):\n\n"
    cases = re.compile(r"documentation/harald/bluetootherror/code-swift.enum/[^/]+$")
    codes = {}
    for path, title, abstract in symbols(docc):
        name = re.fullmatch(r"(?:BluetoothError\.Code\.)?([a-z]\w*)(\(_:\))?", title)
        if cases.match(path) and name and name[1] not in ("plain", "description"):
            codes[f"`{name[1]}{'(...)' if name[2] else ''}`"] = abstract
    if not codes:
        raise ValueError("the reference of Harald has no codes of BluetoothError")
    return text + table(["code", "meaning"], list(codes.items()))


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
    text += "\n## Articles\n\n"
    for file in sorted((ROOT / "Sources").glob("*/*.docc/*.md")):
        path = f"documentation/{file.parent.stem}/{file.stem}".lower()
        if path in known and path.count("/") == 2 and file.stem != file.parent.stem:
            text += f"- [{known[path]}](../../api/{path}/)\n"
    return text


def symbols(docc):
    """Yields path, title and summary of each page of the reference."""
    for file in sorted((docc / "data/documentation").rglob("*.json")):
        data = json.loads(file.read_text())
        title = data.get("metadata", {}).get("title")
        if title:
            text = "".join(part.get("text", part.get("code", "")) for part in data.get("abstract", []))
            yield str(file.relative_to(docc / "data").with_suffix("")), title, text

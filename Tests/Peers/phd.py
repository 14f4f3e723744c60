#!/usr/bin/env python3
"""Checks a FHIR Bundle, or the resources of files, by the models of fhir.resources (R4B) and by the rules of HL7's
Personal Health Device guide 2.0.0: phd.py FILE...

The rules are those elements of the profiles that a hub has to fill, from their definitions at github.com/HL7/phd. With the
guide's own examples (input/examples) they are judged themselves: those of the same profiles pass. Each fault is a line;
status 1 if there is one."""
import json
import pathlib
import re
import sys

from fhir.resources.R4B import get_fhir_model_class

GUIDE = "http://hl7.org/fhir/uv/phd/"
PROFILES = GUIDE + "StructureDefinition/"
MDC, UCUM = "urn:iso:std:iso:11073:10101", "http://unitsofmeasure.org"
GATEWAY = "http://hl7.org/fhir/StructureDefinition/observation-gatewayDevice"
COINCIDENT = PROFILES + "CoincidentTimeStampReference"
STATUS = "http://hl7.org/fhir/uv/pocd/CodeSystem/measurement-status"
# IEEE 11073 types of clocks.
CLOCKS = {"67975", "68226", "67983", "68072"}
IDENTIFIERS = {"SYSID": ("urn:oid:1.2.840.10004.1.1.1.0.0.1.0.0.1.2680", 8), "BTMAC": ("http://hl7.org/fhir/sid/eui-48/bluetooth", 6)}


def codes(concept, system):
    return [one.get("code") for one in (concept or {}).get("coding", []) if one.get("system") == system]


def quantity(value, where):
    """A value that is a number with a unit of UCUM."""
    if value.get("system") != UCUM or not value.get("code") or "value" not in value:
        yield f"{where} has no number with a unit of UCUM"


def absent(concept, where):
    if not codes(concept, "http://terminology.hl7.org/CodeSystem/data-absent-reason"):
        yield f"{where} has no reason of data-absent-reason"


def extension(resource, url):
    return [one["valueReference"] for one in resource.get("extension", []) if one["url"] == url]


def observation(one, kind):
    """PhdBaseObservation and the two numeric profiles."""
    if len(extension(one, GATEWAY)) != 1:
        yield "it has not one gateway"
    if len(extension(one, COINCIDENT)) > 1:
        yield "it has several coincident time stamps"
    if sum("phd" in codes(category, GUIDE + "CodeSystem/PhdObservationCategories") for category in one.get("category", [])) != 1:
        yield "it has not one category phd"
    if not codes(one["code"], MDC):
        yield "its code is not of MDC"
    for name in ("subject", "device", "effectiveDateTime"):
        if name not in one and not (name == "effectiveDateTime" and "effectivePeriod" in one):
            yield f"it has no {name}"
    if one["status"] not in ("final", "preliminary", "entered-in-error"):
        yield f"its status is {one['status']}"
    for identifier in one.get("identifier", []):
        if identifier.get("system") == PROFILES + "PhdBaseObservation" and ("type" in identifier or not identifier.get("value")):
            yield "its identifier for a conditional create has a type, or no value"
    if kind == "PhdNumericObservation":
        yield from value(one, "it")
    else:
        if any(name.startswith("value") for name in one):
            yield "a compound has a value"
        for part in one.get("component", []):
            yield from value(part, "a component")
            if not codes(part["code"], MDC):
                yield "the code of a component is not of MDC"


def value(one, where):
    if "valueQuantity" in one:
        yield from quantity(one["valueQuantity"], where)
    elif "dataAbsentReason" in one:
        yield from absent(one["dataAbsentReason"], where)
    elif not any(name.startswith("value") for name in one):
        yield f"{where} has neither a value nor a reason"


def judged(one):
    """The one rule that a judgement of a hub does not keep (HubFHIR.md)."""
    return [part for part in one.get("interpretation", []) if len(codes(part, STATUS)) != 1]


def coincident(one, _):
    if one["status"] != "final" or not CLOCKS.intersection(codes(one["code"], MDC)):
        yield "its status is not final, or its code is no type of clock"
    for name in ("subject", "device"):
        if not one.get(name, {}).get("reference"):
            yield f"it has no {name}"
    if not {"valueDateTime", "valueQuantity", "dataAbsentReason"}.intersection(one):
        yield "it has no time of the device"
    if {"derivedFrom", "hasMember", "specimen", "focus"}.intersection(one):
        yield "it has an element that it must not have"


def device(one, kind):
    if not one.get("identifier"):
        yield "it has no identifier"
    for identifier in one.get("identifier", []):
        for code in codes(identifier.get("type"), "http://terminology.hl7.org/CodeSystem/ContinuaDeviceIdentifiers"):
            system, octets = IDENTIFIERS.get(code, (None, None))
            if system and (identifier.get("system") != system or not re.fullmatch(
                    f"[0-9A-Fa-f]{{2}}(-[0-9A-Fa-f]{{2}}){{{octets - 1}}}", identifier.get("value", ""))):
                yield f"its identifier {code} is {identifier.get('value')} of {identifier.get('system')}"
    wanted = "65573" if kind == "PhdDevice" else "531981"
    if wanted not in codes(one.get("type"), MDC):
        yield f"its type is not {wanted}"
    if "parent" in one:
        yield "it has a parent"


RULES = {"PhdNumericObservation": observation, "PhdCompoundNumericObservation": observation,
         "PhdCoincidentTimeStampObservation": coincident, "PhdDevice": device, "PhgDevice": device}


def resources(text):
    data = json.loads(text)
    if data["resourceType"] != "Bundle":
        return [("", data)]
    return [(entry.get("fullUrl", ""), entry["resource"]) for entry in data.get("entry", []) if "resource" in entry]


def faults(resource, everything):
    get_fhir_model_class(resource["resourceType"]).model_validate_json(json.dumps(resource))
    for profile in resource.get("meta", {}).get("profile", []):
        kind = profile.removeprefix(PROFILES)
        if kind in RULES:
            yield from RULES[kind](resource, kind)
    # References lead to resources of the Bundle with the right profile; a relative one may be of the server.
    for reference, profile in [*((one, "PhgDevice") for one in extension(resource, GATEWAY)),
                               *((one, "PhdCoincidentTimeStampObservation") for one in extension(resource, COINCIDENT))]:
        if resource.get("derivedFrom") == [reference]:
            yield "it is derived from a time stamp"
        target = everything.get(reference["reference"])
        if reference["reference"].startswith("urn:") and PROFILES + profile not in (target or {}).get("meta", {}).get("profile", []):
            yield f"{reference['reference']} is no {profile}"


def main():
    count, profiles, without, wrong = 0, {}, 0, 0
    for path in sys.argv[1:]:
        found = resources(pathlib.Path(path).read_text(encoding="utf-8"))
        everything = dict(found) if len(found) > 1 else {}
        for url, resource in found:
            count += 1
            without += bool(judged(resource))
            for profile in resource.get("meta", {}).get("profile", []):
                profiles[profile.removeprefix(PROFILES)] = profiles.get(profile.removeprefix(PROFILES), 0) + 1
            try:
                problems = list(faults(resource, everything))
            except ValueError as error:
                problems = [str(error)]
            for problem in problems:
                wrong += 1
                print(f"{path} {url or resource.get('id', '')} {resource['resourceType']}: {problem}")
    print(json.dumps({"resources": count, "judged": without, "faults": wrong, "profiles": profiles}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

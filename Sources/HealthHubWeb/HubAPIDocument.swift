import HealthHub
import JSON

/// The OpenAPI 3.1 document of the hub's API: the routes, with what this table says about them.
enum HubAPIDocument {
    static let path = "/api/v1/openapi.json"

    struct Operation {
        let summary: String
        var query: [String: JSONValue] = [:]
        /// The media type and the schema of the body; nil for none.
        var body: (type: String, schema: JSONValue)?
        /// The media type of a successful response.
        var answer = "application/json"
    }

    private static let text: JSONValue = ["type": "string"]
    private static let optionalText: JSONValue = ["type": ["string", "null"]]
    private static let flag: JSONValue = ["type": ["boolean", "null"]]
    private static let texts: JSONValue = ["type": ["array", "null"], "items": text]

    private static func choice(_ names: [String], orNull: Bool = false) -> JSONValue {
        ["enum": .array(names.map { .string($0) } + (orNull ? [.null] : []))]
    }

    private static func object(_ properties: [String: JSONValue], required: [String]) -> JSONValue {
        [
            "type": "object", "properties": .object(properties), "required": .array(required.map { .string($0) }),
        ]
    }

    private static func json(_ properties: [String: JSONValue], required: [String]) -> (type: String, schema: JSONValue)
    {
        ("application/json", object(properties, required: required))
    }

    private static let guideline = choice(Rule.Guideline.allCases.map(\.rawValue), orNull: true)
    private static let setting = choice(Rule.Setting.allCases.map(\.rawValue), orNull: true)
    private static let person: [String: JSONValue] = [
        "name": optionalText, "born": optionalText, "guideline": guideline, "setting": setting, "pregnant": flag,
        "diabetes": flag, "targets": texts, "withoutTargets": texts, "every": texts,
        "height": ["type": ["string", "number", "null"], "description": "a number is in metres"],
    ]
    private static let before: [String: JSONValue] = ["before": text]
    private static let fhir = "application/fhir+json"

    /// The operations by method and path.
    static let operations: [String: Operation] = [
        "get /health": Operation(summary: "The process serves."),
        "get /ready": Operation(summary: "The store answers."),
        "get /metrics": Operation(summary: "Metrics for Prometheus.", answer: "text/plain"),
        "get \(path)": Operation(summary: "This document."),
        "get /api/v1/session": Operation(summary: "Name, role and people of the sender, and the hub's time zone."),
        "get /api/v1/kinds": Operation(summary: "Kinds of readings, with quantities and units."),
        "get /api/v1/rules": Operation(summary: "The published ranges, with their sources."),
        "post /api/v1/readings": Operation(
            summary: "Store readings, each once; the response has the range of each, and the states of the people.",
            body: json(
                ["readings": ["type": "array", "items": [:], "description": "at most 1,000"]],
                required: ["readings"])),
        "get /api/v1/readings/unassigned": Operation(summary: "Readings without a person.", query: before),
        "post /api/v1/readings/{id}/decision": Operation(
            summary: "Accept, exclude or move one reading.",
            body: json(
                [
                    "decision": choice(["accept", "exclude", "move"]), "reason": optionalText,
                    "person": optionalText,
                ], required: ["decision"])),
        "get /api/v1/people": Operation(summary: "The people whom the sender may see."),
        "post /api/v1/people": Operation(
            summary: "Add a person.",
            body: json(person.merging(["name": text, "born": text]) { $1 }, required: ["name", "born"])),
        "patch /api/v1/people/{id}": Operation(
            summary: "Change a person; what is absent stays.", body: json(person, required: [])),
        "delete /api/v1/people/{id}": Operation(summary: "Delete a person with all readings."),
        "get /api/v1/people/{id}/state": Operation(
            summary: "Latest readings, means, verdict, notices, targets, and what is overdue."),
        "get /api/v1/people/{id}/readings": Operation(
            summary: "Readings of the last days, the latest first.",
            query: [
                "kind": choice(MeasurementKind.allCases.map(\.name)),
                "days": ["type": "number", "exclusiveMinimum": 0, "maximum": 36600], "before": text,
            ]),
        "post /api/v1/people/{id}/readings": Operation(
            summary: "Store a reading that a person typed in.",
            body: json(
                [
                    "values": [
                        "type": "object",
                        "additionalProperties": object(["value": text, "unit": text], required: ["value", "unit"]),
                    ], "time": text,
                ], required: ["values", "time"])),
        "get /api/v1/people/{id}/notes": Operation(summary: "Notes about a person."),
        "post /api/v1/people/{id}/notes": Operation(
            summary: "Add a note.", body: json(["text": text], required: ["text"])),
        "delete /api/v1/people/{id}/notes/{note}": Operation(summary: "Delete a note."),
        "post /api/v1/people/{id}/acknowledgements": Operation(
            summary: "Say that a notice was seen.",
            body: json(["code": text, "time": text], required: ["code", "time"])),
        "post /api/v1/people/{id}/import": Operation(
            summary: "Import comma-separated values; with `dry` only show what would be stored.",
            query: ["dry": text, "dates": choice(CSVImport.DateOrder.allCases.map(\.rawValue))],
            body: ("text/csv", text)),
        "get /api/v1/people/{id}/export": Operation(
            summary: "The readings of a person as a file.",
            query: ["format": choice(ExportFormat.allCases.map(\.rawValue))], answer: "*/*"),
        "get /api/v1/people/{id}/fhir": Operation(
            summary: "A person with the latest 1,000 readings as a FHIR Bundle.", answer: fhir),
        "get /api/v1/devices": Operation(summary: "Devices, with their people."),
        "get /api/v1/gateways": Operation(summary: "The programs that sent readings."),
        "post /api/v1/assignments": Operation(
            summary: "Assign a device, or one of its users, to a person.",
            body: json(
                ["device": text, "person": text, "user": ["type": ["integer", "null"]]], required: ["device", "person"])
        ),
        "delete /api/v1/assignments/{device}": Operation(
            summary: "End an assignment.", query: ["user": ["type": "integer", "minimum": 0, "maximum": 254]]),
        "get /api/v1/outboxes": Operation(summary: "The receivers, with what waits for them."),
        "post /api/v1/outboxes/retry": Operation(
            summary: "Send again what receivers refused.",
            body: json(["name": optionalText], required: [])),
        "get /api/v1/notifiers": Operation(summary: "The addresses that notices are sent to."),
        "get /api/v1/monitor": Operation(summary: "The monitor in this process, and the devices that it found."),
        "post /api/v1/monitor": Operation(summary: "Start the monitor."),
        "post /fhir": Operation(
            summary: "Store a FHIR Bundle of Observations.", body: (fhir, ["type": "object"]), answer: fhir),
        "get /fhir/metadata": Operation(summary: "The CapabilityStatement.", answer: fhir),
        "get /fhir/Observation": Operation(
            summary: "Search Observations, the latest first.",
            // A parameter without a value is ignored.
            query: ["patient": text, "code": text, "date": text, "_count": text, "_summary": choice(["", "count"])],
            answer: fhir),
        "get /fhir/Observation/{id}": Operation(summary: "One Observation.", answer: fhir),
        "get /fhir/Patient": Operation(summary: "The people whom the sender may see, as Patients.", answer: fhir),
        "get /fhir/Patient/{id}": Operation(summary: "One person as a Patient.", answer: fhir),
    ]

    /// Returns the document of these routes.
    static func json(_ routes: [(method: String, path: String, isOpen: Bool)]) -> JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for route in routes + [("get", path, false)] {
            // A test finds a route that the table lacks.
            let operation = operations["\(route.method) \(route.path)"] ?? Operation(summary: "")
            paths[route.path, default: [:]][route.method] = json(operation, route.path, isOpen: route.isOpen)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Harald health hub", "version": "1",
                "description": "Readings of health devices, the published ranges that contain them, and people.",
            ],
            "paths": .object(paths.mapValues { .object($0) }),
            "components": ["securitySchemes": ["bearer": ["type": "http", "scheme": "bearer"]]],
            "security": [["bearer": []]],
        ]
    }

    private static func json(_ operation: Operation, _ path: String, isOpen: Bool) -> JSONValue {
        let parts = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
        let parameters =
            parts.map { name -> JSONValue in
                [
                    "name": .string(name), "in": "path", "required": true, "example": "1",
                    "schema": ["type": "string", "minLength": 1],
                ]
            }
            + operation.query.sorted { $0.key < $1.key }.map { name, schema -> JSONValue in
                ["name": .string(name), "in": "query", "required": false, "schema": schema]
            }
        // Errors of FHIR requests are OperationOutcomes.
        let problem = HubRoutes.isFHIR(path) ? fhir : "application/problem+json"
        return .known([
            "summary": .string(operation.summary), "parameters": .array(parameters),
            "security": isOpen ? [[:], ["bearer": []]] : nil,
            "requestBody": operation.body.map { body in
                [
                    "required": .bool(body.schema["required"] != []),
                    "content": .object([body.type: ["schema": body.schema]]),
                ]
            },
            "responses": [
                "2XX": [
                    "description": .string(operation.summary), "content": .object([operation.answer: ["schema": [:]]]),
                ],
                "default": [
                    "description": "The error, and its remedy.",
                    "content": .object([problem: ["schema": ["type": "object"]]]),
                ],
            ],
        ])
    }
}

import Explorer
import HTTPTypes

/// Generates the OpenAPI 3.1 document for a list of operations.
enum OpenAPIDocument {
    static func json(_ operations: [APIOperation], version: String) -> JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for operation in operations {
            paths[operation.path, default: [:]][operation.method.rawValue.lowercased()] = json(operation)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Harald", "version": .string(version),
                "description": "Bluetooth Low Energy over HTTP: devices in range, links, values, pairing.",
            ],
            "paths": .object(paths.mapValues { .object($0) }),
            "components": [
                "schemas": .object(Schemas.all.mapValues(\.json)),
                "securitySchemes": ["bearer": ["type": "http", "scheme": "bearer"]],
            ],
            "security": [["bearer": []]],
        ]
    }

    private static func json(_ operation: APIOperation) -> JSONValue {
        var object: [String: JSONValue] = [
            "operationId": .string(operation.name), "summary": .string(operation.summary),
            "tags": .array([.string(operation.tag)]),
            "responses": responses(operation),
        ]
        let parameters = parameters(operation)
        if !parameters.isEmpty { object["parameters"] = .array(parameters) }
        if operation.isOpen { object["security"] = [] }
        if let body = operation.body {
            object["requestBody"] = [
                "required": .bool(operation.needsBody), "content": ["application/json": ["schema": body.json]],
            ]
        }
        return .object(object)
    }

    private static func parameters(_ operation: APIOperation) -> [JSONValue] {
        var list: [JSONValue] = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            let name = String(part.dropFirst().dropLast())
            let schema: APISchema = name == "handle" ? .integer(1...0xFFFF_FFFF) : .text(length: 1...64)
            return ["name": .string(name), "in": "path", "required": true, "schema": schema.json]
        }
        for parameter in operation.query {
            let schema = parameter.isList ? APISchema.list(parameter.schema) : parameter.schema
            list.append([
                "name": .string(parameter.name), "in": "query", "required": false, "schema": schema.json,
                "description": .string(parameter.text),
            ])
        }
        if operation.hasViewer {
            list.append([
                "name": "Harald-Viewer", "in": "header", "required": false,
                "schema": APISchema.text(pattern: "^[A-Za-z0-9_-]{1,64}$").json,
                "description": "The viewer that owns the links, subscriptions and questions; without it, the session.",
            ])
        }
        return list
    }

    private static func responses(_ operation: APIOperation) -> JSONValue {
        let problem: JSONValue = [
            "description": "The error, and its remedy.",
            "content": ["application/problem+json": ["schema": APISchema.named("Problem").json]],
        ]
        let (status, content): (Int, JSONValue) =
            switch operation.answer {
            case .json(let schema, let status): (status.code, ["application/json": ["schema": schema.json]])
            // A YAML document may parse as a value of any type.
            case .document("application/yaml"): (200, ["application/yaml": ["schema": [:]]])
            case .document(let type): (200, [type: ["schema": ["type": "string"]]])
            case .events: (200, ["text/event-stream": ["schema": ["type": "string"]]])
            }
        return [
            "\(status)": ["description": .string(operation.summary), "content": content], "default": problem,
        ]
    }
}

import Explorer
import Foundation

/// A JSON Schema (2020-12). It is part of the OpenAPI document, and bodies and parameters are checked against it.
struct APISchema: Sendable {
    /// The schema as JSON.
    let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    /// A string.
    static func text(pattern: String? = nil, length: ClosedRange<Int>? = nil, format: String? = nil) -> APISchema {
        var object: [String: JSONValue] = ["type": "string"]
        object["pattern"] = pattern.map { .string($0) }
        object["minLength"] = length.map { .int($0.lowerBound) }
        object["maxLength"] = length.map { .int($0.upperBound) }
        object["format"] = format.map { .string($0) }
        return APISchema(.object(object))
    }

    /// A string out of a list.
    static func choice(_ words: [String]) -> APISchema {
        APISchema(["type": "string", "enum": .array(words.map { .string($0) })])
    }

    /// An integer.
    static func integer(_ range: ClosedRange<Int>? = nil) -> APISchema {
        var object: [String: JSONValue] = ["type": "integer"]
        object["minimum"] = range.map { .int($0.lowerBound) }
        object["maximum"] = range.map { .int($0.upperBound) }
        return APISchema(.object(object))
    }

    /// A number.
    static func number(_ range: ClosedRange<Double>? = nil) -> APISchema {
        var object: [String: JSONValue] = ["type": "number"]
        object["minimum"] = range.map { .number($0.lowerBound) }
        object["maximum"] = range.map { .number($0.upperBound) }
        return APISchema(.object(object))
    }

    /// A Boolean value.
    static let flag = APISchema(["type": "boolean"])

    /// An array.
    static func list(_ element: APISchema, atLeast count: Int = 0) -> APISchema {
        APISchema(["type": "array", "items": element.json, "minItems": .int(count)])
    }

    /// The schema, with null permitted.
    var orNull: APISchema {
        if case .object(var object) = json, let type = object["type"] {
            object["type"] = .array([type, "null"])
            if case .array(let words)? = object["enum"] { object["enum"] = .array(words + [.null]) }
            return APISchema(.object(object))
        }
        return APISchema(["anyOf": .array([json, ["type": "null"]])])
    }

    /// An object in a request, without additional members.
    static func body(_ keys: [String: APISchema], required: [String] = [], atLeast count: Int? = nil) -> APISchema {
        var object: [String: JSONValue] = [
            "type": "object", "properties": .object(keys.mapValues(\.json)), "additionalProperties": false,
        ]
        if !required.isEmpty { object["required"] = .array(required.map { .string($0) }) }
        object["minProperties"] = count.map { .int($0) }
        return APISchema(.object(object))
    }

    /// An object in a response. Clients must ignore unknown members.
    static func object(_ keys: [String: APISchema], optional: Set<String> = []) -> APISchema {
        let required = keys.keys.filter { !optional.contains($0) }.sorted()
        return APISchema([
            "type": "object", "properties": .object(keys.mapValues(\.json)),
            "required": .array(required.map { .string($0) }),
        ])
    }

    /// A value that matches exactly one of several schemas.
    static func oneOf(_ schemas: [APISchema]) -> APISchema { APISchema(["oneOf": .array(schemas.map(\.json))]) }

    /// A reference to a schema in the components of the document.
    static func named(_ name: String) -> APISchema { APISchema(["$ref": .string("#/components/schemas/\(name)")]) }

    // MARK: Checking

    /// Validates a value. Returns a description of the first violation; nil if the value is valid.
    func problem(_ value: JSONValue, at place: String = "the body") -> String? {
        Self.problem(value, json, place)
    }

    /// The number of members of an object that a schema declares.
    private static func members(_ value: JSONValue, of schema: JSONValue) -> Int {
        guard case .object(let members) = value, let declared = schema["properties"] else { return 0 }
        return members.keys.count { declared[$0] != nil }
    }

    private static func problem(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> String? {
        if let choices = schema["oneOf"]?.elements {
            let fits = choices.count { problem(value, $0, place) == nil }
            guard fits == 0 else { return fits == 1 ? nil : "\(place) matches several forms" }
            // The problem of the form that has most of the members.
            let meant = choices.max { members(value, of: $0) < members(value, of: $1) }
            return meant.flatMap { problem(value, $0, place) }
        }
        if let types = schema["type"], !isOf(value, types) { return "\(place) is not of type \(name(types))" }
        if let words = schema["enum"]?.elements, !words.contains(value) {
            return "\(place) must be one of \(words.map(\.text).joined(separator: ", "))"
        }
        switch value {
        case .string(let text): return textProblem(text, schema, place)
        case .int, .number, .decimal: return numberProblem(value.number, schema, place)
        case .array(let elements):
            if let least = schema["minItems"]?.integer, elements.count < least { return "\(place) is too short" }
            guard let item = schema["items"] else { return nil }
            for (index, element) in elements.enumerated() {
                if let problem = problem(element, item, "\(place)[\(index)]") { return problem }
            }
            return nil
        case .object(let object): return objectProblem(object, schema, place)
        case .null, .bool: return nil
        }
    }

    private static func textProblem(_ text: String, _ schema: JSONValue, _ place: String) -> String? {
        let length = text.unicodeScalars.count
        if let least = schema["minLength"]?.integer, length < least { return "\(place) is shorter than \(least)" }
        if let most = schema["maxLength"]?.integer, length > most { return "\(place) is longer than \(most)" }
        if let pattern = schema["pattern"]?.string, let expression = try? Regex(pattern),
            (try? expression.firstMatch(in: text)) == nil
        {
            return "\(place) does not have the form \(pattern)"
        }
        return nil
    }

    private static func numberProblem(_ number: Double?, _ schema: JSONValue, _ place: String) -> String? {
        guard let number else { return "\(place) is too large" }
        if let least = schema["minimum"], number < least.number ?? number {
            return "\(place) is less than \(least.text)"
        }
        if let most = schema["maximum"], number > most.number ?? number { return "\(place) is more than \(most.text)" }
        return nil
    }

    private static func objectProblem(_ object: [String: JSONValue], _ schema: JSONValue, _ place: String) -> String? {
        let known = schema["properties"]
        for key in schema["required"]?.elements.compactMap(\.string) ?? [] where object[key] == nil {
            return "\(place) lacks the key '\(key)'"
        }
        if let least = schema["minProperties"]?.integer, object.count < least { return "\(place) has too few keys" }
        for (key, value) in object.sorted(by: { $0.key < $1.key }) {
            if let part = known?[key] {
                if let problem = problem(value, part, "'\(key)'") { return problem }
            } else if schema["additionalProperties"] == false {
                return "\(place) has the unknown key '\(key)'"
            }
        }
        return nil
    }

    private static func isOf(_ value: JSONValue, _ types: JSONValue) -> Bool {
        (types.string.map { [.string($0)] } ?? types.elements).compactMap(\.string).contains { type in
            switch (type, value) {
            case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("null", .null),
                ("integer", .int), ("number", .int), ("number", .number), ("number", .decimal):
                true
            case ("integer", .number), ("integer", .decimal): value.number.map { $0 == $0.rounded() } ?? false
            default: false
            }
        }
    }

    private static func name(_ types: JSONValue) -> String {
        (types.string.map { [.string($0)] } ?? types.elements).compactMap(\.string).joined(separator: " or ")
    }
}

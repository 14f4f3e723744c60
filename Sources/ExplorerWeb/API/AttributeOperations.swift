import BluetoothModel
import Explorer
import Harald
import Hummingbird
import WebServer

extension ExplorerAPI {
    private static let uuidPattern =
        "^([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})$"

    private func operation(
        _ method: String, _ name: String, _ summary: String, body: APISchema? = nil, needsBody: Bool = false,
        answer: APISchema, isProtected: Bool = false,
        _ handler: @escaping @Sendable (APICall, PeripheralID, UInt32) async throws -> JSONValue
    ) -> APIOperation {
        APIOperation(
            method: .post, path: "/api/v1/devices/{id}/attributes/{handle}/\(method)", name: name, summary: summary,
            tag: "attributes", body: body, needsBody: needsBody, answer: .json(answer), isProtected: isProtected,
            hasViewer: true
        ) { [self] call in .json(try await handler(call, try device(call), try handle(call))) }
    }

    var attributeOperations: [APIOperation] {
        [
            operation("read", "read", "Reads a characteristic or a descriptor.", answer: .named("Value")) {
                [model] call, id, handle in try await model.read(id, handle: handle, for: call.viewer).json
            },
            operation(
                "write", "write", "Writes a characteristic or a descriptor.",
                body: .body(
                    ["value": .text(length: 0...4096), "response": .flag], required: ["value"]), needsBody: true,
                answer: .named("Value"), isProtected: true
            ) { [model] call, id, handle in
                let bytes = try ValueInput.bytes([call.body["value"]?.string ?? ""])
                let type: WriteType? = call.body["response"]?.flag.map { $0 ? .withResponse : .withoutResponse }
                return try await model.write(id, handle: handle, bytes, type: type, for: call.viewer).json
            },
            operation(
                "subscribe", "subscribe", "Subscribes this viewer to a characteristic.",
                body: .body(["kind": .choice(["any", "notifications", "indications"])]), answer: .named("Subscription")
            ) { [model] call, id, handle in
                let kind: SubscriptionKind =
                    switch call.body["kind"]?.string {
                    case "notifications": .notifications
                    case "indications": .indications
                    default: .any
                    }
                let count = try await model.subscribe(id, handle: handle, kind: kind, for: call.viewer)
                return Self.subscription(id, handle, isSubscribed: true, count)
            },
            operation(
                "unsubscribe", "unsubscribe", "Unsubscribes this viewer from a characteristic.",
                answer: .named("Subscription")
            ) { [model] call, id, handle in
                let count = try await model.unsubscribe(id, handle: handle, for: call.viewer)
                return Self.subscription(id, handle, isSubscribed: false, count)
            },
            APIOperation(
                method: .get, path: "/api/v1/decode", name: "decode",
                summary: "Decodes the bytes of a characteristic or descriptor, or what a write of a text would send.",
                tag: "attributes",
                query: [
                    APIParameter(
                        name: "uuid", text: "The UUID of the type; without it the bytes have none.",
                        schema: .text(pattern: Self.uuidPattern)),
                    APIParameter(
                        name: "hex", text: "The bytes.", schema: .text(pattern: "^([0-9A-Fa-f]{2}){0,512}$")),
                    APIParameter(
                        name: "value", text: "Instead of bytes: a value in the forms of a write.",
                        schema: .text(length: 0...4096)),
                ], answer: .json(.named("Decoded"))
            ) { call in
                // No type has this UUID.
                guard let uuid = BluetoothUUID(call.value("uuid") ?? "0000") else {
                    throw Problem.badRequest("'uuid' must be a UUID, such as 2A19.")
                }
                let bytes = try call.value("value").map { try ValueInput.bytes([$0]) }
                let value = ValueText(bytes ?? [UInt8](hexText: call.value("hex") ?? "") ?? [], of: uuid)
                return .json(.object(value.json.merging(["parts": .array(value.parts.map(\.json))]) { $1 }))
            },
            APIOperation(
                method: .get, path: "/api/v1/devices/{id}/attributes/{handle}/values", name: "values",
                summary: "The newest values of an attribute.", tag: "attributes", answer: .json(.named("Values")),
                hasViewer: true
            ) { [self] call in
                let (id, handle) = (try device(call), try handle(call))
                let (values, dropped) = try await model.values(id, handle: handle, for: call.viewer)
                return .json([
                    "id": .string(id.description), "handle": .int(Int(handle)), "dropped": .int(dropped),
                    "values": .array(values.map(\.eventJSON)),
                ])
            },
        ]
    }

    private static func subscription(
        _ id: PeripheralID, _ handle: UInt32, isSubscribed: Bool, _ count: Int
    ) -> JSONValue {
        [
            "id": .string(id.description), "handle": .int(Int(handle)), "subscribed": .bool(isSubscribed),
            "subscribers": .int(count),
        ]
    }
}

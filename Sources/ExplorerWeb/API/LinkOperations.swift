import Explorer
import Harald
import Hummingbird
import VirtualDevices
import WebServer

extension ExplorerAPI {
    private func operation(
        _ method: String, _ name: String, _ summary: String, body: APISchema? = nil, needsBody: Bool = false,
        answer: APISchema, isProtected: Bool = false, hasViewer: Bool = true,
        _ handler: @escaping @Sendable (APICall, PeripheralID) async throws -> JSONValue
    ) -> APIOperation {
        APIOperation(
            method: .post, path: "/api/v1/devices/{id}/\(method)", name: name, summary: summary, tag: "links",
            body: body,
            needsBody: needsBody, answer: .json(answer), isProtected: isProtected, hasViewer: hasViewer
        ) { [self] call in .json(try await handler(call, try device(call))) }
    }

    var linkOperations: [APIOperation] {
        [
            APIOperation(
                method: .get, path: "/api/v1/devices/{id}/connection", name: "connection",
                summary: "The connection of a device.", tag: "links", answer: .json(.named("Connection"))
            ) { [self] call in .json(try await model.connection(try device(call)).json) },
            operation(
                "connect", "connect", "Connects a device, or adds this viewer to its link.",
                body: .body(["timeout": .number(0.1...300), "reconnect": .flag]), answer: .named("Connection")
            ) { [model] call, id in
                try await model.connect(
                    id, for: call.viewer, timeout: .seconds(call.body["timeout"]?.number ?? 10),
                    reconnects: call.body["reconnect"]?.flag ?? false
                ).json
            },
            operation(
                "disconnect", "disconnect", "Removes this viewer from a link, which ends when it has no viewer.",
                answer: .named("Connection")
            ) { [model] call, id in try await model.disconnect(id, for: call.viewer).json },
            operation(
                "pair", "pair", "Pairs with a connected device; questions are sent as events.",
                body: .body(["level": .choice(["encrypted", "authenticated", "secureConnections"])]),
                answer: .named("Security"), isProtected: true
            ) { [self] call, id in try await pair(call, id) },
            operation(
                "rssi", "readRSSI", "Reads the RSSI of the link.",
                answer: .object(["id": Schemas.identifier, "rssi": .integer()]), hasViewer: false
            ) { [model] _, id in ["id": .string(id.description), "rssi": .int(try await model.readRSSI(id))] },
            operation(
                "phy", "setPHY", "Requests PHYs.",
                body: .body(
                    [
                        "transmit": .list(.choice(["1M", "2M", "coded"]), atLeast: 1),
                        "receive": .list(.choice(["1M", "2M", "coded"]), atLeast: 1),
                    ], required: ["transmit", "receive"]), needsBody: true, answer: .named("Connection"),
                isProtected: true, hasViewer: false
            ) { [model] call, id in
                func layers(_ key: String) -> Set<PHY> {
                    Set((call.body[key]?.elements ?? []).compactMap { $0.string.flatMap(PHY.init(jsonText:)) })
                }
                return try await model.setPHY(id, transmit: layers("transmit"), receive: layers("receive")).json
            },
            operation(
                "parameters", "setParameters", "Requests connection parameters, in milliseconds.",
                body: .body(
                    [
                        "minimumInterval": .number(7.5...4000), "maximumInterval": .number(7.5...4000),
                        "latency": .integer(0...499), "supervisionTimeout": .integer(100...32000),
                    ], required: ["minimumInterval", "maximumInterval"]), needsBody: true,
                answer: .named("Connection"), isProtected: true, hasViewer: false
            ) { [model] call, id in try await model.setParameters(id, try Self.parameters(call.body)).json },
            APIOperation(
                method: .get, path: "/api/v1/devices/{id}/tree", name: "tree",
                summary: "The attributes of a device, with their known values.", tag: "links",
                answer: .json(.named("Tree")), hasViewer: true
            ) { [self] call in .json(try await model.tree(try device(call), for: call.viewer).json) },
            operation(
                "read", "readAll", "Reads all readable values; with pairing false those that require no pairing.",
                body: .body(["pairing": .flag]), answer: .named("Tree")
            ) { [model] call, id in
                try await model.readAll(id, for: call.viewer, pairing: call.body["pairing"]?.flag ?? true).json
            },
            APIOperation(
                method: .get, path: "/api/v1/devices/{id}/clone", name: "clone",
                summary: "A device file with the known values, for `harald simulate`.", tag: "links",
                answer: .document(type: "application/yaml"), hasViewer: true
            ) { [self] call in
                let file = try await model.clone(try device(call), for: call.viewer)
                return .file(Array(file.yaml.utf8), type: "application/yaml", name: "device.yaml")
            },
        ]
    }

    private func pair(_ call: APICall, _ id: PeripheralID) async throws -> JSONValue {
        let level: LinkSecurity.Level =
            switch call.body["level"]?.string {
            case "authenticated": .authenticated
            case "secureConnections": .secureConnections
            default: .encrypted
            }
        let security = try await model.pair(id, for: call.viewer, to: level)
        let device = await model.device(id)
        return [
            "id": .string(id.description), "name": .optional(device?.name), "address": .optional(device?.address?.text),
            "security": .string(SecurityText.word(security.level)), "keySize": .int(Int(security.keySize)),
            "bonded": .bool(security.isBonded),
        ]
    }

    private static func parameters(_ body: JSONValue) throws -> ConnectionParametersRequest {
        func interval(_ key: String) -> Duration { .milliseconds(body[key]?.number ?? 15) }
        let (least, most) = (interval("minimumInterval"), interval("maximumInterval"))
        guard least <= most else { throw InputError("minimumInterval is more than maximumInterval") }
        let request = ConnectionParametersRequest(
            interval: least...most, latency: UInt16(body["latency"]?.integer ?? 0),
            supervisionTimeout: .milliseconds(body["supervisionTimeout"]?.integer ?? 5000))
        guard request.isValid else {
            throw InputError("the supervision timeout is too short for the interval and the latency")
        }
        return request
    }
}

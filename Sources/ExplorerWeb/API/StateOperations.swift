import Explorer
import Harald
import Hummingbird
import Synchronization
import WebServer

extension ExplorerAPI {
    var stateOperations: [APIOperation] {
        [
            APIOperation(
                method: .get, path: "/health", name: "health", summary: "Reports that the server is running.",
                tag: "state",
                answer: .json(.object(["status": .choice(["ok"])])), isOpen: true
            ) { _ in .json(["status": "ok"] as JSONValue) },
            APIOperation(
                method: .get, path: "/api/v1/state", name: "state", summary: "The adapter, the scan and counters.",
                tag: "state", answer: .json(.named("State"))
            ) { [self] _ in .json(await state()) },
            APIOperation(
                method: .post, path: "/api/v1/radio", name: "setPower", summary: "Switches the adapter on.",
                tag: "state",
                body: .body(["powered": APISchema(["type": "boolean", "enum": [true]])], required: ["powered"]),
                needsBody: true, answer: .json(.named("State")), isProtected: true
            ) { [self] _ in
                try await model.setPowered(true)
                return .json(await state())
            },
            APIOperation(
                method: .post, path: "/api/v1/scan", name: "setScanning",
                summary: "Starts or stops scanning.",
                tag: "state", body: .body(["active": .flag], required: ["active"]), needsBody: true,
                answer: .json(.named("State")), isProtected: true
            ) { [self] call in
                await model.setScanning(call.body["active"]?.flag ?? true)
                return .json(await state())
            },
            APIOperation(
                method: .get, path: "/api/v1/events", name: "events",
                summary: "Values, connections, pairing, log entries and changes of devices, as server-sent events.",
                tag: "events",
                query: [
                    APIParameter(
                        name: "viewer", text: "The name of the viewer, which requests repeat as Harald-Viewer.",
                        schema: .text(pattern: "^[A-Za-z0-9_-]{1,64}$"))
                ], answer: .events
            ) { [self] call in try events(call) },
        ]
    }

    private func state() async -> JSONValue {
        let adapter = model.central.adapter
        return [
            "version": .string(options.version), "boot": .string(hub.boot), "readOnly": .bool(options.isReadOnly),
            "adapter": [
                "uri": .string(adapter.uri), "address": .optional(adapter.address?.text),
                "summary": .string(adapter.summary),
                "capabilities": .array(model.central.capabilities.names.map { .string($0) }),
            ],
            "radio": model.radio.json, "scanning": .bool(await model.isScanning), "air": .bool(air != nil),
            "counters": await model.counters.json,
        ]
    }

    private func events(_ call: APICall) throws -> Response {
        let session = call.context.sessionID
        let comesBack = call.request.headers.contains { $0.name.canonicalName == "last-event-id" }
        let name = call.value("viewer") ?? viewers.name(for: session, comesBack: comesBack)
        let hello: JSONValue = [
            "viewer": .string(name), "boot": .string(hub.boot), "version": .string(options.version),
            "readOnly": .bool(options.isReadOnly),
        ]
        return try hub.response(to: call.request, viewer: ViewerDirectory.key(session, name)) {
            ("hello", hello.text)
        }
    }
}

import Explorer
import Harald
import Hummingbird
import VirtualDevices
import WebServer

extension ExplorerAPI {
    private static let distance = APISchema.number(0...10_000)
    private static let faults = APISchema.body(
        [
            "silent": .flag, "outOfRange": .flag, "loss": .number(0...1), "delay": .number(0...60),
            "failedConnects": .integer(0...1000),
        ], atLeast: 1)
    private static let source: [String: APISchema] = ["yaml": .text(length: 1...60_000), "distance": distance]

    var airOperations: [APIOperation] {
        protected([
            APIOperation(
                method: .get, path: "/api/v1/air", name: "air", summary: "The devices on the virtual radio.",
                tag: "air",
                answer: .json(.named("Air"))
            ) { [self] _ in .json(await airState()) },
            APIOperation(
                method: .get, path: "/api/v1/air/twins", name: "twins", summary: "The built-in devices.",
                tag: "air", answer: .json(.object(["twins": .list(Schemas.anything)]))
            ) { _ in
                let twins = BuiltIn.deviceNames.map { name -> JSONValue in
                    let title = (try? BuiltIn.device(named: name))?.name ?? name
                    return [
                        "name": .string(name), "title": .string(title), "editable": .bool(BuiltIn.devices[name] != nil),
                    ]
                }
                return .json(["twins": .array(twins)])
            },
            APIOperation(
                method: .get, path: "/api/v1/air/twins/{name}", name: "twinFile",
                summary: "The device file of a built-in device.", tag: "air",
                answer: .document(type: "application/yaml")
            ) { call in
                let name = try call.context.parameter("name")
                guard let text = BuiltIn.devices[name] else {
                    throw Problem.notFound(
                        "'\(name)' has no device file.", advice: "GET /api/v1/air/twins lists the devices with a file.")
                }
                return .file(Array(text.utf8), type: "application/yaml")
            },
            APIOperation(
                method: .post, path: "/api/v1/air/check", name: "checkFile", summary: "Checks a device file.",
                tag: "air",
                body: .body(["yaml": .text(length: 0...60_000)], required: ["yaml"]), needsBody: true,
                answer: .json(
                    .object(["valid": .flag, "name": Schemas.text.orNull, "errors": .list(Schemas.anything)]))
            ) { call in .json(Self.check(call.body["yaml"]?.string ?? "")) },
            APIOperation(
                method: .post, path: "/api/v1/air/devices", name: "addAirDevice", summary: "Adds a device to the air.",
                tag: "air",
                body: .oneOf([
                    .body(
                        ["twin": .choice(BuiltIn.deviceNames), "distance": Self.distance], required: ["twin"]),
                    .body(Self.source, required: ["yaml"]),
                    .body(["clone": Schemas.identifier, "distance": Self.distance], required: ["clone"]),
                ]), needsBody: true, answer: .json(.named("AirDevice"), status: .created)
            ) { [self] call in .json(try await addDevice(call), status: .created) },
            APIOperation(
                method: .get, path: "/api/v1/air/devices/{id}", name: "airDevice", summary: "A device on the air.",
                tag: "air", answer: .json(.named("AirDevice"))
            ) { [self] call in
                try await change(call, nil) { laboratory, id, _ in await laboratory.device(id) }
            },
            APIOperation(
                method: .get, path: "/api/v1/air/devices/{id}/file", name: "airDeviceFile",
                summary: "The device file of a device on the air.", tag: "air",
                answer: .document(type: "application/yaml")
            ) { [self] call in
                let id = try call.context.parameter("id")
                guard let text = try laboratory().file(id) else { throw Self.noDevice(id) }
                return .file(Array(text.utf8), type: "application/yaml")
            },
            APIOperation(
                method: .patch, path: "/api/v1/air/devices/{id}", name: "changeAirDevice",
                summary: "Moves a device, and sets its faults.", tag: "air",
                body: .body(["distance": Self.distance, "walking": .flag, "faults": Self.faults], atLeast: 1),
                needsBody: true,
                answer: .json(.named("AirDevice"))
            ) { [self] call in
                try await change(call, "was changed") { laboratory, id, body in
                    if let distance = body["distance"]?.number { _ = await laboratory.move(id, to: distance) }
                    if let isWalking = body["walking"]?.flag { _ = await laboratory.setWalking(isWalking, id) }
                    return await laboratory.set(AirFaults(body["faults"] ?? .null), of: id)
                }
            },
            APIOperation(
                method: .post, path: "/api/v1/air/devices/{id}/cut", name: "cutLinks",
                summary: "Cuts the links of a device.", tag: "air", answer: .json(.named("AirDevice"))
            ) { [self] call in
                try await change(call, "lost its links") { laboratory, id, _ in await laboratory.cut(id) }
            },
            APIOperation(
                method: .delete, path: "/api/v1/air/devices/{id}", name: "removeAirDevice",
                summary: "Removes a device from the air.", tag: "air",
                answer: .json(.object(["id": Schemas.text, "removed": .flag]))
            ) { [self] call in
                let id = try call.context.parameter("id")
                guard try await laboratory().remove(id) else { throw Self.noDevice(id) }
                await model.note(.air, "device \(id) was removed from the air")
                return .json(["id": .string(id), "removed": true])
            },
        ])
    }

    private static let unavailable = "the adapter is not a virtual radio of this program"

    private func laboratory() throws -> AirLaboratory {
        guard let air else {
            throw Problem(
                status: .conflict, type: "no-air", title: "No virtual radio", detail: Self.unavailable,
                advice: "Start the server with --adapter virtual:SCENE.")
        }
        return air
    }

    private static func noDevice(_ id: String) -> Problem {
        .notFound("There is no device '\(id)' on the air.", advice: "GET /api/v1/air lists them.")
    }

    private func airState() async -> JSONValue {
        guard let air else { return ["available": false, "reason": .string(Self.unavailable), "devices": []] }
        var devices: [JSONValue] = []
        for device in await air.devices { devices.append(await json(device)) }
        return ["available": true, "reason": .null, "devices": .array(devices)]
    }

    private func json(_ device: AirDevice) async -> JSONValue {
        let known: PeripheralID? =
            if let address = device.address { await model.central.peripheral(address: address)?.id } else { nil }
        return [
            "id": .string(device.id), "name": .string(device.name), "address": .optional(device.address?.text),
            "device": .optional(known?.description), "connectable": .bool(device.isConnectable),
            "links": .int(device.linkCount), "distance": .number(device.distance),
            "position": [
                "x": .number(device.position.x), "y": .number(device.position.y), "z": .number(device.position.z),
            ],
            "walking": .bool(device.isWalking),
            "faults": [
                "silent": .bool(device.isSilent), "outOfRange": .bool(device.isOutOfRange),
                "loss": .number(device.loss),
                "delay": .number(device.delay / .seconds(1)), "failedConnects": .int(device.failedConnects),
            ],
        ]
    }

    private static func check(_ yaml: String) -> JSONValue {
        do throws(DeviceFileError) {
            let file = try DeviceFile(yaml: yaml)
            return ["valid": true, "name": .string(file.name), "errors": []]
        } catch {
            let place: JSONValue = [
                "line": .optional(error.line), "column": .optional(error.column), "message": .string(error.message),
            ]
            return ["valid": false, "name": .null, "errors": [place]]
        }
    }

    private func addDevice(_ call: APICall) async throws -> JSONValue {
        let laboratory = try laboratory()
        let distance = call.body["distance"]?.number ?? 1
        let device: AirDevice
        if let yaml = call.body["yaml"]?.string {
            device = try await laboratory.add(try DeviceFile(yaml: yaml), from: .file(yaml), distance: distance)
        } else if let id = call.body["clone"]?.string.flatMap({ PeripheralID($0) }) {
            var file = try await model.clone(id, for: call.viewer)
            // The original may be on the same air.
            file.address = .automatic
            device = try await laboratory.add(file, distance: distance)
        } else {
            let name = call.body["twin"]?.string ?? ""
            guard let file = try BuiltIn.device(named: name) else {
                throw Problem.notFound("There is no device '\(name)'.", advice: "GET /api/v1/air/twins lists them.")
            }
            device = try await laboratory.add(file, from: .builtIn(name), distance: distance)
        }
        await model.note(.air, "'\(device.name)' was added to the air")
        return await json(device)
    }

    private func change(
        _ call: APICall, _ what: String?,
        _ body: @Sendable (AirLaboratory, String, JSONValue) async throws -> AirDevice?
    ) async throws -> Response {
        let id = try call.context.parameter("id")
        guard let device = try await body(try laboratory(), id, call.body) else { throw Self.noDevice(id) }
        if let what { await model.note(.air, "'\(device.name)' \(what)") }
        return .json(await json(device))
    }
}

extension AirFaults {
    /// Creates the change from the members of a JSON object.
    fileprivate init(_ json: JSONValue) {
        self.init(
            isSilent: json["silent"]?.flag, isOutOfRange: json["outOfRange"]?.flag, loss: json["loss"]?.number,
            delay: json["delay"]?.number.map { .seconds($0) },
            failedConnects: json["failedConnects"]?.number.map { Int($0) })
    }
}

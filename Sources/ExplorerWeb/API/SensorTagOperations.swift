import Explorer
import Harald
import HaraldDevices
import Hummingbird
import WebServer

extension ExplorerAPI {
    private func operation(
        _ path: String, _ name: String, _ summary: String, body: APISchema? = nil, isProtected: Bool = false,
        _ handler: @escaping @Sendable (APICall, PeripheralID) async throws -> TagReport
    ) -> APIOperation {
        APIOperation(
            method: .post, path: "/api/v1/sensortags/{id}/\(path)", name: name, summary: summary, tag: "sensortags",
            body: body, needsBody: body != nil, answer: .json(.named("SensorTag")), isProtected: isProtected,
            hasViewer: true
        ) { [self] call in .json(try await handler(call, try device(call)).json) }
    }

    var sensorTagOperations: [APIOperation] {
        [
            APIOperation(
                method: .get, path: "/api/v1/sensortags", name: "sensorTags", summary: "The SensorTags in range.",
                tag: "sensortags", answer: .json(.object(["tags": .list(.named("SensorTag"))]))
            ) { [self] _ in .json(["tags": .array(await model.sensorTags().map(\.json))]) },
            APIOperation(
                method: .get, path: "/api/v1/sensortags/{id}", name: "sensorTag", summary: "A SensorTag.",
                tag: "sensortags", answer: .json(.named("SensorTag"))
            ) { [self] call in
                let id = try device(call)
                guard let tag = await model.sensorTag(id) else { throw Problem.noDevice("\(id)") }
                return .json(tag.json)
            },
            operation(
                "connect", "connectSensorTag",
                "Connects a SensorTag, discovers its sensors and reads its device information."
            ) { [model] call, id in try await model.connectTag(id, for: call.viewer) },
            operation("disconnect", "disconnectSensorTag", "Removes this viewer from the link.") {
                [model] call, id in
                guard await model.sensorTag(id) != nil else { throw Problem.noDevice("\(id)") }
                try await model.disconnect(id, for: call.viewer)
                guard let tag = await model.sensorTag(id) else { throw Problem.noDevice("\(id)") }
                return tag
            },
            operation(
                "sensors/{sensor}", "setSensor", "Switches a sensor on or off, and sets its period, in seconds.",
                body: .body(["on": .flag, "period": .number(0.1...2.55)], atLeast: 1), isProtected: true
            ) { [self] call, id in
                try await model.setSensor(
                    try sensor(call), of: id, isOn: call.body["on"]?.flag,
                    period: call.body["period"]?.number.map { .seconds($0) }, for: call.viewer)
            },
            operation(
                "sensors/{sensor}/calibrate", "calibrateSensor",
                "Sets the zero of a sensor, or calibrates the barometer.", isProtected: true
            ) { [self] call, id in try await model.calibrateSensor(try sensor(call), of: id) },
        ]
    }

    private func sensor(_ call: APICall) throws -> SensorTag.Sensor {
        let text = try call.context.parameter("sensor")
        guard let sensor = SensorTag.Sensor(rawValue: text) else {
            let names = SensorTag.Sensor.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.notFound("There is no sensor '\(text)'.", advice: "The sensors are \(names).")
        }
        return sensor
    }
}

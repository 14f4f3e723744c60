import Explorer
import Foundation
import HTTPTypes
import Harald
import Hummingbird
import WebServer

/// The HTTP API of the explorer, under `/api/v1`, with its event stream.
package final class ExplorerAPI: Sendable {
    /// The options of the API.
    package struct Options: Sendable {
        /// The version of the program.
        package var version: String
        /// True to permit only connecting, reading and subscribing.
        package var isReadOnly = false
        /// Returns what was done as a script for `harald run`; nil if nothing is recorded.
        package var script: (@Sendable () -> String)?
        /// The configuration of the event hub.
        package var hub = EventHub.Configuration()

        /// Creates options with defaults for the rest.
        package init(version: String) {
            self.version = version
            // The model already limits updates to four per second and device; the hub adds only a short interval.
            hub.interval = .milliseconds(20)
        }
    }

    let model: ExplorerModel
    let air: AirLaboratory?
    let capture: CaptureDesk?
    let options: Options
    let viewers: ViewerDirectory
    /// The event stream that all pages share.
    package let hub: EventHub

    /// Creates an API for a started model.
    /// - Parameters:
    ///   - air: the laboratory, if the adapter is on an air of this process.
    ///   - capture: the capture, if the adapter supports one.
    package init(
        _ model: ExplorerModel, air: AirLaboratory? = nil, capture: CaptureDesk? = nil, options: Options
    ) {
        self.model = model
        self.air = air
        self.capture = capture
        self.options = options
        let viewers = ViewerDirectory { key, isOpen in
            let viewer = ViewerID(rawValue: key)
            // On the model's loop, so that openings and closings keep their order.
            model.loop.execute {
                model.assumeIsolated { isOpen ? $0.openViewer(viewer) : $0.closeViewer(viewer) }
            }
        }
        self.viewers = viewers
        hub = EventHub(
            configuration: options.hub,
            sessionEnded: { session in
                model.loop.execute { model.assumeIsolated { $0.endSession(session) } }
            },
            viewerChanged: { viewers.streamsChanged($0, isOpen: $1) })
    }

    /// All operations.
    var operations: [APIOperation] {
        stateOperations + deviceOperations + linkOperations + attributeOperations + pairingOperations + airOperations
            + captureOperations + sensorTagOperations + logOperations
    }

    /// Adds the routes of the API and of `/health`.
    package func addRoutes(to routes: inout WebRoutes) {
        let checks = APIChecks(isReadOnly: options.isReadOnly, viewers: viewers)
        let operations = operations
        let document = OpenAPIDocument.json(operations, version: options.version).text
        for operation in operations {
            routes.on(operation.method, operation.path, withoutLogin: operation.isOpen) { request, context in
                let call = try await checks.call(operation, request, context)
                do { return try await operation.handler(call) } catch { throw Problem(model: error) }
            }
        }
        routes.get("/api/v1/openapi.json") { _, _ in .json(document) }
    }

    /// Publishes the events of the model until the model is closed or the task is cancelled.
    package func publishEvents() async {
        for await event in await model.events() {
            switch event {
            case .device(let device): hub.publishNewest("device", key: device.id.description) { device.json().text }
            case .gone(let id):
                hub.publish("device", data: JSONValue.object(["id": .string(id.description), "gone": true]).text)
            case .connection(let report): hub.publish("connection", data: report.json.text)
            case .value(let report): hub.publish("value", data: report.eventJSON.text)
            case .pairing(let request):
                hub.publish("pairing", data: request.json.text, audience: request.viewer.rawValue)
            case .log(let entry): hub.publish("log", data: entry.json.text)
            // Changes of the adapter are also log entries.
            case .radio: break
            case .missed(let count): hub.publish("missed", data: JSONValue.object(["count": .int(count)]).text)
            }
        }
    }

    // MARK: Shared by handlers

    /// Returns the device that the path names.
    /// - Throws: ``Problem`` 404.
    func device(_ call: APICall) throws -> PeripheralID {
        let text = try call.context.parameter("id")
        guard let id = PeripheralID(text) else { throw Problem.noDevice(text) }
        return id
    }

    /// Returns the attribute handle that the path names.
    /// - Throws: ``Problem`` 404.
    func handle(_ call: APICall) throws -> UInt32 {
        let text = try call.context.parameter("handle")
        guard let handle = UInt32(text), handle > 0 else {
            throw Problem.notFound("'\(text)' is not an attribute handle.")
        }
        return handle
    }
}

extension ExplorerDevice {
    /// The device as a JSON object: the members of `harald scan --json` and more.
    func json(history: [RSSISample]? = nil) -> JSONValue {
        guard case .object(var object) = row.json else { return row.json }
        object["title"] = .string(title)
        object["alias"] = .optional(alias)
        object["kind"] = .string(kind.rawValue)
        object["kindName"] = .string(kind.words)
        object["scanResponses"] = .int(scanResponseCount)
        object["interval"] = interval.map { .number((($0 / .milliseconds(1)) * 10).rounded() / 10_000) } ?? .null
        object["lastSeen"] = .string(lastSeen.jsonText)
        object["firstSeen"] = .string(firstSeen.jsonText)
        object["advertisements"] = .int(advertisementCount)
        object["company"] = .optional(company)
        object["serviceNames"] = .array(serviceNames.map { .string($0) })
        object["measurements"] = .array(measurements.map(\.json))
        object["favourite"] = .bool(isFavourite)
        object["connection"] = .string(connection.rawValue)
        object["sensorTag"] = .optional(sensorTag?.rawValue)
        if let history { object["rssiHistory"] = .array(history.map(\.json)) }
        return .object(object)
    }
}

extension RSSISample {
    /// The sample as an array: milliseconds since 1970, and dBm.
    var json: JSONValue { [.int(Int((time.timeIntervalSince1970 * 1000).rounded())), .int(rssi)] }
}

extension Response {
    /// A response with a JSON value.
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        .json(value.text, status: status)
    }
}

import AsyncHTTPClient
import BluetoothRuntime
import Explorer
import Foundation
import Harald
import NIOCore
import Testing
import VirtualDevices
import WebServer

@testable import ExplorerWeb

/// A server over a model on a virtual radio, and a client with the bearer token.
struct APIRig: Sendable {
    static let lamp = """
        name: Lamp
        address: C0:00:00:00:00:01
        advertise: {interval: 20 ms}
        services:
          - uuid: FFF0
            characteristics:
              - {uuid: FFF1, properties: [read, write, writeWithoutResponse], value: {hex: "01"}}
              - {uuid: FFF2, properties: [notify], value: {u8: {wave: ramp, min: 0, max: 100, period: 10 s}}, notifyEvery: 20 ms}
              - {uuid: FFF3, properties: [read], value: {hex: "05"}, security: encrypted}
        """

    let api: ExplorerAPI
    let model: ExplorerModel
    let base: String
    let token: String
    let client: HTTPClient

    struct Answer {
        let status: Int
        let type: String
        let body: [UInt8]

        var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Runs a server while `body` runs.
    static func run(
        isReadOnly: Bool = false, _ body: @escaping @Sendable (APIRig) async throws -> Void
    ) async throws {
        let scene = try await VirtualScene(
            SceneFile(name: "test", devices: [SceneDevice(try DeviceFile(yaml: lamp))]))
        let (desk, capture) = (PairingDesk(), CaptureDesk())
        var options = AdapterOptions(storage: .none)
        options.captureTap = capture.tap
        let central = try await Central(
            adapter: scene.radio.adapter(named: "central"), pairing: desk, options: options)
        let model = ExplorerModel(central: central, pairing: desk)
        await model.start()
        var settings = ExplorerAPI.Options(version: "0")
        settings.isReadOnly = isReadOnly
        let api = ExplorerAPI(model, air: AirLaboratory(scene), capture: capture, options: settings)
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("harald-api-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let result = await Result { try await serve(api, model, directory.path, body) }
        await model.close()
        await central.close()
        await scene.close()
        try result.get()
    }

    private static func serve(
        _ api: ExplorerAPI, _ model: ExplorerModel, _ store: String,
        _ body: @escaping @Sendable (APIRig) async throws -> Void
    ) async throws {
        var configuration = WebServerConfiguration(
            listen: WebAddress(host: "127.0.0.1", port: 0), name: "test", title: "Test", store: store)
        configuration.logger.logLevel = .critical
        var routes = WebRoutes()
        api.addRoutes(to: &routes)
        let server = WebServer(configuration: configuration, routes: routes, hub: api.hub)
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let (ready, continuation) = AsyncStream<WebServer.Listening>.makeStream()
        let result = await Result {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { continuation.finish() }
                    try await server.run { continuation.yield($0) }
                }
                group.addTask { await api.publishEvents() }
                for await listening in ready {
                    let token = try String(contentsOfFile: listening.tokenFile, encoding: .utf8)
                    let rig = APIRig(
                        api: api, model: model, base: listening.base,
                        token: token.trimmingCharacters(in: .whitespacesAndNewlines), client: client)
                    let result = await Result { try await body(rig) }
                    server.stop()
                    group.cancelAll()
                    try result.get()
                    break
                }
                try await group.waitForAll()
            }
        }
        try await client.shutdown()
        try result.get()
    }

    // MARK: Requests

    func send(
        _ method: String, _ path: String, _ body: String? = nil, viewer: String? = nil, authorized: Bool = true
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: base + path)
        request.method = .RAW(value: method)
        if authorized { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let viewer { request.headers.add(name: "Harald-Viewer", value: viewer) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await client.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 1 << 24)
        return Answer(
            status: Int(response.status.code), type: response.headers.first(name: "content-type") ?? "",
            body: Array(bytes.readableBytesView))
    }

    func get(_ path: String) async throws -> JSONValue {
        let answer = try await send("GET", "/api/v1" + path)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json
    }

    @discardableResult
    func post(_ path: String, _ body: String? = nil, viewer: String? = nil) async throws -> JSONValue {
        let answer = try await send("POST", "/api/v1" + path, body, viewer: viewer)
        #expect((200...201).contains(answer.status), "\(path): \(answer.text)")
        return answer.json
    }

    /// Returns the identifier of the lamp, once it was received.
    func lamp() async throws -> String {
        let model = model
        return try await within("the lamp's advertisement") {
            for await event in await model.events() {
                if case .device(let device) = event, device.name == "Lamp" { return device.id.description }
            }
            throw InputError("the lamp was never heard")
        }
    }

    /// The handle of a characteristic of a connected device.
    func handle(_ uuid: String, of id: String) async throws -> Int {
        let tree = try await get("/devices/\(id)/tree")
        for service in tree["services"]?.elements ?? [] {
            for characteristic in service["characteristics"]?.elements ?? []
            where characteristic["uuid"] == .string(uuid) {
                return try #require(characteristic["handle"]?.integer)
            }
        }
        throw InputError("no characteristic \(uuid)")
    }

    // MARK: Events

    struct Event: Sendable {
        var id: String
        var name: String
        var data: JSONValue
    }

    /// Returns the stream of events, until the task that consumes them is cancelled or the stream is released.
    func events(viewer: String? = nil, after identifier: String? = nil) async throws -> EventReader {
        var request = HTTPClientRequest(url: base + "/api/v1/events" + (viewer.map { "?viewer=\($0)" } ?? ""))
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        if let identifier { request.headers.add(name: "Last-Event-ID", value: identifier) }
        let response = try await client.execute(request, timeout: .seconds(60))
        #expect(response.status == .ok)
        return EventReader(response.body)
    }
}

extension Result where Failure == any Error {
    /// Creates the result of an asynchronous body.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

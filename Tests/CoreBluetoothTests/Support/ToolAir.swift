import BluetoothRuntime
import BluetoothTransport
import CoreBluetooth
import PeerSupport
import VirtualTransport

/// An air that programs join through a TCP port, each with a controller of its own.
struct ToolAir {
    let radio: VirtualRadio
    private let server: LoopBound<ControllerServer?>
    let uri: String

    init(radio: VirtualRadio = VirtualRadio()) async throws {
        self.radio = radio
        let server = LoopBound<ControllerServer?>(nil, loop: radio.loop)
        let result: Result<ListenAddress, TransportError> = await withCheckedContinuation { continuation in
            radio.loop.execute {
                let air = radio.air.value
                let controllers = ControllerServer(air: air) { [unowned air] _ in air.makeController() }
                server.value = controllers
                controllers.listen(on: .tcp(host: nil, port: 0)) { continuation.resume(returning: $0) }
            }
        }
        self.server = server
        uri = "\(try result.get())"
    }

    func close() async {
        let server = server
        await radio.loop.run {
            server.value?.close()
            server.value = nil
        }
    }

    /// Runs a program and returns its output.
    func run(_ name: String) async throws -> String {
        let data = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cb-tool-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: data) }
        let process = try start(name, data: data).process
        _ = await process.exit()
        return process.transcript
    }

    /// Starts a program. Returns it, and its output line by line.
    func start(_ name: String, data: URL) throws -> (process: PeerProcess, lines: EventLog) {
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let process = try PeerProcess(
            directory.appendingPathComponent(name).path,
            environment: ["HARALD_ADAPTER": uri, "XDG_DATA_HOME": data.path], separatesErrors: true)
        let (lines, output) = (EventLog(), process.lines)
        Task { for await line in output { lines.add(line.text) } }
        return (process, lines)
    }
}

import BluetoothRuntime
import BluetoothTransport
import CoreBluetooth
import VirtualBluetooth

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
        let (process, output) = try started(name, data: data)
        let text = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: String(decoding: output.readDataToEndOfFile(), as: UTF8.self))
            }
        }
        withExtendedLifetime(process) {}
        return text
    }

    /// A program that runs, and what it prints, line by line.
    func start(_ name: String, data: URL) throws -> (process: Process, lines: EventLog) {
        let (process, output) = try started(name, data: data)
        let lines = EventLog()
        Thread.detachNewThread {
            var text = Data()
            while case let more = output.availableData, !more.isEmpty {
                text += more
                while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.add(String(decoding: text[..<end], as: UTF8.self))
                    text = Data(text[(end + 1)...])
                }
            }
        }
        return (process, lines)
    }

    private func started(_ name: String, data: URL) throws -> (Process, FileHandle) {
        let process = Process()
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        process.executableURL = directory.appendingPathComponent(name)
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["HARALD_ADAPTER": uri, "XDG_DATA_HOME": data.path]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        return (process, pipe.fileHandleForReading)
    }
}

import Foundation
import Harald
import VirtualDevices
import VirtualTransport

@testable import HaraldCommand

/// A device that sends values as soon as a central subscribes, and a monitor that receives them.
final class SendingDevice: DeviceProgram {
    private let stage: DeviceStage
    private let uuid: BluetoothUUID
    private let values: [[UInt8]]

    private init(stage: DeviceStage, uuid: BluetoothUUID, values: [[UInt8]]) {
        (self.stage, self.uuid, self.values) = (stage, uuid, values)
    }

    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
        guard characteristic == uuid else { return }
        stage.run("send") { [stage, uuid, values] in
            for value in values { await stage.send(value, from: uuid) }
        }
    }

    /// Returns the first readings that a monitor receives from a device.
    /// - Parameters:
    ///   - values: the values that the device sends from the characteristic `uuid`.
    ///   - report: consumes the reports of the monitor.
    static func readings(
        of file: DeviceFile, sending values: [[UInt8]], from uuid: BluetoothUUID, count: Int, setsClocks: Bool = true,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> [MonitorReading] {
        var file = file
        file.program = DeviceProgramKind("sending") { SendingDevice(stage: $0, uuid: uuid, values: values) }
        let scene = try await VirtualScene(SceneFile(name: "one", devices: [SceneDevice(file)]))
        let central = try await Central(adapter: scene.radio.adapter(named: "central"), pairing: .justWorks)
        let (readings, reading) = AsyncStream<MonitorReading>.makeStream()
        let monitor = HealthMonitor(
            setsClocks: setsClocks, central: central, patience: .seconds(60), note: { _ in }, report: report,
            emit: { reading.yield($0) }, rest: .zero, clocks: try ClockHistory())
        let found = await monitor.run(untilFirst: count, of: readings)
        await central.close()
        await scene.close()
        return found
    }
}

extension HealthMonitor {
    /// Runs until a stream, which the monitor fills, has so many values.
    /// - Returns: the values.
    func run<Value: Sendable>(untilFirst count: Int, of stream: AsyncStream<Value>) async -> [Value] {
        let running = Task { try await run() }
        var found: [Value] = []
        for await value in stream {
            found.append(value)
            if found.count == count { break }
        }
        running.cancel()
        _ = await running.result
        return found
    }
}

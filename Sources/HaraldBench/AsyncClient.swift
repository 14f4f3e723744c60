import BluetoothBackend
import BluetoothModel
import Harald

/// The client of a measurement, with the async API of the library.
struct AsyncClient {
    var plan: ClientPlan
    var peripheral: Peripheral
    var read: Characteristic, notify: Characteristic, sink: Characteristic, control: Characteristic,
        stats: Characteristic

    init(_ peripheral: Peripheral, plan: ClientPlan) async throws {
        let service = try await peripheral.service(AttributeKey(0xFFF0 as BluetoothUUID))
        let all = try await service.discoverCharacteristics()
        func characteristic(_ id: AttributeID) throws -> Characteristic {
            guard let found = all.first(where: { $0.valueHandle == id }) else { throw BenchFailure("no bench service") }
            return found
        }
        self.peripheral = peripheral
        self.plan = plan
        read = try characteristic(plan.read)
        notify = try characteristic(plan.notify)
        sink = try characteristic(plan.sink)
        control = try characteristic(plan.control)
        stats = try characteristic(plan.stats)
    }

    func run() async throws {
        for measurement in plan.measurements {
            switch measurement {
            case .read:
                try await measure(measurement, count: plan.reads) {
                    for _ in 0..<plan.reads { _ = try await read.read(timeout: nil) }
                    return UInt64(plan.reads * 20)
                }
            case .notify(let size): try await measureNotifications(size, measurement)
            case .write(let size):
                let payload = [UInt8](repeating: 0x55, count: size)
                try await measure(measurement, count: plan.operations) {
                    for _ in 0..<plan.operations {
                        try await sink.write(payload, type: .withoutResponse, timeout: nil)
                    }
                    return UInt64(plan.operations * size)
                }
            case .channel:
                let channel = try await peripheral.openL2CAPChannel(psm: BenchService.psm)
                let payload = [UInt8](repeating: 0x55, count: channel.maximumMessageLength)
                try await measure(measurement, count: plan.transfers) {
                    for _ in 0..<plan.transfers * (BenchService.transferSize / payload.count) {
                        try await channel.send(payload)
                    }
                    return UInt64(plan.transfers * BenchService.transferSize)
                }
            }
        }
        try? await control.write(BenchService.command(.quit), timeout: .seconds(2))
    }

    private func measureNotifications(_ size: Int, _ measurement: ClientPlan.Measurement) async throws {
        let values = notify.notifications(buffering: .oldest(plan.operations))
        try await measure(measurement, count: plan.operations) {
            try await control.write(BenchService.command(.notify, size: size, count: plan.operations))
            var (left, bytes) = (plan.operations, UInt64(0))
            for try await value in values {
                bytes += UInt64(value.count)
                left -= 1
                if left == 0 { break }
            }
            return bytes
        }
    }

    private func measure(
        _ measurement: ClientPlan.Measurement, count: Int, _ body: () async throws -> UInt64
    ) async throws {
        try await control.write(BenchService.command(.mark))
        let (mark, start) = (Usage.now, ContinuousClock.now)
        let bytes = try await body()
        var client = Statistics()
        client.usage = Usage.now - mark
        var seconds = (ContinuousClock.now - start).seconds
        guard let server = try await stats.read().withByteView({ Statistics($0) }) else {
            throw BenchFailure("the server's statistics are too short")
        }
        if measurement.unacknowledgedSize != nil {
            seconds = (ContinuousClock.now - start).seconds
            plan.reportLoss(expected: bytes, received: server.sinkBytes)
        }
        printResult(
            plan.label, measurement.name, count: count, seconds: seconds, client: client, server: server, bytes: bytes)
    }
}

/// An error that prevents a measurement.
struct BenchFailure: Error, CustomStringConvertible {
    var description: String
    /// The exit status of the program.
    var status: Int32 = 1

    init(_ description: String, status: Int32 = 1) {
        self.description = description
        self.status = status
    }
}

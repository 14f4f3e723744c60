import Harald
import VirtualTransport

/// Measures the processor time of a value that a device sends to many subscribers, in one process: device, air and
/// subscribers.
enum SubscribersBench {
    private static let values = 2000

    static func run(_ counts: [Int]) async throws {
        var costs: [Double] = []
        for count in counts { costs.append(try await measure(count)) }
        if let first = costs.first, let last = costs.last { print("growth", "ratio=\(fixed(last / first))") }
    }

    /// Returns the processor time of one value at one of `count` subscribers, in microseconds.
    private static func measure(_ count: Int) async throws -> Double {
        // The clock runs fast, so that connecting does not take minutes; nothing else depends on it.
        let radio = VirtualRadio(clock: .faster(by: 20))
        var configuration = VirtualControllerConfiguration()
        configuration.linkCount = count
        let device = try await LocalPeripheral(
            adapter: radio.adapter(named: "device", configuration: configuration), name: "device")
        let service = try await device.publish(
            ServiceDefinition(0xFFF0, [CharacteristicDefinition(0xFFF2, .notify)]))
        guard let source = service.characteristics.first, let address = await device.address else {
            throw BenchFailure("the device has no characteristic or no address")
        }
        let payload = [UInt8](repeating: 0xAA, count: 20)
        var centrals: [Central] = []
        var streams: [BluetoothStream<[UInt8]>] = []
        for number in 0..<count {
            // Advertising ends with each connection.
            try await device.advertise()
            let central = try await Central(adapter: radio.adapter(named: "central-\(number)"))
            guard let peripheral = await central.peripheral(address: address) else {
                throw BenchFailure("the virtual radio hides addresses")
            }
            try await peripheral.connect(timeout: nil)
            let characteristic = try await peripheral.characteristic("FFF0", "FFF2")
            streams.append(try await characteristic.subscribe(buffering: .oldest(values)))
            centrals.append(central)
        }
        await device.stopAdvertising()
        let mark = Usage.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for stream in streams {
                group.addTask {
                    var left = values
                    for try await _ in stream {
                        left -= 1
                        if left == 0 { return }
                    }
                    throw BenchFailure("a subscription ended before its last value")
                }
            }
            for _ in 0..<values { try await source.update(payload) }
            try await group.waitForAll()
        }
        let usage = Usage.now - mark
        let cost = Double(usage.user + usage.system) / Double(values * count)
        print("subscribers-\(count)", "cpu_us=\(fixed(cost))")
        for central in centrals { await central.close() }
        await device.close()
        return cost
    }
}

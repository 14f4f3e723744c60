import Foundation
import Harald
import VirtualTransport

/// Measures reads over many concurrent links in one process: several virtual controllers, half of them as peripherals.
enum LinksBench {
    /// The number of links per controller, less than the number of advertising handles.
    private static let linksPerController = 200

    static func run(_ counts: [Int]) async throws {
        var costs: [Double] = []
        for count in counts { costs.append(try await measure(count, isMost: count == counts.last)) }
        if let first = costs.first, let last = costs.last { print("growth", "ratio=\(fixed(last / first))") }
    }

    /// Returns the processor time of one read with `count` links, in microseconds.
    private static func measure(_ count: Int, isMost: Bool) async throws -> Double {
        // The clock runs fast, so that connecting does not take minutes; nothing else depends on it.
        let radio = VirtualRadio(clock: .faster(by: 20))
        let before = Memory.resident
        var configuration = VirtualControllerConfiguration()
        configuration.advertisingSetCount = linksPerController
        configuration.linkCount = linksPerController
        let controllers = (count + linksPerController - 1) / linksPerController
        var devices: [LocalPeripheral] = []
        var centrals: [Central] = []
        for number in 0..<controllers {
            centrals.append(
                try await Central(adapter: radio.adapter(named: "central-\(number)", configuration: configuration)))
        }
        var characteristics: [Characteristic] = []
        for number in 0..<count {
            let controller = number / linksPerController
            let device = try await LocalPeripheral(
                adapter: radio.adapter(named: "devices-\(controller)", configuration: configuration), name: "d\(number)"
            )
            try await device.publish(
                ServiceDefinition(
                    0xFFF0, [CharacteristicDefinition(0xFFF1, .read, value: [UInt8](repeating: 0, count: 20))]))
            try await device.advertise()
            devices.append(device)
            guard let address = await device.address,
                let peripheral = await centrals[controller].peripheral(address: address)
            else { throw BenchFailure("the virtual radio hides addresses") }
            try await peripheral.connect(timeout: nil)
            // Otherwise thousands of connected devices would load the air with advertising.
            await device.stopAdvertising()
            characteristics.append(try await peripheral.characteristic("FFF0", "FFF1"))
        }
        let kilobytes = Double(Memory.resident - before) / 1024 / Double(count)

        let each = max(20, 100_000 / count)
        let (mark, start) = (Usage.now, ContinuousClock.now)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for characteristic in characteristics {
                group.addTask { for _ in 0..<each { _ = try await characteristic.read(timeout: nil) } }
            }
            try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start).seconds
        let usage = Usage.now - mark
        let reads = Double(each * count)
        let cost = Double(usage.user + usage.system) / reads
        let line =
            "links=\(count) kilobytes=\(fixed(kilobytes)) rate=\(Int(reads / seconds)) "
            + "cpu_us=\(fixed(cost))"
        print("links-\(count)", line)
        if isMost { print("most", line) }
        for central in centrals { await central.close() }
        for device in devices { await device.close() }
        return cost
    }
}

/// The memory of this process.
enum Memory {
    /// The resident memory in bytes; 0 if the system does not provide it.
    static var resident: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (fields.flatMap { Int($0[1]) } ?? 0) * 4096
    }
}

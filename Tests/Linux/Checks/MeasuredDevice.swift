import Foundation
import Harald

/// The service of the measurements: a value to read, and notifications on demand, with a requested number and rate.
enum MeasuredService {
    static let service: BluetoothUUID = "A5B71000-1C2D-4E5F-8091-A2B3C4D5E6F7"
    /// Read: 20 bytes.
    static let value: BluetoothUUID = "A5B71001-1C2D-4E5F-8091-A2B3C4D5E6F7"
    /// Write: the number of notifications and their rate per second, 16 bits each, little-endian.
    static let order: BluetoothUUID = "A5B71002-1C2D-4E5F-8091-A2B3C4D5E6F7"
    /// Notify: 20 bytes, of which the first two count.
    static let pulse: BluetoothUUID = "A5B71003-1C2D-4E5F-8091-A2B3C4D5E6F7"
}

/// The device that the centrals of a comparison read, until it is killed.
@MainActor enum MeasuredDevice {
    static func run() async {
        await Checks.step("the measured device") {
            let device = try await LocalPeripheral(name: "HaraldMeasured", options: .init(storage: .none))
            let (orders, order) = AsyncStream<[UInt8]>.makeStream()
            let service = try await device.publish(
                ServiceDefinition(
                    MeasuredService.service,
                    [
                        CharacteristicDefinition(
                            MeasuredService.value, [.read], value: [UInt8](repeating: 7, count: 20)),
                        CharacteristicDefinition(MeasuredService.order, [.write], onWrite: { order.yield($0.value) }),
                        CharacteristicDefinition(MeasuredService.pulse, [.notify]),
                    ]))
            try await device.advertise()
            say("     on the air through \(device.adapter.summary)")
            for await order in orders where order.count == 4 {
                let count = Int(order[0]) | Int(order[1]) << 8
                let rate = Int(order[2]) | Int(order[3]) << 8
                // The end of a link discards its remaining notifications.
                if let pulse = service[MeasuredService.pulse] { try? await send(count, at: rate, pulse) }
            }
        }
    }

    private static func send(_ count: Int, at rate: Int, _ pulse: PublishedCharacteristic) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        for number in 0..<count {
            let due = start + .seconds(1) / max(rate, 1) * number
            if clock.now < due { try await clock.sleep(until: due, tolerance: .zero) }
            try await pulse.update([UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 7, count: 18))
        }
    }
}

#if Programs
import Harald
import VirtualDevices

/// Tells what centrals do with simulated devices.
enum DeviceWatch {
    /// Reports events until the time is over; without a time until the command is interrupted, which throws.
    static func run(
        _ devices: [VirtualDevice], for length: Duration?, showsOutOfBandData: Bool = false,
        report: @escaping @Sendable (AirEvent) -> Void
    ) async throws {
        if showsOutOfBandData {
            for device in devices {
                let data = try await device.peripheral.makeOutOfBandData()
                report(.device(device.file.name, "out-of-band data \(data.text)"))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices {
                let (events, name) = (device.peripheral.events, device.file.name)
                group.addTask {
                    for try await event in events {
                        report(.device(name, text(event)))
                        if case .advertisingEnded(let error) = event { throw error }
                    }
                    // The device is gone with its adapter; the others may go on.
                }
            }
            group.addTask {
                try await Task.sleep(for: length ?? .seconds(1e9))
                throw TimeIsUp()
            }
            do {
                while try await group.next() != nil {}
            } catch is TimeIsUp {
                group.cancelAll()
            }
        }
    }

    private struct TimeIsUp: Error {}

    private static func text(_ event: LocalPeripheral.Event) -> String {
        switch event {
        case .connected(let central): "central \(central) connected"
        case .disconnected(let central, let error): "central \(central) disconnected: \(error.reason)"
        case .subscribed(let central, let attribute, _):
            "central \(central) subscribed to #\(HandleText.text(attribute.rawValue))"
        case .secured(let central, let security): "the link to central \(central) is \(SecurityText.text(security))"
        case .unsubscribed(let central, let attribute):
            "central \(central) unsubscribed from #\(HandleText.text(attribute.rawValue))"
        case .advertisingEnded(let error): "advertising ended: \(error.reason)"
        }
    }
}
#endif

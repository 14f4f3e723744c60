#if Programs
import Explorer
import Harald
import VirtualDevices

/// Tells what centrals do with simulated devices.
struct DeviceWatch: Sendable {
    private let devices: [(device: VirtualDevice, activities: BluetoothStream<LocalPeripheral.Activity>)]

    /// What happens from now on is told once the watch runs.
    init(_ devices: [VirtualDevice]) { self.devices = devices.map { ($0, $0.peripheral.activities) } }

    /// Reports events until the time is over; without a time until the command is interrupted, which throws.
    func run(
        for length: Duration?, showsOutOfBandData: Bool = false, renewsPasskeys: Bool = false,
        report: @escaping @Sendable (AirEvent) -> Void
    ) async throws {
        for (device, _) in devices where device.hasFixedPasskey {
            if renewsPasskeys { try await device.peripheral.allowPasskey() }
            Console.message(
                "'\(TerminalText.safe(device.file.name))' has a fixed passkey: each failed attempt reveals a part of it, so it "
                    + "is refused after three, until --renew-passkey")
        }
        if showsOutOfBandData {
            for (device, _) in devices {
                let data = try await device.peripheral.makeOutOfBandData()
                report(.device(DeviceEvent(device: device.file.name, "out-of-band data \(data.text)")))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (device, activities) in devices {
                group.addTask {
                    var dropped = 0
                    for try await activity in activities {
                        report(.device(DeviceEvent(activity, of: device)))
                        if activities.droppedCount > dropped {
                            let lost = activities.droppedCount - dropped
                            dropped += lost
                            report(
                                .message("\(lost) events of '\(device.file.name)' were lost: the output is too slow"))
                        }
                        if case .event(.advertisingEnded(let error)) = activity { throw error }
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
}
#endif

import Explorer
import Harald
import VirtualDevices

/// Reports the events between centrals and simulated devices.
struct DeviceWatch: Sendable {
    private let devices: [(device: VirtualDevice, activities: BluetoothStream<LocalPeripheral.Activity>)]

    /// Subscribes to the events of the devices; they are buffered until
    /// ``run(for:showsOutOfBandData:renewsPasskeys:report:)``.
    init(_ devices: [VirtualDevice]) { self.devices = devices.map { ($0, $0.peripheral.activities) } }

    /// Reports events for `length`; for nil until the task is cancelled. A device whose advertising ended because the
    /// controller restarts, or refused a command, advertises again.
    /// - Throws: any other error that ended the advertising of a device, `CancellationError`, or an error of the
    ///   passkey and out-of-band setup.
    func run(
        for length: Duration?, showsOutOfBandData: Bool = false, renewsPasskeys: Bool = false,
        control: SimulationControl? = nil, report: @escaping @Sendable (AirEvent) -> Void
    ) async throws {
        for (device, _) in devices where device.hasFixedPasskey {
            if renewsPasskeys { try await device.peripheral.allowPasskey() }
            Console.message(
                "'\(TerminalText.safe(device.file.name))' has a fixed passkey: each failed attempt reveals a part of "
                    + "it, so it is refused after three failed attempts, until --renew-passkey")
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
                    var recovery = Recovery { report(.message("'\(device.file.name)': \($0)")) }
                    for try await activity in activities {
                        report(.device(DeviceEvent(activity, of: device)))
                        if activities.droppedCount > dropped {
                            let lost = activities.droppedCount - dropped
                            dropped += lost
                            report(
                                .message(
                                    "\(lost) events of '\(device.file.name)' were dropped: the output is too slow"
                                ))
                        }
                        if case .event(.advertisingEnded(let error)) = activity {
                            try await device.advertise(after: error, &recovery)
                        }
                    }
                    // This device ended with its adapter; the other devices may continue.
                }
            }
            if let control {
                group.addTask {
                    for await line in StandardInput.lines {
                        if let outcome = await control.perform(line) { report(.command(outcome)) }
                    }
                    // Standard input has ended; the devices continue to run.
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

extension VirtualDevice {
    /// Advertises again after the advertising ended with an error that passes.
    /// - Throws: the error if it does not pass.
    fileprivate func advertise(after error: BluetoothError, _ recovery: inout Recovery) async throws {
        var failure: BluetoothError? = error
        while let error = failure {
            try await recovery.wait(after: error) { try await peripheral.waitUntilPoweredOn() }
            do throws(BluetoothError) {
                try await advertise()
                failure = nil
            } catch { failure = error }
        }
    }
}

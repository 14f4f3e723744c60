import BluetoothProfiles
import Harald
import Synchronization

extension Twins {
    /// A blood pressure monitor that requires pairing, sends its stored readings, and measures every 30 s.
    static var bloodPressureMonitor: DeviceFile {
        var file = DeviceFile(
            name: "BP Monitor", appearance: Appearance(rawValue: 0x0380), advertising: advertising(["1810"]),
            services: [
                DeviceService(
                    "1810",
                    [
                        DeviceCharacteristic(BloodPressureMeasurement.uuid, [.indicate, .indicateEncryptionRequired]),
                        DeviceCharacteristic(IntermediateCuffPressure.uuid, [.notify, .notifyEncryptionRequired]),
                        fixed(BloodPressureFeature { $0.features = .init(rawValue: 4) }),
                    ]),
                clock, battery(77), information("Harald", "BP-1", serial: "BP0001"),
            ])
        file.program = DeviceProgramKind("blood-pressure") { BloodPressureTwin(stage: $0) }
        return file
    }
}

/// Sends each reading until it is confirmed, then deletes it.
final class BloodPressureTwin: DeviceProgram {
    private let stage: DeviceStage
    private let stored: Mutex<[BloodPressureMeasurement]>
    private let count = Mutex(0)

    init(stage: DeviceStage) {
        self.stage = stage
        let now = stage.clock
        stored = Mutex(
            (0..<3).map { Self.measurement($0, at: now.adding(seconds: Int64($0 - 3) * 3600)) })
        count.withLock { $0 = 3 }
    }

    /// Returns the measurement with this number.
    static func measurement(_ number: Int, at time: DateTime) -> BloodPressureMeasurement {
        BloodPressureMeasurement {
            let systolic = Int64(118 + number * 7 % 23)
            let diastolic = Int64(76 + number * 5 % 11)
            $0.systolic = ProfileNumber(systolic)
            $0.diastolic = ProfileNumber(diastolic)
            $0.meanArterialPressure = ProfileNumber((systolic + 2 * diastolic) / 3)
            $0.timeStamp = time
            $0.pulseRate = ProfileNumber(Int64(62 + number * 3 % 17))
            $0.userID = 1
            $0.measurementStatus = number % 4 == 3 ? .irregularPulse : []
        }
    }

    func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]? {
        characteristic == CurrentTime.uuid ? stage.readClock() : nil
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool {
        guard characteristic == CurrentTime.uuid else { return false }
        try stage.writeClock(value)
        return true
    }

    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
        guard characteristic == BloodPressureMeasurement.uuid else { return }
        stage.run("measure") { [weak self, stage] in
            while true {
                try await self?.sendStored()
                try await stage.wait(.seconds(30))
                try await self?.measure()
            }
        }
    }

    private func sendStored() async throws {
        while let next = stored.withLock({ $0.first }) {
            guard await stage.hasSubscribers(BloodPressureMeasurement.uuid), await stage.send(next) else {
                throw CancellationError()
            }
            stored.withLock { $0.removeAll { $0 == next } }
        }
    }

    /// Sends the cuff pressure during inflation, and stores the measurement.
    private func measure() async throws {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        for pressure in stride(from: 20, through: 160, by: 35) {
            await stage.send(IntermediateCuffPressure { $0.currentCuffPressure = ProfileNumber(Int64(pressure)) })
            try await stage.wait(.milliseconds(500))
        }
        let measurement = Self.measurement(number, at: stage.clock)
        stored.withLock { $0.append(measurement) }
    }

    func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async {
        if characteristic == BloodPressureMeasurement.uuid { stage.cancel("measure") }
    }

    func disconnected(_ central: PeripheralID) async { stage.cancel("measure") }
}

import BluetoothProfiles
import Harald

extension Twins {
    /// A cycling sensor at constant speed.
    static var cyclingSensor: DeviceFile {
        var file = DeviceFile(
            name: "Bike Sensor", appearance: Appearance(rawValue: 0x0485), advertising: advertising(["1816"]),
            services: [
                DeviceService(
                    "1816",
                    [
                        DeviceCharacteristic(CSCMeasurement.uuid, .notify),
                        fixed(CSCFeature { $0.features = .init(rawValue: 3) }),
                        fixed(SensorLocation { $0.location = .init(rawValue: 12) }),
                    ]),
                battery(71), information("Harald", "CS-1", serial: "CS0001"),
            ])
        file.program = DeviceProgramKind("cycling-sensor") { stage in
            SportTwin(stage: stage) { await stage.send(cycling(after: $0)) }
        }
        return file
    }

    /// A foot pod of a runner who alternates between running and walking every 30 s.
    static var runningSensor: DeviceFile {
        var file = DeviceFile(
            name: "Foot Pod", appearance: Appearance(rawValue: 0x0442), advertising: advertising(["1814"]),
            services: [
                DeviceService(
                    "1814",
                    [
                        DeviceCharacteristic(RSCMeasurement.uuid, .notify),
                        fixed(RSCFeature { $0.features = .init(rawValue: 7) }),
                        fixed(SensorLocation { $0.location = .init(rawValue: 2) }),
                    ]),
                battery(69), information("Harald", "RS-1", serial: "RS0001"),
            ])
        file.program = DeviceProgramKind("running-sensor") { stage in
            SportTwin(stage: stage) { await stage.send(running(after: $0)) }
        }
        return file
    }

    /// Returns the measurement after a time: four wheel revolutions and one and a half crank revolutions per second.
    /// Counters wrap around at the size of their fields.
    static func cycling(after seconds: Int) -> CSCMeasurement {
        // In every other second, the last complete crank revolution ended half a second ago.
        let cranks = seconds * 3 / 2
        return CSCMeasurement {
            $0.wheel = RevolutionCount(UInt32(truncatingIfNeeded: 1_000_000 + seconds * 4), at: time(seconds * 1024))
            $0.crank = RevolutionCount(
                UInt32(UInt16(truncatingIfNeeded: 65_500 + cranks)), at: time(cranks * 2 * 1024 / 3))
        }
    }

    /// Returns a time in units of 1/1024 s, truncated to 16 bits.
    private static func time(_ ticks: Int) -> UInt16 { UInt16(truncatingIfNeeded: ticks) }

    /// Returns the measurement after a time: 3 m/s running or 1.5 m/s walking.
    static func running(after seconds: Int) -> RSCMeasurement {
        let (rounds, rest) = seconds.quotientAndRemainder(dividingBy: 60)
        let isRunning = rest < 30
        return RSCMeasurement {
            $0.speed = isRunning ? 3 * 256 : 3 * 128
            $0.cadence = isRunning ? 90 : 60
            $0.strideLength = isRunning ? 100 : 75
            // In tenths of a metre.
            let metres = rounds * 135 * 10 + (isRunning ? rest * 30 : 900 + (rest - 30) * 15)
            $0.totalDistance = ProfileNumber(Int64(metres), exponent: -1)
            $0.isRunning = isRunning
        }
    }
}

/// Sends a measurement every second while a central is subscribed.
final class SportTwin: DeviceProgram {
    private let stage: DeviceStage
    private let send: @Sendable (_ seconds: Int) async -> Void

    init(stage: DeviceStage, send: @escaping @Sendable (_ seconds: Int) async -> Void) {
        (self.stage, self.send) = (stage, send)
    }

    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
        stage.run("measure") { [send, stage] in
            for seconds in 0... {
                await send(seconds)
                try await stage.wait(.seconds(1))
            }
        }
    }

    func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async { stage.cancel("measure") }

    func disconnected(_ central: PeripheralID) async { stage.cancel("measure") }
}

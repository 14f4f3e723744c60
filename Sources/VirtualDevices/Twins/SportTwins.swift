import BluetoothProfiles
import Harald
import Synchronization

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
                        DeviceCharacteristic(SpeedAndCadenceControlPoint.uuid, [.write, .indicate]),
                    ]),
                battery(71), information("Harald", "CS-1", serial: "CS0001"),
            ])
        file.program = DeviceProgramKind("cycling-sensor") { stage in
            SportTwin(stage: stage, total: wheelRevolutions) { await stage.send(cycling(after: $0, shift: $1)) }
        }
        return file
    }

    /// A foot pod that alternates between running and walking every 30 s.
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
                        DeviceCharacteristic(SpeedAndCadenceControlPoint.uuid, [.write, .indicate]),
                    ]),
                battery(69), information("Harald", "RS-1", serial: "RS0001"),
            ])
        file.program = DeviceProgramKind("running-sensor") { stage in
            SportTwin(stage: stage, total: distance) { await stage.send(running(after: $0, shift: $1)) }
        }
        return file
    }

    /// Returns the wheel revolutions after a time.
    private static func wheelRevolutions(after seconds: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: 1_000_000 + seconds * 4)
    }

    /// Returns the measurement after a time: four wheel revolutions and one and a half crank revolutions per second.
    /// Counters wrap around at the size of their fields.
    /// - Parameter shift: the number that Set Cumulative Value added to the wheel revolutions.
    static func cycling(after seconds: Int, shift: UInt32 = 0) -> CSCMeasurement {
        // In every other second, the last complete crank revolution ended half a second ago.
        let cranks = seconds * 3 / 2
        return CSCMeasurement {
            $0.wheel = RevolutionCount(wheelRevolutions(after: seconds) &+ shift, at: time(seconds * 1024))
            $0.crank = RevolutionCount(
                UInt32(UInt16(truncatingIfNeeded: 65_500 + cranks)), at: time(cranks * 2 * 1024 / 3))
        }
    }

    /// Returns a time in units of 1/1024 s, truncated to 16 bits.
    private static func time(_ ticks: Int) -> UInt16 { UInt16(truncatingIfNeeded: ticks) }

    /// Returns the distance after a time, in tenths of a metre.
    private static func distance(after seconds: Int) -> UInt32 {
        let (rounds, rest) = seconds.quotientAndRemainder(dividingBy: 60)
        return UInt32(truncatingIfNeeded: rounds * 135 * 10 + (rest < 30 ? rest * 30 : 900 + (rest - 30) * 15))
    }

    /// Returns the measurement after a time: 3 m/s running or 1.5 m/s walking.
    /// - Parameter shift: the distance that Set Cumulative Value added, in tenths of a metre.
    static func running(after seconds: Int, shift: UInt32 = 0) -> RSCMeasurement {
        let isRunning = seconds % 60 < 30
        return RSCMeasurement {
            $0.speed = isRunning ? 3 * 256 : 3 * 128
            $0.cadence = isRunning ? 90 : 60
            $0.strideLength = isRunning ? 100 : 75
            $0.totalDistance = ProfileNumber(Int64(distance(after: seconds) &+ shift), exponent: -1)
            $0.isRunning = isRunning
        }
    }
}

/// Sends a measurement every second while a central is subscribed. The SC Control Point has one procedure: Set
/// Cumulative Value.
final class SportTwin: DeviceProgram {
    private typealias ControlPoint = SpeedAndCadenceControlPoint

    private let stage: DeviceStage
    /// The cumulative value after a time.
    private let total: @Sendable (_ seconds: Int) -> UInt32
    private let send: @Sendable (_ seconds: Int, _ shift: UInt32) async -> Void
    /// The time of the last measurement, and the sum of the changes of the cumulative value.
    private let state = Mutex<(seconds: Int, shift: UInt32)>((0, 0))

    init(
        stage: DeviceStage, total: @escaping @Sendable (_ seconds: Int) -> UInt32,
        send: @escaping @Sendable (_ seconds: Int, _ shift: UInt32) async -> Void
    ) {
        (self.stage, self.total, self.send) = (stage, total, send)
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool {
        guard characteristic == ControlPoint.uuid else { return false }
        guard await stage.hasSubscribers(ControlPoint.uuid) else {
            // Client Characteristic Configuration Descriptor Improperly Configured
            throw ATTErrorCode(rawValue: 0xFD)
        }
        guard let code = value.first else { throw ATTErrorCode(rawValue: 0x0D) }
        // Success, Op Code Not Supported, or Invalid Parameter.
        let result: UInt8 = code != 1 ? 2 : value.count == 5 ? 1 : 3
        if result == 1 {
            let wanted = value.dropFirst().reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            state.withLock { $0.shift = wanted &- total($0.seconds) }
        }
        let answer = ControlPoint {
            $0.opCode = .init(rawValue: 16)
            $0.parameter = [code, result]
        }
        // In a task of its own, so that the write response precedes the answer.
        stage.run("control point") { [stage] in await stage.send(answer, to: central) }
        return true
    }

    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
        guard characteristic != ControlPoint.uuid else { return }
        stage.run("measure") { [self] in
            for seconds in 0... {
                let shift = state.withLock { state in
                    state.seconds = seconds
                    return state.shift
                }
                await send(seconds, shift)
                try await stage.wait(.seconds(1))
            }
        }
    }

    func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async {
        if characteristic != ControlPoint.uuid { stage.cancel("measure") }
    }

    func disconnected(_ central: PeripheralID) async { stage.cancel("measure") }
}

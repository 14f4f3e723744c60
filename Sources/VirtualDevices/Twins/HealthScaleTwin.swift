import BluetoothProfiles
import Harald
import Synchronization

extension Twins {
    /// A scale with body composition and two users that alternate every ten seconds.
    static var healthScale: DeviceFile {
        var file = DeviceFile(
            name: "Health Scale", appearance: Appearance(rawValue: 0x0C80), advertising: advertising(["181D", "181B"]),
            services: [
                DeviceService(
                    "181D",
                    [
                        fixed(WeightScaleFeature { $0.features = .init(rawValue: 0x07 | 7 << 3 | 3 << 7) }),
                        DeviceCharacteristic(WeightMeasurement.uuid, .indicate),
                    ]),
                DeviceService(
                    "181B",
                    [
                        fixed(BodyCompositionFeature { $0.features = .init(rawValue: 0x07FF | 7 << 11 | 3 << 15) }),
                        DeviceCharacteristic(BodyCompositionMeasurement.uuid, .indicate),
                    ]),
                DeviceService(
                    "181C",
                    [
                        DeviceCharacteristic(UserControlPoint.uuid, [.write, .indicate]),
                        DeviceCharacteristic(UserIndex.uuid, .read),
                        fixed(DatabaseChangeIncrement(1), [.read, .write]),
                    ]),
                clock, battery(58), information("Harald", "HS-1", serial: "HS0001"),
            ])
        file.program = DeviceProgramKind("health-scale") { HealthScaleTwin(stage: $0) }
        return file
    }
}

/// Weighs the users alternately. A body composition measurement is split into two values.
final class HealthScaleTwin: DeviceProgram {
    /// The consent codes of the users.
    static let codes: [UInt8: UInt16] = [1: 1234, 2: 4321]

    private let stage: DeviceStage
    private let user = Mutex(UInt8(0xFF))
    private let count = Mutex(0)

    init(stage: DeviceStage) { self.stage = stage }

    /// Returns the weight measurement with this number.
    static func weight(_ number: Int, at time: DateTime) -> WeightMeasurement {
        WeightMeasurement {
            $0.weight = ProfileNumber(Int64(number % 2 == 0 ? 73_500 : 61_200) + Int64(number % 7) * 50, exponent: -3)
            $0.timeStamp = time
            $0.userID = UInt8(number % 2 + 1)
            $0.bodyMassIndex = .init {
                $0.index = ProfileNumber(number % 2 == 0 ? 227 : 216, exponent: -1)
                $0.height = ProfileNumber(number % 2 == 0 ? 1800 : 1680, exponent: -3)
            }
        }
    }

    /// Returns the two values of the body composition measurement with this number.
    static func composition(_ number: Int, at time: DateTime) -> [BodyCompositionMeasurement] {
        let user = UInt8(number % 2 + 1)
        let first = BodyCompositionMeasurement {
            $0.bodyFatPercentage = ProfileNumber(Int64(186 + number % 5), exponent: -1)
            $0.timeStamp = time
            $0.userID = user
            $0.basalMetabolism = 6800
            $0.musclePercentage = ProfileNumber(412, exponent: -1)
            $0.isMultiplePacket = true
        }
        let second = BodyCompositionMeasurement {
            $0.bodyFatPercentage = first.bodyFatPercentage
            $0.userID = user
            $0.bodyWaterMass = ProfileNumber(40_500, exponent: -3)
            $0.impedance = ProfileNumber(5021, exponent: -1)
            $0.weight = weight(number, at: time).weight
            $0.isMultiplePacket = true
        }
        return [first, second]
    }

    func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]? {
        switch characteristic {
        case CurrentTime.uuid: stage.readClock()
        case UserIndex.uuid: [user.withLock { $0 }]
        default: nil
        }
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool {
        switch characteristic {
        case CurrentTime.uuid:
            try stage.writeClock(value)
            return true
        case UserControlPoint.uuid:
            guard let request = try? UserControlPoint(bytes: value) else { throw ATTErrorCode(rawValue: 0x0D) }
            let result: UInt8
            if request.opCode == .consent, request.parameter.count == 3 {
                let code = UInt16(request.parameter[1]) | UInt16(request.parameter[2]) << 8
                let isRight = Self.codes[request.parameter[0]] == code
                if isRight { user.withLock { $0 = request.parameter[0] } }
                // 1 success, 5 user not authorized
                result = isRight ? 1 : 5
            } else {
                result = 2
            }
            stage.run("answer") { [stage] in
                await stage.send(
                    UserControlPoint {
                        $0.opCode = .response
                        $0.parameter = [request.opCode.rawValue, result]
                    }, to: central)
            }
            return true
        default: return false
        }
    }

    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
        guard [WeightMeasurement.uuid, BodyCompositionMeasurement.uuid].contains(characteristic),
            !stage.isRunning("weigh")
        else { return }
        stage.run("weigh") { [weak self, stage] in
            while let self {
                try await stage.wait(.seconds(2))
                let number = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                let time = stage.clock
                await stage.send(Self.weight(number, at: time))
                for part in Self.composition(number, at: time) { await stage.send(part) }
                try await stage.wait(.seconds(8))
            }
        }
    }

    func disconnected(_ central: PeripheralID) async { stage.cancel("weigh") }
}

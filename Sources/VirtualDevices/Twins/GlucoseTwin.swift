import BluetoothProfiles
import Harald
import Synchronization

extension Twins {
    /// A glucose meter with twelve stored measurements.
    static var glucoseMeter: DeviceFile { glucoseMeter(pace: RecordKeeper.usualPace) }

    /// A glucose meter with twelve stored measurements.
    /// - Parameter pace: the interval between the records of a report.
    static func glucoseMeter(pace: Duration) -> DeviceFile {
        var file = DeviceFile(
            name: "Glucose Meter", appearance: Appearance(rawValue: 0x0400), advertising: advertising(["1808"]),
            services: [
                DeviceService(
                    "1808",
                    [
                        DeviceCharacteristic(GlucoseMeasurement.uuid, .notify),
                        DeviceCharacteristic(GlucoseMeasurementContext.uuid, .notify),
                        fixed(GlucoseFeature { $0.features = .init(rawValue: 0x03FF) }),
                        DeviceCharacteristic(RecordAccessControlPoint.uuid, [.write, .indicate]),
                    ]),
                clock, battery(91), information("Harald", "GM-1", serial: "GM0001"),
            ])
        file.program = DeviceProgramKind("glucose-meter") { GlucoseTwin(stage: $0, pace: pace) }
        return file
    }
}

/// Stores measurements and implements the Record Access Control Point.
final class GlucoseTwin: DeviceProgram {
    private let stage: DeviceStage
    private let pace: Duration
    private let records: Mutex<[GlucoseMeasurement]>

    init(stage: DeviceStage, pace: Duration) {
        self.stage = stage
        self.pace = pace
        let now = stage.clock
        records = Mutex(
            (1...12).map { Self.measurement(UInt16($0), at: now.adding(seconds: Int64($0 - 13) * 4 * 3600)) })
    }

    /// Returns the measurement with this number. Every third one is in mol/L, and every second one has a context.
    static func measurement(_ number: UInt16, at time: DateTime) -> GlucoseMeasurement {
        GlucoseMeasurement {
            $0.sequenceNumber = number
            $0.baseTime = time
            $0.timeOffset = 0
            $0.isMolar = number % 3 == 0
            $0.concentration =
                $0.isMolar
                ? ProfileNumber(Int64(40 + number * 7 % 50), exponent: -4)
                : ProfileNumber(Int64(80 + number * 13 % 90), exponent: -5)
            $0.type = .capillaryWholeBlood
            $0.sampleLocation = .finger
            $0.sensorStatusAnnunciation = []
            $0.contextFollows = number % 2 == 0
        }
    }

    /// Returns the context of a measurement.
    static func context(_ number: UInt16) -> GlucoseMeasurementContext {
        GlucoseMeasurementContext {
            $0.sequenceNumber = number
            $0.meal = .init(rawValue: UInt8(number % 5 + 1))
            $0.carbohydrates = .init {
                $0.kind = .init(rawValue: 2)
                $0.mass = ProfileNumber(Int64(number), exponent: -2)
            }
        }
    }

    private var keeper: RecordKeeper {
        RecordKeeper(
            stage: stage, measurement: GlucoseMeasurement.uuid,
            numbers: { [weak self] in self?.records.withLock { $0.map(\.sequenceNumber) } ?? [] },
            send: { [weak self] number, central in
                guard let self, let record = records.withLock({ $0.first { $0.sequenceNumber == number } }) else {
                    return
                }
                await stage.send(record, to: central)
                if record.contextFollows { await stage.send(Self.context(number), to: central) }
            },
            delete: { [weak self] numbers in
                self?.records.withLock { $0.removeAll { numbers.contains($0.sequenceNumber) } }
            },
            pace: pace)
    }

    func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]? {
        characteristic == CurrentTime.uuid ? stage.readClock() : nil
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool {
        switch characteristic {
        case CurrentTime.uuid: try stage.writeClock(value)
        case RecordAccessControlPoint.uuid: try await keeper.take(value, by: central)
        default: return false
        }
        return true
    }

    func disconnected(_ central: PeripheralID) async { keeper.disconnected() }
}

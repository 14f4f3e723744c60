import BluetoothProfiles
import Harald
import Synchronization

extension Twins {
    /// A glucose meter with twelve stored measurements.
    static var glucoseMeter: DeviceFile { glucoseMeter(pace: RecordKeeper.usualPace) }

    /// A glucose meter with twelve stored measurements.
    /// - Parameter pace: the interval between the records of a report.
    static func glucoseMeter(pace: Duration) -> DeviceFile { glucoseMeter(pace: pace, memory: nil) }

    /// A glucose meter with the measurements of a memory.
    /// - Parameters:
    ///   - pace: the interval between the records of a report.
    ///   - memory: the memory; nil for one with twelve measurements.
    package static func glucoseMeter(pace: Duration, memory: GlucoseMemory?) -> DeviceFile {
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
        file.program = DeviceProgramKind("glucose-meter") { GlucoseTwin(stage: $0, pace: pace, memory: memory) }
        return file
    }
}

/// The records of a glucose meter.
package final class GlucoseMemory: Sendable {
    private let records: Mutex<[GlucoseMeasurement]>

    /// Creates a memory with the measurements with these numbers, the first at `start`, then one every four hours.
    package init(_ numbers: ClosedRange<UInt16>, from start: DateTime) {
        records = Mutex(Self.measurements(numbers, from: start))
    }

    /// Replaces all records, as after a reset of the meter.
    package func replace(with numbers: ClosedRange<UInt16>, from start: DateTime) {
        let new = Self.measurements(numbers, from: start)
        records.withLock { $0 = new }
    }

    private static func measurements(_ numbers: ClosedRange<UInt16>, from start: DateTime) -> [GlucoseMeasurement] {
        numbers.map { number in
            let hours = 4 * (Int64(number) - Int64(numbers.lowerBound))
            return GlucoseTwin.measurement(number, at: start.adding(seconds: hours * 3600))
        }
    }

    /// The numbers of the records.
    var numbers: [UInt16] { records.withLock { $0.map(\.sequenceNumber) } }

    /// Returns the record with this number; nil if there is none.
    func record(_ number: UInt16) -> GlucoseMeasurement? {
        records.withLock { $0.first { $0.sequenceNumber == number } }
    }

    /// Deletes records.
    func delete(_ numbers: [UInt16]) {
        records.withLock { $0.removeAll { numbers.contains($0.sequenceNumber) } }
    }
}

/// Stores measurements and implements the Record Access Control Point.
final class GlucoseTwin: DeviceProgram {
    private let stage: DeviceStage
    private let pace: Duration
    private let memory: GlucoseMemory

    init(stage: DeviceStage, pace: Duration, memory: GlucoseMemory?) {
        self.stage = stage
        self.pace = pace
        self.memory = memory ?? GlucoseMemory(1...12, from: stage.clock.adding(seconds: -12 * 4 * 3600))
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
            numbers: { [memory] in memory.numbers },
            send: { [memory, stage] number, central in
                guard let record = memory.record(number) else { return }
                await stage.send(record, to: central)
                if record.contextFollows { await stage.send(Self.context(number), to: central) }
            },
            delete: { [memory] numbers in memory.delete(numbers) },
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

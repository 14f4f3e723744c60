import BluetoothProfiles
import Foundation
import Harald
import Synchronization

extension Twins {
    /// A pulse oximeter with five stored measurements. It measures continuously, and takes a spot check every 15 s.
    static var pulseOximeter: DeviceFile {
        var file = DeviceFile(
            name: "Oximeter", appearance: Appearance(rawValue: 0x0C41), advertising: advertising(["1822"]),
            services: [
                DeviceService(
                    "1822",
                    [
                        DeviceCharacteristic(PLXContinuousMeasurement.uuid, .notify),
                        DeviceCharacteristic(PLXSpotCheckMeasurement.uuid, .indicate),
                        fixed(
                            PLXFeatures {
                                // measurement status, storage, time stamp
                                $0.features = .init(rawValue: 1 | 4 | 8)
                                $0.measurementStatusSupport = [.fullyQualified, .fromStorage]
                            }),
                        DeviceCharacteristic(RecordAccessControlPoint.uuid, [.write, .indicate]),
                    ]),
                clock, battery(66), information("Harald", "PO-1", serial: "PO0001"),
            ])
        file.program = DeviceProgramKind("pulse-oximeter") { PulseOximeterTwin(stage: $0) }
        return file
    }
}

/// Sends oxygen saturation and pulse rate every second, and a spot check every 15 s.
final class PulseOximeterTwin: DeviceProgram {
    private let stage: DeviceStage
    private let records: Mutex<[PLXSpotCheckMeasurement]>
    private let count = Mutex(5)

    init(stage: DeviceStage) {
        self.stage = stage
        let now = stage.clock
        records = Mutex(
            (0..<5).map { Self.spotCheck($0, at: now.adding(seconds: Int64($0 - 5) * 1800), isStored: true) })
    }

    /// Returns the measurement at a second.
    static func oximetry(at second: Int) -> Oximetry {
        Oximetry(
            spO2: ProfileNumber(Int64((97 + 2 * sin(Double(second) / 20)).rounded())),
            pulseRate: ProfileNumber(Int64((66 + 8 * sin(Double(second) / 5)).rounded())))
    }

    /// Returns the spot check with this number.
    static func spotCheck(_ number: Int, at time: DateTime, isStored: Bool) -> PLXSpotCheckMeasurement {
        PLXSpotCheckMeasurement {
            $0.oximetry = oximetry(at: number * 15)
            $0.timeStamp = time
            $0.measurementStatus = isStored ? [.fullyQualified, .fromStorage] : .fullyQualified
        }
    }

    private var keeper: RecordKeeper {
        RecordKeeper(
            stage: stage, measurement: PLXSpotCheckMeasurement.uuid,
            // These records have no sequence numbers; their indices are used.
            numbers: { [weak self] in self?.records.withLock { Array($0.indices.map { UInt16($0) }) } ?? [] },
            send: { [weak self] number, central in
                guard let self else { return }
                let record = records.withLock { $0.indices.contains(Int(number)) ? $0[Int(number)] : nil }
                if let record { await stage.send(record, to: central) }
            },
            delete: { [weak self] numbers in
                self?.records.withLock { records in
                    records = records.enumerated().filter { !numbers.contains(UInt16($0.offset)) }.map(\.element)
                }
            })
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

    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
        switch characteristic {
        case PLXContinuousMeasurement.uuid:
            stage.run("continuous") { [stage] in
                for second in 0... {
                    await stage.send(PLXContinuousMeasurement { $0.oximetry = Self.oximetry(at: second) })
                    try await stage.wait(.seconds(1))
                }
            }
        case PLXSpotCheckMeasurement.uuid:
            stage.run("spot check") { [weak self, stage] in
                while let self {
                    try await stage.wait(.seconds(15))
                    let number = count.withLock { count in
                        defer { count += 1 }
                        return count
                    }
                    await stage.send(Self.spotCheck(number, at: stage.clock, isStored: false))
                }
            }
        default: break
        }
    }

    func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async {
        switch characteristic {
        case PLXContinuousMeasurement.uuid: stage.cancel("continuous")
        case PLXSpotCheckMeasurement.uuid: stage.cancel("spot check")
        default: break
        }
    }

    func disconnected(_ central: PeripheralID) async {
        keeper.disconnected()
        stage.cancel("continuous")
        stage.cancel("spot check")
    }
}

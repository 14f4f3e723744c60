import BluetoothProfiles
import Foundation
import Harald
import Synchronization

extension Twins {
    /// A continuous glucose monitor whose session started an hour ago. It measures every minute.
    static var continuousGlucoseMonitor: DeviceFile {
        var file = DeviceFile(
            name: "CGM Sensor", appearance: Appearance(rawValue: 0x0D01), advertising: advertising(["181F"]),
            services: [
                DeviceService(
                    "181F",
                    [
                        DeviceCharacteristic(CGMMeasurement.uuid, .notify),
                        fixed(CGMFeature { $0.features = [.e2eCRC, .trend] }),
                        DeviceCharacteristic(CGMStatus.uuid, .read),
                        DeviceCharacteristic(CGMSessionStartTime.uuid, .read),
                        fixed(
                            CGMSessionRunTime {
                                $0.runTime = 240
                                $0.isProtected = true
                            }),
                        DeviceCharacteristic(RecordAccessControlPoint.uuid, [.write, .indicate]),
                        DeviceCharacteristic(CGMSpecificOpsControlPoint.uuid, [.write, .indicate]),
                    ]),
                clock, battery(64), information("Harald", "CGM-1", serial: "CG0001"),
            ])
        file.program = DeviceProgramKind("cgm") { ContinuousGlucoseTwin(stage: $0) }
        return file
    }
}

/// Measures while its session is active. All values end with a checksum.
final class ContinuousGlucoseTwin: DeviceProgram {
    private struct Session: Sendable {
        /// The minutes from the start of the session to the start of the device.
        var age: UInt16 = 60
        var interval: UInt8 = 1
        var isStopped = false
        /// The start on the device's clock; nil until it is read.
        var start: DateTime?
    }

    private let stage: DeviceStage
    private let session = Mutex(Session())

    init(stage: DeviceStage) { self.stage = stage }

    private var minutes: UInt16 { session.withLock { $0.age } + UInt16(clamping: Int(stage.elapsed / .seconds(60))) }

    /// The start of the session on the device's clock. It follows a clock that is set to another time, but not the
    /// correction of a clock by seconds: the times of the records would differ in each visit of a program that sets it.
    private var start: DateTime {
        let elapsed = Int64(stage.elapsed / .seconds(1))
        let now = stage.clock
        return session.withLock { session in
            let start = now.adding(seconds: -60 * Int64(session.age) - elapsed)
            if let known = session.start, let before = known.secondsSince2000, let after = start.secondsSince2000,
                abs(after - before) < 60
            {
                return known
            }
            session.start = start
            return start
        }
    }

    /// Returns the concentration at a minute of the session, in milligrams per decilitre.
    static func concentration(at minute: UInt16) -> Int64 { Int64((125 + 45 * sin(Double(minute) / 30)).rounded()) }

    /// Returns the record of a minute of the session.
    static func record(at minute: UInt16) -> CGMMeasurement.Record {
        CGMMeasurement.Record {
            $0.glucoseConcentration = ProfileNumber(concentration(at: minute))
            $0.timeOffset = minute
            let change = concentration(at: minute) - concentration(at: minute == 0 ? 0 : minute - 1)
            $0.trend = ProfileNumber(change * 10, exponent: -1)
            $0.sensorStatusAnnunciation = concentration(at: minute) > 165 ? .abovePatientHighLevel : []
            $0.isProtected = true
        }
    }

    private var keeper: RecordKeeper {
        RecordKeeper(
            stage: stage, measurement: CGMMeasurement.uuid,
            // Every fifth minute is stored.
            numbers: { [weak self] in self.map { Array(stride(from: UInt16(0), through: $0.minutes, by: 5)) } ?? [] },
            send: { [stage] number, central in
                await stage.send(CGMMeasurement { $0.records = [Self.record(at: number)] }, to: central)
            })
    }

    func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]? {
        switch characteristic {
        case CurrentTime.uuid: return stage.readClock()
        case CGMStatus.uuid:
            let (minutes, isStopped) = (minutes, session.withLock { $0.isStopped })
            return Twins.bytes(
                CGMStatus {
                    $0.timeOffset = minutes
                    $0.status = isStopped ? .sessionStopped : []
                    $0.isProtected = true
                })
        case CGMSessionStartTime.uuid:
            let start = start
            return Twins.bytes(
                CGMSessionStartTime {
                    $0.time = start
                    ($0.timeZone, $0.dstOffset, $0.isProtected) = (0, .standard, true)
                })
        default: return nil
        }
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool {
        switch characteristic {
        case CurrentTime.uuid: try stage.writeClock(value)
        case RecordAccessControlPoint.uuid: try await keeper.take(value, by: central)
        case CGMSpecificOpsControlPoint.uuid: try operate(value, central)
        default: return false
        }
        return true
    }

    private func operate(_ bytes: [UInt8], _ central: PeripheralID) throws {
        // Commands end with a checksum, too.
        guard bytes.count >= 3, let low = bytes.suffix(2).first, let high = bytes.last,
            CRC16.ccitt(bytes.dropLast(2)) == UInt16(low) | UInt16(high) << 8
        else {
            // Missing CRC, or Invalid CRC
            throw ATTErrorCode(rawValue: bytes.count < 3 ? 0x80 : 0x81)
        }
        let operand = Array(bytes[1...].dropLast(2))
        let opCode = CGMSpecificOpsControlPoint.OpCode(rawValue: bytes[0])
        var answer: [UInt8] = [CGMSpecificOpsControlPoint.OpCode.response.rawValue, opCode.rawValue, 1]
        session.withLock { session in
            switch opCode {
            case .setInterval where operand.count == 1: session.interval = max(1, operand[0])
            case .getInterval:
                answer = [CGMSpecificOpsControlPoint.OpCode.intervalResponse.rawValue, session.interval]
            case .startSession: session.isStopped = false
            case .stopSession: session.isStopped = true
            default: answer[2] = 2
            }
        }
        let crc = CRC16.ccitt(answer)
        answer += [UInt8(truncatingIfNeeded: crc), UInt8(crc >> 8)]
        stage.run("answer") { [stage, answer] in
            await stage.send(answer, from: CGMSpecificOpsControlPoint.uuid, to: central)
        }
    }

    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
        guard characteristic == CGMMeasurement.uuid else { return }
        stage.run("measure") { [weak self, stage] in
            while let self {
                let (interval, isStopped) = session.withLock { ($0.interval, $0.isStopped) }
                try await stage.wait(.seconds(60 * Int(interval)))
                let minute = minutes
                if !isStopped { await stage.send(CGMMeasurement { $0.records = [Self.record(at: minute)] }) }
            }
        }
    }

    func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async {
        if characteristic == CGMMeasurement.uuid { stage.cancel("measure") }
    }

    func disconnected(_ central: PeripheralID) async {
        keeper.disconnected()
        stage.cancel("measure")
    }
}

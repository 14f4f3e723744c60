import HaraldDevices
import Testing

@testable import VirtualDevices

/// Each driver with its twin.
@Suite(.timeLimit(.minutes(2))) struct HealthDeviceTests {
    @Test func bloodPressureMonitorPairsAndSendsItsStoredReadings() async throws {
        try await DeviceRig.withSteppedClock("blood-pressure") { rig in
            let start = rig.twin.file
            #expect(start.name == "BP Monitor")
            let monitor = try await Driver<BloodPressureMonitor>(rig.peripheral)
            #expect(!rig.peripheral.security.isBonded)
            let values = try await monitor.bloodPressure.measurement.values().first(4)
            #expect(rig.peripheral.security.isBonded, "it pairs before it says anything")
            for (number, value) in values.enumerated() {
                let time = try #require(value.timeStamp)
                #expect(value == BloodPressureTwin.measurement(number, at: time))
            }
            // The last one was measured while we listened, so it is later than those that were stored.
            let (fresh, stored) = (try #require(values[3].timeStamp), try #require(values[2].timeStamp))
            #expect(fresh > stored)
            // A confirmed value is not sent again.
            let next = try await monitor.bloodPressure.measurement.values().first(1)
            #expect(!values.contains(next[0]))
            #expect(try await monitor.battery.level.read() == BatteryLevel(77))
        }
    }

    /// A monitor that is paired before anything else.
    private struct PairedMonitor: DeviceDeclaration {
        static let security = LinkSecurity.Level.encrypted
        let bloodPressure = BloodPressureService()
    }

    /// A key that is generated without a passkey cannot be authenticated.
    private struct VouchedForMonitor: DeviceDeclaration {
        static let security = LinkSecurity.Level.authenticated
        let bloodPressure = BloodPressureService()
    }

    @Test func aDriverPairsIfItsDeclarationRequiresIt() async throws {
        try await DeviceRig.withSteppedClock("blood-pressure") { rig in
            _ = try await Driver<PairedMonitor>(rig.peripheral)
            #expect(rig.peripheral.security.level == .encrypted)
            let error = await #expect(throws: BluetoothError.self) {
                _ = try await Driver<VouchedForMonitor>(rig.peripheral)
            }
            #expect(error?.code == .security)
            #expect(error?.description.contains("passkey") == true)
        }
    }

    @Test func clockIsSet() async throws {
        try await DeviceRig.withSteppedClock("blood-pressure") { rig in
            let monitor = try await Driver<BloodPressureMonitor>(rig.peripheral)
            #expect(try await rig.peripheral.setClock(DateTime(2030, 5, 6, 7, 8, 9)))
            let now = try await monitor.currentTime.currentTime.read().time
            let seconds = (now.secondsSince2000 ?? 0) - (DateTime(2030, 5, 6, 7, 8, 9).secondsSince2000 ?? 0)
            #expect((0...600).contains(seconds))
        }
    }

    @Test func aValueOfAnotherTypeIsAnErrorThatNamesTheField() async throws {
        try await DeviceRig.withSteppedClock("health-scale") { rig in
            try await rig.peripheral.connect()
            let maker = try await rig.peripheral.characteristic("180A", "2A29")
            let wrong = await #expect(throws: BluetoothError.self) { _ = try await maker.read(as: BatteryLevel.self) }
            #expect(wrong?.code == .invalidResponse)
            #expect(wrong?.description.contains("batteryLevel: 5 bytes follow") == true)
            let counter = try await rig.peripheral.characteristic("181C", "2A99")
            try await counter.write(DatabaseChangeIncrement(7))
            #expect(try await counter.read(as: DatabaseChangeIncrement.self).value == 7)
            // A value that cannot be encoded is refused before it is sent.
            let none = await #expect(throws: BluetoothError.self) {
                try await counter.write(Temperature(ProfileNumber(1, exponent: -3)))
            }
            #expect(none?.code == .invalidArgument)
        }
    }

    @Test func glucoseMeterSendsItsRecords() async throws {
        try await DeviceRig.withSteppedClock("glucose-meter") { rig in
            let meter = try await Driver<GlucoseMeter>(rig.peripheral)
            #expect(try await meter.records.count() == 12)
            #expect(try await meter.records.count(.range(3...5)) == 3)
            let all = try await meter.measurements()
            #expect(all.map(\.measurement.sequenceNumber) == Array(1...12))
            for (measurement, context) in all {
                #expect(measurement == GlucoseTwin.measurement(measurement.sequenceNumber, at: measurement.baseTime))
                #expect(context == (measurement.contextFollows ? GlucoseTwin.context(measurement.sequenceNumber) : nil))
            }
            #expect(try await meter.records.report(.first).map(\.sequenceNumber) == [1])
            #expect(try await meter.records.report(.last).map(\.sequenceNumber) == [12])
            #expect(try await meter.records.report(.atLeast(11)).map(\.sequenceNumber) == [11, 12])
            #expect(try await meter.records.report(.range(20...30)).isEmpty)
            #expect(try await meter.records.delete(.atMost(4)))
            #expect(try await meter.records.count() == 8)
            #expect(try await !meter.records.delete(.atMost(4)))
        }
    }

    @Test func aReportIsAborted() async throws {
        // The second record is hours away, however busy the machine is.
        try await DeviceRig.withSteppedClock(Twins.glucoseMeter(pace: .seconds(10_000))) { rig in
            let meter = try await Driver<GlucoseMeter>(rig.peripheral)
            let first = try meter.glucose.measurement.values()
            let report = Task(executorPreference: rig.central.executor) { try await meter.records.report() }
            _ = try await first.first(1)
            try await meter.records.abort()
            #expect(try await report.value.map(\.sequenceNumber) == [1])
            #expect(try await meter.records.count() == 12, "the meter takes requests again")
        }
    }

    @Test func controlPointRefusesUnsupportedRequests() async throws {
        try await DeviceRig.withSteppedClock("glucose-meter") { rig in
            let meter = try await Driver<GlucoseMeter>(rig.peripheral)
            let control = meter.glucose.records
            // There is no subscription to receive the answer.
            let error = await #expect(throws: BluetoothError.self) {
                try await control.write(RecordAccessControlPoint(.report, .all))
            }
            #expect(error?.code == .att(ATTErrorCode(rawValue: 0xFD)))
            var answers = try control.values().makeAsyncIterator()
            typealias Request = RecordAccessControlPoint
            for (bytes, code) in [
                ([9, 1], .opCodeNotSupported), ([1, 0], .invalidOperator), ([1, 9], .operatorNotSupported),
                ([1, 4, 1, 5, 0, 2, 0], .invalidOperand),
            ] as [([UInt8], Request.ResponseCode)] {
                try await control.characteristic().write(bytes)
                #expect(try await answers.next()?.response?.code == code, "\(bytes)")
            }
        }
    }

    @Test func continuousGlucoseMonitorUsesTheE2ECRC() async throws {
        try await DeviceRig.withSteppedClock("cgm") { rig in
            let monitor = try await Driver<ContinuousGlucoseMonitor>(rig.peripheral)
            #expect(try await monitor.glucose.feature.read().features.contains(.e2eCRC))
            #expect(try await monitor.glucose.status.read().timeOffset >= 60)
            #expect(try await monitor.glucose.runTime.read().runTime == 240)
            _ = try await monitor.glucose.startTime.read()
            let records = try await monitor.records.report(.atMost(60)).flatMap(\.records)
            #expect(records.map(\.timeOffset) == Array(stride(from: 0, through: 60, by: 5)))
            for record in records { #expect(record == ContinuousGlucoseTwin.record(at: record.timeOffset)) }
            let live = try await monitor.glucose.measurement.values().first(2).flatMap(\.records)
            #expect(live[0].timeOffset < live[1].timeOffset && live.allSatisfy(\.isProtected))
            var bytes: [UInt8] = [CGMSpecificOpsControlPoint.OpCode.getInterval.rawValue]
            let crc = CRC16.ccitt(bytes)
            bytes += [UInt8(truncatingIfNeeded: crc), UInt8(crc >> 8)]
            let answer = try await monitor.perform(try CGMSpecificOpsControlPoint(bytes: bytes))
            #expect(answer.opCode == .intervalResponse && answer.operand.first == 1)
        }
    }

    @Test func theSessionStartFollowsTheClockOnlyIfItIsSetToAnotherTime() async throws {
        try await DeviceRig.withSteppedClock("cgm") { rig in
            let monitor = try await Driver<ContinuousGlucoseMonitor>(rig.peripheral)
            let start = try await monitor.glucose.startTime.read().time
            // A minute passes before each value.
            _ = try await monitor.glucose.measurement.values().first(2)
            #expect(try await monitor.glucose.startTime.read().time == start)
            let clock = try await monitor.currentTime.currentTime.read().time
            try await rig.peripheral.setClock(clock.adding(seconds: 3))
            #expect(try await monitor.glucose.startTime.read().time == start)
            try await rig.peripheral.setClock(clock.adding(seconds: 86400))
            let moved = try #require(try await monitor.glucose.startTime.read().time.secondsSince2000)
            let before = try #require(start.secondsSince2000)
            #expect(abs(moved - before - 86400) < 60)
        }
    }

    @Test func scaleHasUsersAndSendsTwoPackets() async throws {
        try await DeviceRig.withSteppedClock("health-scale") { rig in
            let scale = try await Driver<HealthScale>(rig.peripheral)
            try await scale.consent(user: 2, code: 4321)
            #expect(try await scale.userData.userIndex.read().value == 2)
            await #expect(throws: BluetoothError.self) { try await scale.consent(user: 1, code: 1) }
            let bodies = try scale.bodyComposition.measurement.values()
            let weights = try await scale.weightScale.measurement.values().first(2)
            for (number, weight) in weights.enumerated() {
                let time = try #require(weight.timeStamp)
                #expect(weight == HealthScaleTwin.weight(number, at: time))
            }
            let parts = try await bodies.first(2)
            let time = try #require(parts[0].timeStamp)
            #expect(parts == HealthScaleTwin.composition(0, at: time))
            let whole = parts[0].merged(with: parts[1])
            #expect(whole.basalMetabolism == 6800 && whole.impedance == ProfileNumber(5021, exponent: -1))
        }
    }

    @Test func twinsAreFoundByTheirServices() async throws {
        try await DeviceRig.withSteppedClock("glucose-meter") { rig in
            let found = try await rig.central.find(GlucoseMeter.self)
            #expect(found == rig.peripheral)
            let none = await #expect(throws: BluetoothError.self) {
                try await rig.central.find(SensorTagCC2650.self, within: .seconds(2))
            }
            #expect(none?.code == .notFound)
            // The error for a device of another kind names the missing service.
            let wrong = await #expect(throws: BluetoothError.self) {
                _ = try await Driver<HeartRateStrap>(rig.peripheral)
            }
            #expect(wrong?.description.contains("heartRate (180D)") == true)
        }
    }
}

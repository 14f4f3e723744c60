import CoreBluetooth
import CoreBluetoothDevices
import Synchronization
import Testing
import VirtualTransport

@testable import VirtualDevices

/// Drivers' declarations with their twins, through CoreBluetooth.
@Suite(.timeLimit(.minutes(2))) struct TwinTests {
    /// A twin on an air of its own while `body` runs.
    private func withTwin<Result: Sendable>(
        _ name: String, _ body: (AdapterSource) async throws -> Result
    ) async throws -> Result {
        let radio = VirtualRadio()
        let twin = try await VirtualDevice(
            try #require(Twins.all[name]), on: radio.adapter(named: "twin"))
        let result = try await body(radio.source(named: "phone"))
        await twin.close()
        return result
    }

    private typealias Readings = [SensorTag.Sensor: SensorTag.Reading]

    @Test func firstSensorTagMeasures() async throws {
        let readings = try await withTwin("sensortag-cc2541") { phone in
            let tag = Mutex((decoder: SensorTagDecoder(.cc2541), readings: Readings()))
            let sensors: [SensorTag.Sensor] = [.temperature, .humidity, .barometer, .gyroscope]
            return try await DeviceVisit<SensorTagCC2541, Readings>.run(from: phone) { device in
                // The barometer's calibration is requested before it measures.
                try device.barometer.configuration.write(2)
                try device.barometer.calibration.read()
                try device.temperature.period.write(SensorPeriod(.milliseconds(300)))
                for attribute in [device.temperature.data, device.humidity.data, device.barometer.data] {
                    try attribute.setNotify(true)
                }
                try device.gyroscope.data.setNotify(true)
                try device.temperature.turnOn()
                try device.humidity.turnOn()
                try device.gyroscope.turnOn()
            } value: { device, characteristic in
                if let calibration = try device.barometer.calibration.value(of: characteristic) {
                    tag.withLock { $0.decoder.barometer = calibration }
                    try device.barometer.turnOn()
                    return nil
                }
                return try tag.withLock { (tag) throws -> Readings? in
                    guard let sensor = tag.decoder.sensor(sending: characteristic.uuid.declared),
                        let bytes = characteristic.value, tag.decoder.barometer != nil
                    else { return nil }
                    tag.readings[sensor] = try tag.decoder.reading(of: sensor, bytes)
                    return tag.readings.count == sensors.count ? tag.readings : nil
                }
            }
        }
        let (ambient, turning) = (readings[.temperature]?.value("ambient"), readings[.gyroscope]?.value("x"))
        #expect((19.9...24.1).contains(try #require(ambient)))
        #expect((39.9...50.1).contains(try #require(readings[.humidity]?.value("humidity"))))
        #expect((1011.5...1015).contains(try #require(readings[.barometer]?.value("pressure"))))
        #expect(abs(try #require(turning) - 18) < 0.01)
    }

    @Test func secondSensorTagMeasures() async throws {
        let (light, movement) = try await withTwin("sensortag-cc2650") { phone in
            let last = Mutex((light: Double?.none, movement: SensorTag.Reading?.none))
            return try await DeviceVisit<SensorTagCC2650, (Double, SensorTag.Reading)>.run(from: phone) { device in
                try device.light.data.setNotify(true)
                try device.light.turnOn()
                try device.movement.data.setNotify(true)
                try device.movement.turnOn()
            } value: { device, characteristic in
                try last.withLock { (last) throws -> (Double, SensorTag.Reading)? in
                    if let raw = try device.light.data.value(of: characteristic) {
                        last.light = SensorTagFormulas.opt3001(raw.value)
                    } else if device.movement.data.isSame(as: characteristic), let bytes = characteristic.value {
                        var decoder = SensorTagDecoder(.cc2650)
                        last.movement = try decoder.reading(of: .movement, bytes)
                    }
                    guard let light = last.light, let movement = last.movement else { return nil }
                    return (light, movement)
                }
            }
        }
        #expect((199...501).contains(light))
        #expect(abs(try #require(movement.value("rotationX")) - 18) < 0.01)
    }

    @Test func glucoseMeterSendsItsRecords() async throws {
        struct Record: Sendable {
            var measurement: GlucoseMeasurement
            var context: GlucoseMeasurementContext?
        }
        let records = try await withTwin("glucose-meter") { phone in
            let records = Mutex<[Record]>([])
            return try await DeviceVisit<GlucoseMeter, [Record]>.run(from: phone) { meter in
                try meter.glucose.measurement.setNotify(true)
                try meter.glucose.context.setNotify(true)
                try meter.glucose.records.setNotify(true)
                try meter.glucose.records.write(RecordAccessControlPoint(.report, .range(3...8)))
            } value: { meter, characteristic in
                if let measurement = try meter.glucose.measurement.value(of: characteristic) {
                    records.withLock { $0.append(Record(measurement: measurement)) }
                } else if let context = try meter.glucose.context.value(of: characteristic) {
                    records.withLock { $0[$0.count - 1].context = context }
                } else if let answer = try meter.glucose.records.value(of: characteristic) {
                    #expect(answer.response?.code == .success)
                    return records.withLock { $0 }
                }
                return nil
            }
        }
        #expect(records.map(\.measurement.sequenceNumber) == Array(3...8))
        for record in records {
            let measurement = record.measurement
            #expect(measurement == GlucoseTwin.measurement(measurement.sequenceNumber, at: measurement.baseTime))
            #expect(
                record.context
                    == (measurement.contextFollows ? GlucoseTwin.context(measurement.sequenceNumber) : nil))
        }
    }

    @Test func vendorScaleSendsFrames() async throws {
        let readings = try await withTwin("vendor-scale") { phone in
            let link = Mutex((reader: FrameReader(VendorProtocol.format), readings: [VendorScaleReading]()))
            return try await DeviceVisit<VendorScale, [VendorScaleReading]>.run(from: phone) { scale in
                try scale.port.transmit.setNotify(true)
                let clock = try DateTimeValue { $0.time = DateTime(2027, 1, 2, 3, 4, 5) }.encoded()
                try scale.port.receive.write(
                    VendorProtocol.format, header: [VendorProtocol.Command.setTime.rawValue], payload: clock)
                try scale.port.receive.write(
                    VendorProtocol.format, header: [VendorProtocol.Command.sendReadings.rawValue])
            } value: { scale, characteristic in
                guard let piece = try scale.port.transmit.value(of: characteristic) else { return nil }
                for case .frame(let frame) in link.withLock({ $0.reader.read(piece.bytes) }) {
                    switch VendorProtocol.Command(rawValue: frame.header[0]) {
                    case .reading:
                        let reading = try VendorScaleReading(bytes: frame.payload)
                        link.withLock { $0.readings.append(reading) }
                        try scale.port.receive.write(
                            VendorProtocol.format, header: [VendorProtocol.Command.acknowledge.rawValue],
                            payload: [UInt8(reading.number), 0])
                    case .noMoreReadings: return link.withLock { $0.readings }
                    default: break
                    }
                }
                return nil
            }
        }
        #expect(readings.map(\.number) == [1, 2, 3])
        for reading in readings { #expect(reading == Twins.scaleReading(reading.number, at: reading.time)) }
    }

    @Test func bloodPressureMonitorPairsFirst() async throws {
        let values = try await withTwin("blood-pressure") { phone in
            let values = Mutex<[BloodPressureMeasurement]>([])
            return try await DeviceVisit<BloodPressureMonitor, [BloodPressureMeasurement]>.run(from: phone) { monitor in
                try monitor.bloodPressure.measurement.setNotify(true)
            } value: { monitor, characteristic in
                guard let value = try monitor.bloodPressure.measurement.value(of: characteristic) else { return nil }
                return values.withLock { (values) -> [BloodPressureMeasurement]? in
                    values.append(value)
                    return values.count == 3 ? values : nil
                }
            }
        }
        for (number, value) in values.enumerated() {
            #expect(value == BloodPressureTwin.measurement(number, at: try #require(value.timeStamp)))
        }
    }

    /// The delegate of the tutorial.
    @Test func strapSendsHeartRates() async throws {
        let radio = VirtualRadio()
        let strap = try await VirtualDevice(
            try #require(try BuiltIn.device(named: "polar-h7")), on: radio.adapter(named: "twin"))
        let (rates, heard) = AsyncStream<Int>.makeStream()
        let queue = DispatchQueue(label: "heart rates")
        let delegate = HeartRates()
        delegate.onRate = { heard.yield($0) }
        let manager = CBCentralManager(
            delegate: delegate, queue: queue, options: [HaraldManagerOptionAdapterKey: radio.source(named: "phone")])
        var count = 0
        for await rate in rates {
            #expect((64...92).contains(rate))
            count += 1
            if count == 3 { break }
        }
        withExtendedLifetime((manager, delegate)) {}
        await strap.close()
    }

    @Test func missingAttributesAreNamedInTheError() async throws {
        /// A scale with an additional laser, which the built-in one does not have.
        struct LaserScale: DeviceDeclaration {
            struct Laser: ServiceDeclaration {
                let uuid: BluetoothUUID = "F00D"
                let beam = Attribute<RawUInt8>("F00E")
            }
            let weightScale = WeightScaleService()
            let laser = Laser()
        }
        let error = await #expect(throws: PeripheralDriverError.self) {
            try await withTwin("health-scale") { phone in
                _ = try await DeviceVisit<LaserScale, Int>.run(from: phone) { _ in
                } value: { _, _ in
                    nil
                }
            }
        }
        #expect(error?.description == "it has no service laser (F00D): is it a LaserScale?")
    }

    @Test func identifiersConvertInBothDirections() {
        for uuid: BluetoothUUID in ["180D", "F0000000-0451-4000-B000-000000000000", "0000180D"] {
            #expect(CBUUID(declared: uuid).declared == uuid)
        }
        #expect(CBUUID(string: "0001F00D").declared == BluetoothUUID(0x1_F00D as UInt32))
        #expect(HeartRateStrap.serviceUUIDs.contains(CBUUID(string: "180D")))
        #expect(SensorTagCC2541.matches(name: "SensorTag", services: []))
        #expect(!HeartRateStrap.matches(name: "SensorTag", services: ["180F"]))
    }
}

import BluetoothProfiles
import Harald
import Synchronization

/// A connected SensorTag of either model, with access to each sensor.
///
///     let tag = try await SensorTag(peripheral)
///     try await tag.turnOn(.temperature)
///     for try await reading in try tag.readings(of: .temperature) { print(reading) }
public final class SensorTag: Sendable {
    /// The SensorTag models.
    public enum Model: String, Hashable, Sendable {
        /// The first model, of 2012.
        case cc2541 = "CC2541"
        /// The second model, of 2015.
        case cc2650 = "CC2650"
    }

    /// The sensors of both models.
    public enum Sensor: String, Hashable, Sendable, CaseIterable {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case temperature, humidity, barometer, light, accelerometer, gyroscope, magnetometer, movement, keys
    }

    /// The decoded value of a sensor at one time.
    public struct Reading: Hashable, Sendable, CustomStringConvertible {
        /// The sensor.
        public let sensor: Sensor
        /// The measured values, by name and with units.
        public let fields: [Field]

        /// Returns the number with this name; a flag is 0 or 1. Nil if there is no such field or it is not numeric.
        public func value(_ name: String) -> Double? {
            for field in fields where field.name == name {
                switch field.value {
                case .real(let value): return value
                case .flag(let flag): return flag ? 1 : 0
                default: return nil
                }
            }
            return nil
        }

        /// The fields as text: "object 24.1 °C, ambient 22.5 °C".
        public var description: String { fields.text }
    }

    /// The connected peripheral.
    public let peripheral: Peripheral
    /// The model.
    public let model: Model
    private let decoder: Mutex<SensorTagDecoder>

    /// Returns the model that uses an advertised name; nil for another device.
    public static func model(named name: String?) -> Model? {
        switch name {
        case "SensorTag", "TI BLE Sensor Tag": .cc2541
        case "CC2650 SensorTag", "SensorTag 2.0": .cc2650
        default: nil
        }
    }

    /// Connects if there is no link, and discovers the sensors.
    /// - Parameter model: the model; nil to determine it from the name, else from the services of the device.
    /// - Throws: ``BluetoothError`` with the code `notFound` that names the required attribute that is missing, or the
    ///   error of connecting or discovery.
    public init(_ peripheral: Peripheral, model: Model? = nil) async throws(BluetoothError) {
        self.peripheral = peripheral
        if !peripheral.isConnected { try await peripheral.connect() }
        let movement = MovementService().uuid
        if let model = model ?? Self.model(named: peripheral.name) {
            self.model = model
        } else {
            self.model = try await peripheral.discoverServices([movement]).isEmpty ? .cc2541 : .cc2650
        }
        decoder = Mutex(SensorTagDecoder(self.model))
        switch self.model {
        case .cc2541: _ = try await Driver<SensorTagCC2541>(peripheral)
        case .cc2650: _ = try await Driver<SensorTagCC2650>(peripheral)
        }
    }

    /// The sensors of this model.
    public var sensors: [Sensor] { model.sensors }

    // MARK: On and off

    /// Turns a sensor on. The barometer of the CC2541 is calibrated first. Does nothing for the keys, which are always
    /// on.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the model does not have the sensor, or the error of
    ///   a read or write.
    public func turnOn(_ sensor: Sensor) async throws(BluetoothError) {
        if sensor == .barometer, model == .cc2541 { try await calibrateBarometer() }
        try await configure(sensor, isOn: true)
    }

    /// Turns a sensor off. Does nothing for the keys, which are always on.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the model does not have the sensor, or the error of
    ///   the write.
    public func turnOff(_ sensor: Sensor) async throws(BluetoothError) { try await configure(sensor, isOn: false) }

    private func configure(_ sensor: Sensor, isOn: Bool) async throws(BluetoothError) {
        guard sensor != .keys else { return }
        let configuration = decoder.withLock { $0.configuration(of: sensor, isOn: isOn) }
        try await characteristic(sensor, .configuration).write(configuration)
    }

    /// Reads the configuration of a sensor and returns true if it is on. The keys are always on.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the model does not have the sensor, or the error of
    ///   the read.
    public func isOn(_ sensor: Sensor) async throws(BluetoothError) -> Bool {
        if sensor == .keys { return true }
        return try await characteristic(sensor, .configuration).read().contains { $0 & 0x7F != 0 }
    }

    /// Reads the measurement period of a sensor.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the model does not have the sensor and for the keys,
    ///   `notFound` if the firmware has no such characteristic, or the error of the read.
    public func period(of sensor: Sensor) async throws(BluetoothError) -> Duration {
        try await characteristic(sensor, .period).read(as: SensorPeriod.self).duration
    }

    /// Sets the measurement period of a sensor. Clamped to 0.1 s to 2.55 s, to the nearest hundredth of a second.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the model does not have the sensor and for the keys,
    ///   `notFound` if the firmware has no such characteristic, or the error of the write.
    public func setPeriod(_ period: Duration, of sensor: Sensor) async throws(BluetoothError) {
        try await write(SensorPeriod(period), sensor, .period)
    }

    /// Sets the range of the accelerometer of the CC2650 and turns the movement sensor on.
    /// - Parameter range: 2, 4, 8 or 16 times standard gravity.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` for another range and for the CC2541, whose range
    ///   is fixed at 8 g, or the error of the write.
    public func setRange(_ range: Int) async throws(BluetoothError) {
        guard [2, 4, 8, 16].contains(range), sensors.contains(.movement) else {
            throw BluetoothError(
                .invalidArgument, operation: "set the range of \(peripheral)",
                reason: sensors.contains(.movement)
                    ? "\(range) g is not a supported range" : "its range is fixed at 8 g",
                advice: "the CC2650 supports 2, 4, 8 and 16 g")
        }
        decoder.withLock { $0.range = range }
        try await configure(.movement, isOn: true)
    }

    // MARK: Calibration

    /// Calibrates a sensor. The last reading of the gyroscope or the magnetometer becomes their zero; the barometer of
    /// the CC2541 is turned on and its calibration read again.
    /// - Returns: True if the sensor can be calibrated and a reading was available.
    /// - Throws: ``BluetoothError`` of a read or write. Only the barometer needs them.
    @discardableResult
    public func calibrate(_ sensor: Sensor) async throws(BluetoothError) -> Bool {
        switch sensor {
        case .barometer where model == .cc2541:
            try await turnOn(.barometer)
            return true
        default: return decoder.withLock { $0.calibrate(sensor) }
        }
    }

    /// Removes the zero offsets of the gyroscope and the magnetometer.
    public func resetCalibration() { decoder.withLock { $0.resetCalibration() } }

    private func calibrateBarometer() async throws(BluetoothError) {
        try await write(2 as RawUInt8, .barometer, .configuration)
        let service = CalibratedBarometerService()
        let characteristic = try DriverAttribute<BarometerCalibration>(
            peripheral: peripheral, service: service.uuid, uuid: service.calibration.uuid
        ).characteristic()
        let calibration = try await characteristic.read(as: BarometerCalibration.self)
        decoder.withLock { $0.barometer = calibration }
    }

    // MARK: Readings

    /// Reads a sensor once.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the model does not have the sensor,
    ///   `invalidResponse` if the bytes do not decode, or the error of the read.
    public func read(_ sensor: Sensor) async throws(BluetoothError) -> Reading {
        try reading(of: sensor, try await characteristic(sensor, .data).read())
    }

    /// Subscribes to a sensor. Readings arrive while it is on.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the model does not have the sensor, or `notFound` if
    ///   there is no connection.
    public func readings(of sensor: Sensor) throws(BluetoothError) -> SensorTagReadings {
        SensorTagReadings(bytes: try characteristic(sensor, .data).notifications(), tag: self, sensor: sensor)
    }

    /// Decodes the bytes of a sensor.
    /// - Throws: ``BluetoothError`` with the code `invalidResponse` if the bytes have the wrong length, or the
    ///   barometer of the CC2541 was not calibrated.
    public func reading(of sensor: Sensor, _ bytes: [UInt8]) throws(BluetoothError) -> Reading {
        do throws(ValueError) {
            return try decoder.withLock { (decoder) throws(ValueError) in try decoder.reading(of: sensor, bytes) }
        } catch {
            throw BluetoothError(
                .invalidResponse, operation: "decode \(sensor.rawValue) of \(peripheral)", reason: "\(error)")
        }
    }

    // MARK: Characteristics

    private func write(
        _ value: some GATTValue, _ sensor: Sensor, _ part: Sensor.Part
    ) async throws(BluetoothError) {
        try await characteristic(sensor, part).write(value)
    }

    private func characteristic(_ sensor: Sensor, _ part: Sensor.Part) throws(BluetoothError) -> Characteristic {
        guard sensors.contains(sensor) else {
            throw BluetoothError(
                .unsupported, operation: "use the \(sensor.rawValue) sensor of \(peripheral)",
                reason: "the \(model.rawValue) does not have it",
                advice: "it has \(sensors.map(\.rawValue).joined(separator: ", "))")
        }
        guard let uuid = sensor.uuid(of: part) else {
            throw BluetoothError(
                .unsupported, operation: "configure the keys of \(peripheral)", reason: "they cannot be configured")
        }
        return try DriverAttribute<SerialBytes>(
            peripheral: peripheral, service: sensor.service, uuid: uuid
        ).characteristic()
    }
}

/// A sequence of a sensor's readings.
public struct SensorTagReadings: AsyncSequence, Sendable {
    /// The error that iteration throws.
    public typealias Failure = BluetoothError
    let bytes: BluetoothStream<[UInt8]>
    let tag: SensorTag
    let sensor: SensorTag.Sensor

    /// The number of readings that were dropped because the consumer was too slow.
    public var droppedCount: Int { bytes.droppedCount }

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator(), tag: tag, sensor: sensor) }

    /// Iterates over ``SensorTagReadings``.
    public struct Iterator: AsyncIteratorProtocol {
        var bytes: BluetoothStream<[UInt8]>.Iterator
        let tag: SensorTag
        let sensor: SensorTag.Sensor

        /// Returns the next reading; nil after the end of the connection.
        /// - Throws: ``BluetoothError`` with the code `invalidResponse` if the bytes do not decode, or the error that
        ///   ended the subscription.
        public mutating func next() async throws(BluetoothError) -> SensorTag.Reading? {
            guard let next = try await bytes.next() else { return nil }
            return try tag.reading(of: sensor, next)
        }

        /// Returns the next reading; nil after the end of the connection.
        /// - Throws: ``BluetoothError`` with the code `invalidResponse` if the bytes do not decode, or the error that
        ///   ended the subscription.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError)
            -> SensorTag.Reading?
        {
            guard let next = try await bytes.next(isolation: actor) else { return nil }
            return try tag.reading(of: sensor, next)
        }
    }
}

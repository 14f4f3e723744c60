import BluetoothProfiles
import Harald
import Synchronization

/// A connected SensorTag of either model, sensor by sensor.
///
///     let tag = try await SensorTag(peripheral)
///     try await tag.turnOn(.temperature)
///     for try await reading in try tag.readings(of: .temperature) { print(reading) }
public final class SensorTag: Sendable {
    /// The models.
    public enum Model: String, Hashable, Sendable {
        /// The first, of 2012.
        case cc2541 = "CC2541"
        /// The second, of 2015.
        case cc2650 = "CC2650"
    }

    /// What a SensorTag can measure.
    public enum Sensor: String, Hashable, Sendable, CaseIterable {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case temperature, humidity, barometer, light, accelerometer, gyroscope, magnetometer, movement, keys
    }

    /// What a sensor measured at a time.
    public struct Reading: Hashable, Sendable, CustomStringConvertible {
        /// The sensor.
        public let sensor: Sensor
        /// The numbers, by name and with their units.
        public let fields: [Field]

        /// The number with this name.
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

        /// "object 24.1 °C, ambient 22.5 °C"
        public var description: String { fields.text }
    }

    /// The device.
    public let peripheral: Peripheral
    /// Which model it is.
    public let model: Model
    private let decoder: Mutex<SensorTagDecoder>

    /// The model that an advertised name stands for; nil for another device.
    public static func model(named name: String?) -> Model? {
        switch name {
        case "SensorTag", "TI BLE Sensor Tag": .cc2541
        case "CC2650 SensorTag", "SensorTag 2.0": .cc2650
        default: nil
        }
    }

    /// Connects where that is needed and discovers the sensors.
    /// - Parameter model: which it is; nil to take what its name says, else what it has.
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

    /// Turns a sensor on; the CC2541's barometer is calibrated first.
    public func turnOn(_ sensor: Sensor) async throws(BluetoothError) {
        if sensor == .barometer, model == .cc2541 { try await calibrateBarometer() }
        try await configure(sensor, isOn: true)
    }

    /// Turns a sensor off.
    public func turnOff(_ sensor: Sensor) async throws(BluetoothError) { try await configure(sensor, isOn: false) }

    private func configure(_ sensor: Sensor, isOn: Bool) async throws(BluetoothError) {
        guard sensor != .keys else { return }
        let configuration = decoder.withLock { $0.configuration(of: sensor, isOn: isOn) }
        try await characteristic(sensor, .configuration).write(configuration)
    }

    /// Whether a sensor is on. Keys always are.
    public func isOn(_ sensor: Sensor) async throws(BluetoothError) -> Bool {
        if sensor == .keys { return true }
        return try await characteristic(sensor, .configuration).read().contains { $0 & 0x7F != 0 }
    }

    /// How often a sensor measures.
    public func period(of sensor: Sensor) async throws(BluetoothError) -> Duration {
        try await characteristic(sensor, .period).read(as: SensorPeriod.self).duration
    }

    /// Sets how often a sensor measures; 0.1 s to 2.55 s, to the nearest hundredth.
    public func setPeriod(_ period: Duration, of sensor: Sensor) async throws(BluetoothError) {
        try await write(SensorPeriod(period), sensor, .period)
    }

    /// Sets the range of the CC2650's accelerometer.
    /// - Parameter range: 2, 4, 8 or 16 times standard gravity.
    public func setRange(_ range: Int) async throws(BluetoothError) {
        guard [2, 4, 8, 16].contains(range), sensors.contains(.movement) else {
            throw BluetoothError(
                .invalidArgument, operation: "set the range of \(peripheral)",
                reason: sensors.contains(.movement) ? "\(range) is no range" : "its range is fixed at 8 g",
                advice: "the CC2650 has 2, 4, 8 and 16 g")
        }
        decoder.withLock { $0.range = range }
        try await configure(.movement, isOn: true)
    }

    // MARK: Calibration

    /// Takes what the gyroscope or the magnetometer shows at the moment for zero; calibrates the barometer anew.
    /// - Returns: whether there is anything to calibrate, and there was a reading to do it with.
    @discardableResult
    public func calibrate(_ sensor: Sensor) async throws(BluetoothError) -> Bool {
        switch sensor {
        case .barometer where model == .cc2541:
            try await turnOn(.barometer)
            return true
        default: return decoder.withLock { $0.calibrate(sensor) }
        }
    }

    /// Forgets what was taken for zero.
    public func resetCalibration() { decoder.withLock { $0.resetCalibration() } }

    private func calibrateBarometer() async throws(BluetoothError) {
        try await write(2 as RawOctet, .barometer, .configuration)
        let service = CalibratedBarometerService()
        let characteristic = try DriverAttribute<BarometerCalibration>(
            peripheral: peripheral, service: service.uuid, uuid: service.calibration.uuid
        ).characteristic()
        let calibration = try await characteristic.read(as: BarometerCalibration.self)
        decoder.withLock { $0.barometer = calibration }
    }

    // MARK: Readings

    /// Reads a sensor once.
    public func read(_ sensor: Sensor) async throws(BluetoothError) -> Reading {
        try reading(of: sensor, try await characteristic(sensor, .data).read())
    }

    /// What a sensor sends by itself while it is on.
    public func readings(of sensor: Sensor) throws(BluetoothError) -> SensorTagReadings {
        SensorTagReadings(bytes: try characteristic(sensor, .data).notifications(), tag: self, sensor: sensor)
    }

    /// What the bytes of a sensor mean.
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
                reason: "the \(model.rawValue) has none",
                advice: "it has \(sensors.map(\.rawValue).joined(separator: ", "))")
        }
        guard let uuid = sensor.uuid(of: part) else {
            throw BluetoothError(
                .unsupported, operation: "configure the keys of \(peripheral)", reason: "they are always on")
        }
        return try DriverAttribute<SerialBytes>(
            peripheral: peripheral, service: sensor.service, uuid: uuid
        ).characteristic()
    }
}

/// What a sensor of a SensorTag sends by itself.
public struct SensorTagReadings: AsyncSequence, Sendable {
    /// What iterating can throw.
    public typealias Failure = BluetoothError
    let bytes: BluetoothStream<[UInt8]>
    let tag: SensorTag
    let sensor: SensorTag.Sensor

    /// How many readings were dropped because the consumer was too slow.
    public var droppedCount: Int { bytes.droppedCount }

    /// The iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator(), tag: tag, sensor: sensor) }

    /// Iterates over ``SensorTagReadings``.
    public struct Iterator: AsyncIteratorProtocol {
        var bytes: BluetoothStream<[UInt8]>.Iterator
        let tag: SensorTag
        let sensor: SensorTag.Sensor

        /// The next reading; nil when the connection is over.
        public mutating func next() async throws(BluetoothError) -> SensorTag.Reading? {
            guard let next = try await bytes.next() else { return nil }
            return try tag.reading(of: sensor, next)
        }

        /// The next reading; nil when the connection is over.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError)
            -> SensorTag.Reading?
        {
            guard let next = try await bytes.next(isolation: actor) else { return nil }
            return try tag.reading(of: sensor, next)
        }
    }
}

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
    private let state = Mutex(State())

    /// What the meaning of numbers depends on.
    private struct State: Sendable {
        var barometer: BarometerCalibration?
        /// The range of the accelerometer of the CC2650, as a multiple of standard gravity.
        var range = 8.0
        /// What a sensor shows at rest.
        var zero: [Sensor: Axes] = [:]
        var last: [Sensor: Axes] = [:]
    }

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
        switch self.model {
        case .cc2541: _ = try await Driver<SensorTagCC2541>(peripheral)
        case .cc2650: _ = try await Driver<SensorTagCC2650>(peripheral)
        }
    }

    /// The sensors of this model.
    public var sensors: [Sensor] {
        switch model {
        case .cc2541: [.temperature, .humidity, .barometer, .accelerometer, .gyroscope, .magnetometer, .keys]
        case .cc2650: [.temperature, .humidity, .barometer, .light, .movement, .keys]
        }
    }

    // MARK: On and off

    /// Turns a sensor on; the CC2541's barometer is calibrated first.
    public func turnOn(_ sensor: Sensor) async throws(BluetoothError) {
        switch sensor {
        case .keys: return
        case .movement:
            try await write(RawWord(UInt16(rangeBits) << 8 | 0x7F), sensor, .configuration)
        case .barometer where model == .cc2541:
            try await calibrateBarometer()
            try await write(1 as RawOctet, sensor, .configuration)
        default: try await write(RawOctet(integerLiteral: sensor == .gyroscope ? 7 : 1), sensor, .configuration)
        }
    }

    /// Turns a sensor off.
    public func turnOff(_ sensor: Sensor) async throws(BluetoothError) {
        switch sensor {
        case .keys: return
        case .movement: try await write(RawWord(0), sensor, .configuration)
        default: try await write(0 as RawOctet, sensor, .configuration)
        }
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
        state.withLock { $0.range = Double(range) }
        try await write(RawWord(UInt16(rangeBits) << 8 | 0x7F), .movement, .configuration)
    }

    private var rangeBits: Int {
        let range = state.withLock { $0.range }
        return range <= 2 ? 0 : range <= 4 ? 1 : range <= 8 ? 2 : 3
    }

    // MARK: Calibration

    /// Takes what the gyroscope or the magnetometer shows at the moment for zero; calibrates the barometer anew.
    /// - Returns: whether there is anything to calibrate, and there was a reading to do it with.
    @discardableResult
    public func calibrate(_ sensor: Sensor) async throws(BluetoothError) -> Bool {
        switch sensor {
        case .barometer where model == .cc2541:
            try await calibrateBarometer()
            try await write(1 as RawOctet, sensor, .configuration)
            return true
        case .gyroscope, .magnetometer, .movement:
            return state.withLock { state in
                // The movement sensor has two of them, which are kept under their own names.
                let parts: [Sensor] = sensor == .movement ? [.gyroscope, .magnetometer] : [sensor]
                for part in parts { state.zero[part] = state.last[part] }
                return parts.allSatisfy { state.zero[$0] != nil }
            }
        default: return false
        }
    }

    /// Forgets what was taken for zero.
    public func resetCalibration() { state.withLock { $0.zero = [:] } }

    private func calibrateBarometer() async throws(BluetoothError) {
        try await write(2 as RawOctet, .barometer, .configuration)
        let service = CalibratedBarometerService()
        let characteristic = try DriverAttribute<BarometerCalibration>(
            peripheral: peripheral, service: service.uuid, uuid: service.calibration.uuid
        ).characteristic()
        let calibration = try await characteristic.read(as: BarometerCalibration.self)
        state.withLock { $0.barometer = calibration }
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
        do throws(ValueError) { return Reading(sensor: sensor, fields: try fields(sensor, bytes)) } catch {
            throw BluetoothError(
                .invalidResponse, operation: "decode \(sensor.rawValue) of \(peripheral)", reason: "\(error)")
        }
    }

    private func fields(_ sensor: Sensor, _ bytes: [UInt8]) throws(ValueError) -> [Field] {
        switch sensor {
        case .temperature:
            let raw = try RawPair(bytes: bytes)
            let (object, ambient) = model == .cc2541 ? SensorTagFormulas.tmp006(raw) : SensorTagFormulas.tmp007(raw)
            return [
                Field("object", .real(object), unit: .celsius), Field("ambient", .real(ambient), unit: .celsius),
            ]
        case .humidity:
            let raw = try RawPair(bytes: bytes)
            let (temperature, humidity) =
                model == .cc2541 ? SensorTagFormulas.sht21(raw) : SensorTagFormulas.hdc1000(raw)
            return [
                Field("humidity", .real(humidity), unit: .percent),
                Field("temperature", .real(temperature), unit: .celsius),
            ]
        case .barometer:
            let (temperature, pressure): (Double, Double)
            if model == .cc2650 {
                let raw = try RawBarometer(bytes: bytes)
                (temperature, pressure) = (Double(raw.temperature) / 100, Double(raw.pressure) / 100)
            } else {
                guard let calibration = state.withLock({ $0.barometer }) else {
                    throw ValueError(field: "pressure", reason: "the barometer is not calibrated; turn it on first")
                }
                let (celsius, pascals) = SensorTagFormulas.t5400(try RawPair(bytes: bytes), calibration)
                (temperature, pressure) = (celsius, pascals / 100)
            }
            return [
                Field("pressure", .real(pressure), unit: .hectopascals),
                Field("temperature", .real(temperature), unit: .celsius),
            ]
        case .light:
            return [Field("light", .real(SensorTagFormulas.opt3001(try RawWord(bytes: bytes).value)), unit: .lux)]
        case .accelerometer:
            let axes = try RawAxes8(bytes: bytes).axes * SensorTagFormulas.gravitiesPerCount
            return Self.fields(axes, unit: .standardGravity)
        case .gyroscope:
            let axes = try RawAxes16(bytes: bytes).axes * SensorTagFormulas.degreesPerSecondPerCount
            return Self.fields(zeroed(axes, .gyroscope), unit: .degreesPerSecond)
        case .magnetometer:
            let axes = try RawAxes16(bytes: bytes).axes * SensorTagFormulas.microteslasPerCount
            return Self.fields(zeroed(axes, .magnetometer), unit: .microteslas)
        case .movement:
            let raw = try RawMovement(bytes: bytes)
            let range = state.withLock { $0.range }
            let turning = zeroed(raw.gyroscope.axes * SensorTagFormulas.degreesPerSecondPerCount, .gyroscope)
            let field = zeroed(raw.magnetometer.axes, .magnetometer)
            return Self.fields(raw.accelerometer.axes * (range / 32768), unit: .standardGravity, "acceleration")
                + Self.fields(turning, unit: .degreesPerSecond, "rotation")
                + Self.fields(field, unit: .microteslas, "magneticField")
        case .keys:
            let keys = try SensorTagKeys(bytes: bytes)
            let both = [Field("left", .flag(keys.left)), Field("right", .flag(keys.right))]
            return model == .cc2650 ? both + [Field("reed", .flag(keys.reed))] : both
        }
    }

    private func zeroed(_ axes: Axes, _ sensor: Sensor) -> Axes {
        state.withLock { state in
            state.last[sensor] = axes
            return axes - (state.zero[sensor] ?? Axes())
        }
    }

    private static func fields(_ axes: Axes, unit: GATTUnit, _ name: String = "") -> [Field] {
        [("x", axes.x), ("y", axes.y), ("z", axes.z)].map { axis, value in
            Field(name.isEmpty ? axis : name + axis.uppercased(), .real(value), unit: unit)
        }
    }

    // MARK: Characteristics

    private enum Part { case data, configuration, period }

    private func write(_ value: some GATTValue, _ sensor: Sensor, _ part: Part) async throws(BluetoothError) {
        try await characteristic(sensor, part).write(value)
    }

    private func characteristic(_ sensor: Sensor, _ part: Part) throws(BluetoothError) -> Characteristic {
        guard sensors.contains(sensor) else {
            throw BluetoothError(
                .unsupported, operation: "use the \(sensor.rawValue) sensor of \(peripheral)",
                reason: "the \(model.rawValue) has none",
                advice: "it has \(sensors.map(\.rawValue).joined(separator: ", "))")
        }
        let (service, uuid): (BluetoothUUID, BluetoothUUID)
        if sensor == .keys {
            guard part == .data else {
                throw BluetoothError(
                    .unsupported, operation: "configure the keys of \(peripheral)", reason: "they are always on")
            }
            (service, uuid) = ("FFE0", SensorTagKeys.uuid)
        } else {
            let offset = Self.offset(sensor)
            let place: UInt16 =
                switch part {
                case .data: 1
                case .configuration: 2
                case .period: sensor == .barometer ? 4 : 3
                }
            (service, uuid) = (SensorTagUUID.base[offset], SensorTagUUID.base[offset + place])
        }
        return try DriverAttribute<SerialBytes>(peripheral: peripheral, service: service, uuid: uuid).characteristic()
    }

    private static func offset(_ sensor: Sensor) -> UInt16 {
        switch sensor {
        case .temperature: 0xAA00
        case .accelerometer: 0xAA10
        case .humidity: 0xAA20
        case .magnetometer: 0xAA30
        case .barometer: 0xAA40
        case .gyroscope: 0xAA50
        case .light: 0xAA70
        case .movement: 0xAA80
        case .keys: 0xFFE0
        }
    }
}

/// What a sensor of a SensorTag sends by itself.
public struct SensorTagReadings: AsyncSequence, Sendable {
    /// What iterating can throw.
    public typealias Failure = BluetoothError
    let bytes: BluetoothStream<[UInt8]>
    let tag: SensorTag
    let sensor: SensorTag.Sensor

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

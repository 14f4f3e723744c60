import BluetoothProfiles
import Harald

/// The protocol of the vendor's scale and blood pressure monitor: frames over the transparent UART. A frame begins with
/// AA 55 and a command. The length is big-endian at bytes 3 and 4, the payload begins at byte 5, and the 16-bit sum of
/// all preceding bytes follows.
public enum VendorProtocol {
    /// The frame layout.
    public static let format = FrameFormat(
        start: [0xAA, 0x55], lengthAt: 3, payloadAt: 5, overhead: 7, trailer: .sum16, longestPayload: 256,
        patience: .seconds(5))

    /// The command byte of a frame.
    public struct Command: NamedCode {
        /// The command byte.
        public var rawValue: UInt8
        /// Creates a command from its byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The names of the known commands.
        public static let names: [UInt8: String] = [
            0x01: "set time", 0x02: "send readings", 0x03: "acknowledge", 0x81: "time was set", 0x82: "reading",
            0x83: "no more readings",
        ]
        /// Sets the device's clock. The payload is a date and time.
        public static let setTime = Command(rawValue: 0x01)
        /// Requests the unacknowledged readings, and new ones as they are taken.
        public static let sendReadings = Command(rawValue: 0x02)
        /// Acknowledges a reading by its number. The device deletes it.
        public static let acknowledge = Command(rawValue: 0x03)
        /// The clock was set.
        public static let timeWasSet = Command(rawValue: 0x81)
        /// A reading.
        public static let reading = Command(rawValue: 0x82)
        /// All stored readings were sent. New ones follow as they are taken.
        public static let noMoreReadings = Command(rawValue: 0x83)
    }
}

/// A reading of one of the vendor's devices.
public protocol VendorReading: GATTValue {
    /// The number that the device gave the reading.
    var number: UInt16 { get set }
    /// The time of the measurement; unknown if that of the device is out of range.
    var time: DateTime { get set }
}

/// A reading of the vendor's scale.
public struct VendorScaleReading: VendorReading {
    /// The number that the device gave the reading.
    public var number: UInt16 = 0
    /// The time of the measurement.
    public var time = DateTime()
    /// The index of the scale's user.
    public var user: UInt8 = 0
    /// The weight in kilograms.
    public var weight: ProfileNumber = 0
    /// The body fat in percent.
    public var bodyFat: ProfileNumber = 0
    /// The impedance in ohms.
    public var impedance: UInt16 = 0

    /// Creates a reading with default values.
    public init() {}

    /// Encodes or decodes the fields.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("number", &number, .uint16)
        try coder.time("time", &time)
        try coder.integer("user", &user, .uint8)
        try coder.number("weight", &weight, .decimal(.uint16, -2), unit: .kilograms)
        try coder.number("bodyFat", &bodyFat, .decimal(.uint16, -1), unit: .percent)
        try coder.integer("impedance", &impedance, .uint16, unit: .ohms)
    }
}

/// A reading of the vendor's blood pressure monitor.
public struct VendorBloodPressureReading: VendorReading {
    /// The number that the device gave the reading.
    public var number: UInt16 = 0
    /// The time of the measurement.
    public var time = DateTime()
    /// The systolic pressure in millimetres of mercury.
    public var systolic: UInt16 = 0
    /// The diastolic pressure in millimetres of mercury.
    public var diastolic: UInt16 = 0
    /// The pulse rate in beats per minute.
    public var pulseRate: UInt8 = 0
    /// True if the pulse was irregular.
    public var isIrregular = false

    /// Creates a reading with default values.
    public init() {}

    /// Encodes or decodes the fields.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("number", &number, .uint16)
        try coder.time("time", &time)
        try coder.integer("systolic", &systolic, .uint16, unit: .mmHg)
        try coder.integer("diastolic", &diastolic, .uint16, unit: .mmHg)
        try coder.integer("pulseRate", &pulseRate, .uint8, unit: .beatsPerMinute)
        var irregular: UInt8 = isIrregular ? 1 : 0
        try coder.integer("irregularPulse", &irregular, .uint8, in: 0...1) { .flag($0 == 1) }
        isIrregular = irregular == 1
    }
}

/// The vendor's scale.
public struct VendorScale: DeviceDeclaration {
    /// The transparent UART.
    public let port = TransparentUARTService()
    /// Creates the declaration.
    public init() {}
    /// Matches by name: the device does not advertise the service.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        name?.hasPrefix("eBody-Scale") == true
    }
}

/// The vendor's blood pressure monitor.
public struct VendorBloodPressureMonitor: DeviceDeclaration {
    /// The transparent UART.
    public let port = TransparentUARTService()
    /// Creates the declaration.
    public init() {}
    /// Matches by name: the device does not advertise the service.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        name?.hasPrefix("eBlood-Pressure") == true
    }
}

/// A reading, the end of the stored readings, or bytes that could not be used.
public enum VendorEvent<Reading: VendorReading>: Sendable, Hashable {
    /// A reading. Already acknowledged, unless the receiver does so with ``VendorReadings/acknowledge(_:)``.
    case reading(Reading)
    /// All stored readings have arrived. Those that follow are new.
    case storedReadingsEnd
    /// Bytes that are part of no frame.
    case dropped(FrameReader.Dropped)
    /// A frame with an unknown command, or with a reading that cannot be decoded. It is not acknowledged: the device
    /// keeps the reading.
    case unknown(Frame)
}

extension Driver where Device == VendorScale {
    /// Returns the stored readings and those to come, each acknowledged when it is delivered.
    /// - Parameter clock: the time to set; nil to leave the device's clock unchanged.
    /// - Throws: ``BluetoothError`` as ``VendorReadings/init(_:clock:acknowledges:)`` does.
    public func readings(clock: DateTime? = nil) async throws(BluetoothError) -> VendorReadings<VendorScaleReading> {
        try await VendorReadings(peripheral, clock: clock)
    }
}

extension Driver where Device == VendorBloodPressureMonitor {
    /// Returns the stored readings and those to come, each acknowledged when it is delivered.
    /// - Parameter clock: the time to set; nil to leave the device's clock unchanged.
    /// - Throws: ``BluetoothError`` as ``VendorReadings/init(_:clock:acknowledges:)`` does.
    public func readings(clock: DateTime? = nil) async throws(BluetoothError)
        -> VendorReadings<VendorBloodPressureReading>
    {
        try await VendorReadings(peripheral, clock: clock)
    }
}

/// A sequence of a vendor's device's readings. Each is acknowledged when it is delivered, or by the receiver.
public struct VendorReadings<Reading: VendorReading>: AsyncSequence, Sendable {
    /// The error that iteration throws.
    public typealias Failure = BluetoothError
    private let link: FramedLink
    private let events: FrameEvents
    private let acknowledges: Bool

    /// Subscribes, sets the clock and requests readings.
    /// - Parameters:
    ///   - clock: the time to set; nil to leave the device's clock unchanged.
    ///   - acknowledges: true to acknowledge each reading when it is delivered. If false, the receiver calls
    ///     ``acknowledge(_:)`` once it has stored the reading: the device deletes acknowledged readings.
    /// - Throws: ``BluetoothError`` of ``FramedLink/init(_:_:format:)`` or of a write.
    public init(
        _ peripheral: Peripheral, clock: DateTime? = nil, acknowledges: Bool = true
    ) async throws(BluetoothError) {
        self.acknowledges = acknowledges
        link = try await FramedLink(peripheral, format: VendorProtocol.format)
        // Subscribe first: the answers follow at once.
        events = link.events()
        if let clock {
            let payload = try? DateTimeValue { $0.time = clock }.encoded()
            try await link.send(header: [VendorProtocol.Command.setTime.rawValue], payload: payload ?? [])
        }
        try await link.send(header: [VendorProtocol.Command.sendReadings.rawValue])
    }

    /// The number of notifications that were dropped because the consumer was too slow.
    public var droppedCount: Int { events.droppedCount }

    /// Acknowledges a reading. The device deletes it.
    /// - Throws: ``BluetoothError`` of the write. The device then keeps the reading.
    public func acknowledge(_ reading: Reading) async throws(BluetoothError) {
        try await Self.acknowledge(reading.number, on: link)
    }

    private static func acknowledge(_ number: UInt16, on link: FramedLink) async throws(BluetoothError) {
        let payload = [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
        try await link.send(header: [VendorProtocol.Command.acknowledge.rawValue], payload: payload)
    }

    /// Decodes a reading. A time that is out of range is unknown: the clock of the device was never set.
    private static func reading(in payload: [UInt8]) -> Reading? {
        if let reading = try? Reading(bytes: payload) { return reading }
        return Reading.withUnknownTimes(payload).flatMap { try? Reading(bytes: $0) }
    }

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(link: link, events: events.makeAsyncIterator(), acknowledges: acknowledges)
    }

    /// Iterates over ``VendorReadings``.
    public struct Iterator: AsyncIteratorProtocol {
        let link: FramedLink
        var events: FrameEvents.Iterator
        let acknowledges: Bool

        /// Returns the next event; nil after the end of the connection.
        /// - Throws: ``BluetoothError`` of an acknowledgement, or the one that ended the subscription.
        public mutating func next() async throws(BluetoothError) -> VendorEvent<Reading>? {
            while let event = try await events.next() {
                if let event = try await take(event) { return event }
            }
            return nil
        }

        /// Returns the next event; nil after the end of the connection.
        /// - Throws: ``BluetoothError`` of an acknowledgement, or the one that ended the subscription.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError)
            -> VendorEvent<Reading>?
        {
            while let event = try await events.next(isolation: actor) {
                if let event = try await take(event) { return event }
            }
            return nil
        }

        private func take(_ event: FrameReader.Event) async throws(BluetoothError) -> VendorEvent<Reading>? {
            switch event {
            case .dropped(let dropped): return .dropped(dropped)
            case .frame(let frame):
                switch VendorProtocol.Command(rawValue: frame.header.first ?? 0) {
                case .timeWasSet: return nil
                case .noMoreReadings: return .storedReadingsEnd
                case .reading:
                    // One invalid reading does not end the sequence.
                    guard let reading = VendorReadings.reading(in: frame.payload) else { return .unknown(frame) }
                    if acknowledges { try await VendorReadings.acknowledge(reading.number, on: link) }
                    return .reading(reading)
                default: return .unknown(frame)
                }
            }
        }
    }
}

import BluetoothProfiles
import Harald

/// What the vendor's scale and blood pressure monitor have in common: frames over the transparent UART. A frame begins
/// with AA 55 and a command; the length is the big-endian number at the bytes 3 and 4, the payload begins at byte 5,
/// and two bytes with the sum of all before them follow.
public enum VendorProtocol {
    /// The frames.
    public static let format = FrameFormat(
        start: [0xAA, 0x55], lengthAt: 3, payloadAt: 5, overhead: 7, trailer: .sum16, longestPayload: 256,
        patience: .seconds(5))

    /// What a frame is for.
    public struct Command: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            0x01: "set time", 0x02: "send readings", 0x03: "acknowledge", 0x81: "time was set", 0x82: "reading",
            0x83: "no more readings",
        ]
        /// Sets the device's clock; the payload is a date and a time.
        public static let setTime = Command(rawValue: 0x01)
        /// Asks for the readings that were not acknowledged yet, and for those to come.
        public static let sendReadings = Command(rawValue: 0x02)
        /// Acknowledges a reading by its number, so that the device forgets it.
        public static let acknowledge = Command(rawValue: 0x03)
        /// The clock was set.
        public static let timeWasSet = Command(rawValue: 0x81)
        /// A reading.
        public static let reading = Command(rawValue: 0x82)
        /// All stored readings were sent; those to come follow as they are taken.
        public static let noMoreReadings = Command(rawValue: 0x83)
    }
}

/// A reading of a vendor's device.
public protocol VendorReading: GATTValue {
    /// The device's number for it.
    var number: UInt16 { get set }
    /// When it was taken.
    var time: DateTime { get set }
}

/// What the vendor's scale measures.
public struct VendorScaleReading: VendorReading {
    /// The device's number for it.
    public var number: UInt16 = 0
    /// When it was taken.
    public var time = DateTime()
    /// Which of the scale's users.
    public var user: UInt8 = 0
    /// Kilograms.
    public var weight: ProfileNumber = 0
    /// Percent.
    public var bodyFat: ProfileNumber = 0
    /// Ohms.
    public var impedance: UInt16 = 0

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("number", &number, .uint16)
        try coder.time("time", &time)
        try coder.integer("user", &user, .uint8)
        try coder.number("weight", &weight, .decimal(.uint16, -2), unit: .kilograms)
        try coder.number("bodyFat", &bodyFat, .decimal(.uint16, -1), unit: .percent)
        try coder.integer("impedance", &impedance, .uint16, unit: .ohms)
    }
}

/// What the vendor's blood pressure monitor measures.
public struct VendorBloodPressureReading: VendorReading {
    /// The device's number for it.
    public var number: UInt16 = 0
    /// When it was taken.
    public var time = DateTime()
    /// Millimetres of mercury.
    public var systolic: UInt16 = 0
    /// Millimetres of mercury.
    public var diastolic: UInt16 = 0
    /// Beats per minute.
    public var pulseRate: UInt8 = 0
    /// Whether the pulse was irregular.
    public var isIrregular = false

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
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
    /// The declaration.
    public init() {}
    /// Its name says what it is: it does not advertise the service.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        name?.hasPrefix("eBody-Scale") == true
    }
}

/// The vendor's blood pressure monitor.
public struct VendorBloodPressureMonitor: DeviceDeclaration {
    /// The transparent UART.
    public let port = TransparentUARTService()
    /// The declaration.
    public init() {}
    /// Its name says what it is: it does not advertise the service.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        name?.hasPrefix("eBlood-Pressure") == true
    }
}

/// What comes of a vendor's device: readings, and what was dropped between them.
public enum VendorEvent<Reading: VendorReading>: Sendable, Hashable {
    /// A reading; it was acknowledged, unless ``VendorReadings/acknowledge(_:)`` is left to the receiver.
    case reading(Reading)
    /// All stored readings have come; those that follow are fresh.
    case storedReadingsEnd
    /// Bytes that are no frame.
    case dropped(FrameReader.Dropped)
    /// A frame that means nothing here.
    case unknown(Frame)
}

extension Driver where Device == VendorScale {
    /// The stored readings and those to come.
    public func readings(clock: DateTime? = nil) async throws(BluetoothError) -> VendorReadings<VendorScaleReading> {
        try await VendorReadings(peripheral, clock: clock)
    }
}

extension Driver where Device == VendorBloodPressureMonitor {
    /// The stored readings and those to come.
    public func readings(clock: DateTime? = nil) async throws(BluetoothError)
        -> VendorReadings<VendorBloodPressureReading>
    {
        try await VendorReadings(peripheral, clock: clock)
    }
}

/// The readings of a vendor's device, each acknowledged as it is handed out, or by its receiver.
public struct VendorReadings<Reading: VendorReading>: AsyncSequence, Sendable {
    /// What iterating can throw.
    public typealias Failure = BluetoothError
    private let link: FramedLink
    private let events: FrameEvents
    private let acknowledges: Bool

    /// Sets the clock and asks for readings.
    /// - Parameters:
    ///   - clock: the time; nil to leave the device's clock as it is.
    ///   - acknowledges: each reading is acknowledged as it is handed out. With false the receiver calls
    ///     ``acknowledge(_:)`` when it has the reading safe: the device forgets what was acknowledged.
    public init(
        _ peripheral: Peripheral, clock: DateTime? = nil, acknowledges: Bool = true
    ) async throws(BluetoothError) {
        self.acknowledges = acknowledges
        link = try await FramedLink(peripheral, format: VendorProtocol.format)
        // Listening first: the answers come at once.
        events = link.events()
        if let clock {
            let payload = try? DateTimeValue { $0.time = clock }.encoded()
            try await link.send(header: [VendorProtocol.Command.setTime.rawValue], payload: payload ?? [])
        }
        try await link.send(header: [VendorProtocol.Command.sendReadings.rawValue])
    }

    /// How many notifications with parts of frames were dropped because the consumer was too slow.
    public var droppedCount: Int { events.droppedCount }

    /// Acknowledges a reading, so that the device forgets it.
    /// - Throws: ``BluetoothError`` of the write; the device keeps the reading then.
    public func acknowledge(_ reading: Reading) async throws(BluetoothError) {
        try await Self.acknowledge(reading.number, on: link)
    }

    private static func acknowledge(_ number: UInt16, on link: FramedLink) async throws(BluetoothError) {
        let payload = [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
        try await link.send(header: [VendorProtocol.Command.acknowledge.rawValue], payload: payload)
    }

    /// The iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(link: link, events: events.makeAsyncIterator(), acknowledges: acknowledges)
    }

    /// Iterates over ``VendorReadings``.
    public struct Iterator: AsyncIteratorProtocol {
        let link: FramedLink
        var events: FrameEvents.Iterator
        let acknowledges: Bool

        /// The next event; nil when the connection is over.
        public mutating func next() async throws(BluetoothError) -> VendorEvent<Reading>? {
            while let event = try await events.next() {
                if let event = try await take(event) { return event }
            }
            return nil
        }

        /// The next event; nil when the connection is over.
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
                    let reading: Reading
                    do throws(ValueError) { reading = try Reading(bytes: frame.payload) } catch {
                        throw BluetoothError(
                            .invalidResponse, operation: "decode a reading of \(link.peripheral)", reason: "\(error)")
                    }
                    if acknowledges { try await VendorReadings.acknowledge(reading.number, on: link) }
                    return .reading(reading)
                default: return .unknown(frame)
                }
            }
        }
    }
}

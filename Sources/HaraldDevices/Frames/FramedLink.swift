import BluetoothProfiles
import Harald

/// Frames over a serial service of a connected device, both ways.
public struct FramedLink: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// What frames look like.
    public let format: FrameFormat
    private let receive: Characteristic
    private let transmit: Characteristic

    /// Frames over `service`, which is discovered.
    public init(
        _ peripheral: Peripheral, _ service: SerialService = .isscTransparentUART, format: FrameFormat
    ) async throws(BluetoothError) {
        self.peripheral = peripheral
        self.format = format
        receive = try await peripheral.characteristic(AttributeKey(service.service), AttributeKey(service.receive))
        transmit = try await peripheral.characteristic(AttributeKey(service.service), AttributeKey(service.transmit))
    }

    /// What arrives from now on: frames, and what was dropped on the way. A frame that pauses for longer than
    /// ``FrameFormat/patience`` is given up.
    public func events() -> FrameEvents {
        FrameEvents(bytes: transmit.notifications(buffering: .newest(4096)), format: format, peripheral: peripheral)
    }

    /// Sends a frame, in as many writes as it needs.
    public func send(header: [UInt8] = [], payload: [UInt8] = []) async throws(BluetoothError) {
        let bytes = format.frame(header: header, payload: payload)
        let type: WriteType = receive.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
        let size = max(1, min(peripheral.maximumWriteLength(for: .withoutResponse), bytes.count))
        var rest = bytes[...]
        while !rest.isEmpty {
            try await receive.write(Array(rest.prefix(size)), type: type)
            rest = rest.dropFirst(size)
        }
    }
}

/// Frames as they arrive, and what was dropped between them.
public struct FrameEvents: AsyncSequence, Sendable {
    /// What iterating can throw.
    public typealias Failure = BluetoothError
    let bytes: BluetoothStream<[UInt8]>
    let format: FrameFormat
    let peripheral: Peripheral

    /// How many notifications with parts of frames were dropped because the consumer was too slow.
    public var droppedCount: Int { bytes.droppedCount }

    /// The iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes.makeAsyncIterator(), reader: FrameReader(format), peripheral: peripheral)
    }

    /// Iterates over ``FrameEvents``.
    public struct Iterator: AsyncIteratorProtocol {
        var bytes: BluetoothStream<[UInt8]>.Iterator
        var reader: FrameReader
        let peripheral: Peripheral
        var waiting: [FrameReader.Event] = []

        /// The next event; nil when the stream is over.
        public mutating func next() async throws(BluetoothError) -> FrameReader.Event? {
            while waiting.isEmpty {
                // Only a frame that has begun can take too long.
                if reader.pendingCount == 0 {
                    guard let next = try await bytes.next() else { return nil }
                    waiting = reader.read(next)
                    continue
                }
                switch try await bytes.next(within: reader.format.patience, of: peripheral) {
                case .value(let next): waiting = reader.read(next)
                case .silence: waiting = reader.giveUp()
                case .end:
                    waiting = reader.giveUp()
                    if waiting.isEmpty { return nil }
                }
            }
            return waiting.removeFirst()
        }

        /// The next event; nil when the stream is over.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError)
            -> FrameReader.Event?
        {
            try await next()
        }
    }
}

import BluetoothProfiles
import Harald

/// A bidirectional link of frames over a serial service of a connected device.
public struct FramedLink: Sendable {
    /// The connected peripheral.
    public let peripheral: Peripheral
    /// The layout of the frames.
    public let format: FrameFormat
    private let receive: Characteristic
    private let transmit: Characteristic

    /// Discovers `service` and creates a link over it.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device does not have the service or one of its
    ///   characteristics, or the error of the discovery.
    public init(
        _ peripheral: Peripheral, _ service: SerialService = .isscTransparentUART, format: FrameFormat
    ) async throws(BluetoothError) {
        self.peripheral = peripheral
        self.format = format
        receive = try await peripheral.characteristic(AttributeKey(service.service), AttributeKey(service.receive))
        transmit = try await peripheral.characteristic(AttributeKey(service.service), AttributeKey(service.transmit))
    }

    /// Subscribes and returns the frames that arrive from now on, and the bytes that were dropped between them. A frame
    /// that pauses for longer than ``FrameFormat/patience`` is dropped.
    public func events() -> FrameEvents {
        FrameEvents(bytes: transmit.notifications(buffering: .newest(4096)), format: format, peripheral: peripheral)
    }

    /// Sends a frame, split into as many writes as it needs.
    /// - Parameter payload: at most ``FrameFormat/longestPayload`` bytes.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the payload is too long, or of the write that
    ///   failed; part of the frame may have been sent then.
    public func send(header: [UInt8] = [], payload: [UInt8] = []) async throws(BluetoothError) {
        let bytes: [UInt8]
        do throws(ValueError) { bytes = try format.checkedFrame(header: header, payload: payload) } catch {
            throw BluetoothError(.invalidArgument, operation: "send a frame", reason: "\(error)")
        }
        let type: WriteType = receive.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
        let size = max(1, min(peripheral.maximumWriteLength(for: .withoutResponse), bytes.count))
        var rest = bytes[...]
        while !rest.isEmpty {
            try await receive.write(Array(rest.prefix(size)), type: type)
            rest = rest.dropFirst(size)
        }
    }
}

/// A sequence of received frames and of the bytes that were dropped between them.
public struct FrameEvents: AsyncSequence, Sendable {
    /// The error that iteration throws.
    public typealias Failure = BluetoothError
    let bytes: BluetoothStream<[UInt8]>
    let format: FrameFormat
    let peripheral: Peripheral

    /// The number of notifications that were dropped because the consumer was too slow.
    public var droppedCount: Int { bytes.droppedCount }

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes.makeAsyncIterator(), reader: FrameReader(format), peripheral: peripheral)
    }

    /// Iterates over ``FrameEvents``.
    public struct Iterator: AsyncIteratorProtocol {
        var bytes: BluetoothStream<[UInt8]>.Iterator
        var reader: FrameReader
        let peripheral: Peripheral
        var waiting: [FrameReader.Event] = []

        /// Returns the next event; nil after the end of the stream.
        /// - Throws: the ``BluetoothError`` that ended the subscription.
        public mutating func next() async throws(BluetoothError) -> FrameReader.Event? {
            while waiting.isEmpty {
                // Only an incomplete frame can time out.
                if reader.pendingCount == 0 {
                    guard let next = try await bytes.next() else { return nil }
                    waiting = reader.read(next)
                    continue
                }
                switch try await bytes.next(within: reader.format.patience, clock: peripheral.clock) {
                case .value(let next): waiting = reader.read(next)
                case .silence: waiting = reader.giveUp()
                case .end:
                    waiting = reader.giveUp()
                    if waiting.isEmpty { return nil }
                }
            }
            return waiting.removeFirst()
        }

        /// Returns the next event; nil after the end of the stream.
        /// - Throws: the ``BluetoothError`` that ended the subscription.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError)
            -> FrameReader.Event?
        {
            try await next()
        }
    }
}

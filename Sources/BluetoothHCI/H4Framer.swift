import BluetoothModel

/// Splits a byte stream into H4 packets, independent of its chunks.
///
/// A packet that is contained in one chunk is passed on in place. Only a packet that spans chunks is buffered, with at
/// most ``H4/maximumPacketLength`` bytes. After an error the framer ignores all input until ``reset()``.
public struct H4Framer {
    private var pending: [UInt8] = []
    private var error: H4FramingError?

    /// Creates a framer at the start of a stream.
    public init() {}

    /// The number of buffered bytes of an incomplete packet.
    public var pendingCount: Int { pending.count }

    /// Discards an incomplete packet and an error, for the start of a new stream.
    public mutating func reset() {
        pending.removeAll(keepingCapacity: true)
        error = nil
    }

    /// Processes the next bytes of the stream and calls `packet` with each packet that they complete. The view is valid
    /// only during that call.
    ///
    /// - Returns: The error that ended the stream, now or earlier; packets before it were passed on.
    @discardableResult
    public mutating func receive(
        _ chunk: UnsafeRawBufferPointer, packet: (ByteView) -> Void
    ) -> H4FramingError? {
        if let error { return error }
        var rest = ByteView(chunk)
        do throws(H4FramingError) {
            if !pending.isEmpty {
                guard try collect(from: &rest) else { return nil }
                pending.withByteView(packet)
                pending.removeAll(keepingCapacity: true)
            }
            while let length = try H4.packetLength(of: rest), length <= rest.count {
                packet(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
        } catch {
            self.error = error
            return error
        }
        if !rest.isEmpty { pending.append(contentsOf: rest.unsafeBytes) }
        return nil
    }

    /// Moves bytes from `rest` to the incomplete packet; returns true once the packet is complete.
    /// - Throws: ``H4FramingError`` if the packet type is invalid.
    private mutating func collect(from rest: inout ByteView) throws(H4FramingError) -> Bool {
        // Two rounds: first the header, then the payload, whose length is in the header.
        for _ in 0..<2 {
            let missing = try missingCount()
            guard missing > 0 else { break }
            pending.append(contentsOf: rest.prefix(missing).unsafeBytes)
            rest = rest.dropFirst(missing)
        }
        return try missingCount() == 0
    }

    /// Returns the number of bytes missing from the header, or from the packet once its header is complete.
    /// - Throws: ``H4FramingError`` if the packet type is invalid.
    private func missingCount() throws(H4FramingError) -> Int {
        let length = pending.withByteView { bytes in
            Result { () throws(H4FramingError) in try H4.packetLength(of: bytes) }
        }
        if let total = try length.get() { return total - pending.count }
        guard let type = HCIPacketType(rawValue: pending[0]) else { throw H4FramingError(type: pending[0]) }
        return type.headerLength - pending.count
    }
}

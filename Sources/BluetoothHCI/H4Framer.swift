import BluetoothModel

/// Cuts a byte stream into H4 packets, however the stream was chunked.
///
/// A packet that lies whole in a chunk is handed on in place; only one that spans chunks is collected, and that takes
/// no more than ``H4/maximumPacketLength`` bytes. After an error the framer takes nothing until ``reset()``.
public struct H4Framer {
    private var pending: [UInt8] = []
    private var error: H4FramingError?

    /// A framer at the start of a stream.
    public init() {}

    /// How many bytes of an incomplete packet wait for the rest.
    public var pendingCount: Int { pending.count }

    /// Forgets an incomplete packet and an error: the stream begins anew.
    public mutating func reset() {
        pending.removeAll(keepingCapacity: true)
        error = nil
    }

    /// Takes the next bytes of the stream and calls `packet` with each packet that they complete; the view is valid
    /// during that call only.
    ///
    /// - Returns: the error that ended the stream, now or earlier; packets before it were handed on.
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

    /// Moves bytes from `rest` to the incomplete packet; true once it is complete.
    private mutating func collect(from rest: inout ByteView) throws(H4FramingError) -> Bool {
        // Twice: the header first, then the payload whose length the header tells.
        for _ in 0..<2 {
            let missing = try missingCount()
            guard missing > 0 else { break }
            pending.append(contentsOf: rest.prefix(missing).unsafeBytes)
            rest = rest.dropFirst(missing)
        }
        return try missingCount() == 0
    }

    /// How many bytes the header, or with a complete header the packet, still lacks.
    private func missingCount() throws(H4FramingError) -> Int {
        let length = pending.withByteView { bytes in
            Result { () throws(H4FramingError) in try H4.packetLength(of: bytes) }
        }
        if let total = try length.get() { return total - pending.count }
        guard let type = HCIPacketType(rawValue: pending[0]) else { throw H4FramingError(type: pending[0]) }
        return type.headerLength - pending.count
    }
}

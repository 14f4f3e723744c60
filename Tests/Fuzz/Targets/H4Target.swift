import BluetoothHCI
import BluetoothModel

extension FuzzTarget {
    /// A byte stream in chunks. The first byte determines the length of the chunks.
    ///
    /// The packets are the same however the stream is split; each is whole; packets and pending bytes together are the
    /// stream.
    static let h4 = FuzzTarget(
        "h4", "H4 framing", maximumLength: 512,
        seeds: {
            [
                [0x00, 0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00],
                [0x03, 0x04, 0x13, 0x05, 0x01, 0x40, 0x00, 0x01, 0x00, 0x02, 0x40, 0x20, 0x03, 0x00, 1, 2, 3],
                [0x01, 0x01, 0x03, 0x0C, 0x00, 0x05, 0x40, 0x00, 0x02, 0x40, 9, 9, 0x03, 0x40, 0x00, 0x01, 7],
                [0x02, 0x04, 0x0F, 0x04, 0x00, 0x01, 0x05, 0x20, 0x09, 0x01],
            ]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let step = Int(input.uint8()) + 1
            let stream = input.rest()
            let whole = H4Result(stream, step: max(1, stream.count))
            let cut = H4Result(stream, step: step)
            try require(whole.packets == cut.packets, "the packets depend on the chunks: \(whole) \(cut)")
            try require(whole.error == cut.error, "the error depends on the chunks: \(whole) \(cut)")
            if whole.error == nil {
                try require(whole.pending == cut.pending, "the pending bytes depend on the chunks: \(whole) \(cut)")
                let taken = whole.packets.reduce(0) { $0 + $1.count }
                try require(taken + whole.pending == stream.count, "bytes were lost: \(whole)")
            }
            try require(stream.starts(with: whole.packets.joined()), "the packets are not the stream: \(whole)")
            for packet in whole.packets {
                try require(packet.withByteView { H4.isWholePacket($0) }, "not whole: \(packet.hexText())")
                try header(packet)
            }
        })

    /// A header is written as it was read.
    private static func header(_ packet: [UInt8]) throws(Finding) {
        guard let header = packet.withByteView({ ACLHeader($0) }) else {
            return try require(packet[0] != 2, "a whole ACL packet without a header: \(packet.hexText())")
        }
        var writer = ByteWriter()
        header.write(to: &writer)
        try require(packet.starts(with: writer.bytes), "\(packet.hexText()) became \(writer.bytes.hexText())")
    }
}

/// The packets that a framer decoded from a stream.
private struct H4Result {
    var packets: [[UInt8]] = []
    var error: H4FramingError?
    var pending = 0

    init(_ stream: [UInt8], step: Int) {
        var framer = H4Framer()
        for start in stride(from: 0, to: stream.count, by: step) {
            let chunk = stream[start..<min(start + step, stream.count)]
            error = chunk.withUnsafeBytes { chunk in framer.receive(chunk) { packets.append($0.array) } }
        }
        pending = framer.pendingCount
    }
}

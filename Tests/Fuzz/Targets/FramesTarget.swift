import BluetoothModel
import HaraldDevices

extension FuzzTarget {
    /// Frames of devices in pieces. The first bytes choose the format and the length of the pieces.
    ///
    /// Invariants: frames and dropped bytes add up to the stream for all pieces; at most one frame is buffered.
    static let frames = FuzzTarget(
        "frames", "frames of devices", maximumLength: 256,
        seeds: {
            formats.indices.flatMap { index in
                let frame = formats[index].frame(header: [1, 2], payload: [7, 8, 9])
                return [
                    [UInt8(index), 0] + frame, [UInt8(index), 3, 0x55] + frame + frame,
                    [UInt8(index), 1] + frame.dropLast(),
                ]
            }
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let format = input.element(of: formats)
            let step = Int(input.uint8()) + 1
            let stream = input.rest()
            let whole = try FrameResult(stream, format, step: max(1, stream.count))
            let cut = try FrameResult(stream, format, step: step)
            try require(whole.frames == cut.frames, "the frames depend on the chunks")
            try require(whole.dropped == cut.dropped, "the dropped bytes depend on the chunks")
            let taken = whole.frames.reduce(0) { $0 + $1.bytes.count }
            try require(taken + whole.dropped == stream.count, "\(taken) and \(whole.dropped) of \(stream.count) bytes")
            for frame in whole.frames {
                let again = format.frame(header: frame.header, payload: frame.payload)
                if case .any = format.trailer { continue }
                // Bytes between the length and the payload are not kept.
                guard format.payloadAt == format.lengthAt + format.lengthBytes else { continue }
                try require(again == frame.bytes, "\(frame.bytes.hexText()) became \(again.hexText())")
            }
        })

    private static let formats = [
        FrameFormat(longestPayload: 32),
        FrameFormat(start: [0x55, 0xAA], lengthAt: 4, payloadAt: 6, overhead: 8, trailer: .sum16, longestPayload: 40),
        FrameFormat(
            start: [0x02], lengthAt: 1, lengthBytes: 1, payloadAt: 2, overhead: 3, trailer: .xor8, longestPayload: 255),
        FrameFormat(
            lengthAt: 0, lengthBytes: 4, isBigEndian: false, payloadAt: 6, overhead: 8, trailer: .bytes([13, 10]),
            longestPayload: 64),
    ]
}

/// The frames that a reader decoded from a stream, and the state at its end.
private struct FrameResult {
    var frames: [Frame] = []
    var dropped = 0

    init(_ stream: [UInt8], _ format: FrameFormat, step: Int) throws(Finding) {
        var reader = FrameReader(format)
        for start in stride(from: 0, to: stream.count, by: step) {
            add(reader.read(stream[start..<min(start + step, stream.count)]))
            try require(reader.pendingCount <= format.longestFrame, "\(reader.pendingCount) bytes wait")
        }
        add(reader.giveUp())
        try require(reader.droppedCount == dropped, "\(reader.droppedCount) dropped, said \(dropped)")
        try require(reader.pendingCount == 0, "\(reader.pendingCount) bytes are left")
    }

    private mutating func add(_ events: [FrameReader.Event]) {
        for event in events {
            switch event {
            case .frame(let frame): frames.append(frame)
            case .dropped(let some): dropped += some.count
            }
        }
    }
}

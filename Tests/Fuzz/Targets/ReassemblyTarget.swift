import BluetoothHCI
import BluetoothHost
import BluetoothModel

extension FuzzTarget {
    /// ACL fragments of one link, each with its boundary flag and its length in front.
    ///
    /// The frames are those that a plain reading of the specification finds, and no more is kept than the limit.
    static let reassembly = FuzzTarget(
        "reassembly", "L2CAP frames from ACL packets", maximumLength: 1024,
        seeds: {
            [
                [0, 7, 3, 0, 4, 0, 2, 0x17, 0], [0, 4, 5, 0, 4, 0, 1, 5, 1, 2, 3, 4, 5], [1, 2, 1, 1],
                [0, 1, 5, 1, 3, 0, 4, 0, 1, 5, 1, 2, 3, 4, 5, 0, 5, 1, 0, 6, 0, 9],
                [0, 6, 0xFF, 0x7F, 4, 0, 1, 2, 1, 2, 3, 4],
            ]
        },
        run: { (view) throws(Finding) in
            let limit = 64
            var input = FuzzInput(view)
            let reassembler = FrameReassembler(limit: limit)
            var model: [UInt8]?
            while !input.isAtEnd {
                let isFirst = input.uint8() & 3 != 1
                let data = input.counted()
                var found: [UInt8]?
                switch data.withByteView({ isFirst ? reassembler.begin($0) : reassembler.proceed($0) }) {
                case .whole:
                    let frame = reassembler.take()
                    found = frame
                    reassembler.reuse(frame)
                case .incomplete, .broken, nil: break
                }
                if isFirst { model = [] }
                model? += data
                let expected = complete(&model, limit: limit)
                try require(found == expected, "\(found ?? []) instead of \(expected ?? [])")
                try require(reassembler.isCollecting == (model != nil), "collecting: \(reassembler.isCollecting)")
            }
        })

    /// Returns the complete frame; drops data that is no frame, or cannot become one.
    private static func complete(_ model: inout [UInt8]?, limit: Int) -> [UInt8]? {
        guard let bytes = model else { return nil }
        if bytes.count >= 4 {
            let length = 4 + Int(bytes[0]) + Int(bytes[1]) * 256
            if bytes.count == length, length <= limit {
                model = nil
                return bytes
            }
            if bytes.count > length || length > limit { model = nil }
        }
        if bytes.count > limit { model = nil }
        return nil
    }
}

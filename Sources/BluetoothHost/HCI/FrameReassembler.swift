import BluetoothModel

/// Reassembles the L2CAP frames of one link from ACL packets (Core 6.0, Vol 3, Part A, 7.2.2).
package final class FrameReassembler {
    /// The result of adding a fragment.
    package enum Outcome {
        /// More fragments are necessary.
        case incomplete
        /// The frame is complete and can be taken.
        case whole
        /// The fragment is invalid; it was dropped together with earlier fragments of its frame.
        case broken
    }

    private enum State {
        case idle
        case collecting
        /// Further fragments of a broken frame are dropped without a report.
        case skipping
    }

    private let limit: Int
    private var state = State.idle { didSet { isWithinFrame = state == .collecting } }
    /// The value of ``isCollecting``. Every packet reads it: a property with `package` access would be checked for
    /// overlapping access at run time.
    private(set) var isWithinFrame = false
    private var frame: [UInt8] = []

    /// Creates a reassembler of frames of at most `limit` bytes, including the header.
    package init(limit: Int) { self.limit = limit }

    /// True while a frame is incomplete.
    package var isCollecting: Bool { isWithinFrame }

    /// Adds the first fragment of a frame. Call ``abandon()`` first if an earlier frame is incomplete.
    package func begin(_ data: ByteView) -> Outcome {
        frame.removeAll(keepingCapacity: true)
        state = .collecting
        return add(data)
    }

    /// Adds a continuing fragment; returns nil for one of a broken frame.
    package func proceed(_ data: ByteView) -> Outcome? {
        switch state {
        case .idle: return .broken
        case .skipping: return nil
        case .collecting: return add(data)
        }
    }

    /// Drops an incomplete frame.
    package func abandon() {
        state = .idle
        frame.removeAll(keepingCapacity: true)
    }

    /// Removes and returns the complete frame with its header. Return its memory with ``reuse(_:)``.
    package func take() -> [UInt8] {
        state = .idle
        var taken: [UInt8] = []
        swap(&taken, &frame)
        return taken
    }

    /// Keeps the memory of a frame for the next one, unless its capacity exceeds 4096 bytes.
    package func reuse(_ memory: [UInt8]) {
        guard frame.isEmpty, case .idle = state, memory.capacity <= 4096 else { return }
        frame = memory
        frame.removeAll(keepingCapacity: true)
    }

    private func add(_ data: ByteView) -> Outcome {
        guard frame.count + data.count <= limit else { return fail() }
        frame.append(contentsOf: data.unsafeBytes)
        guard frame.count >= 4 else { return .incomplete }
        let length = 4 + Int(frame[0]) + Int(frame[1]) << 8
        if length > limit || frame.count > length { return fail() }
        return frame.count == length ? .whole : .incomplete
    }

    private func fail() -> Outcome {
        abandon()
        state = .skipping
        return .broken
    }
}

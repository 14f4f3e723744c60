import BluetoothModel

/// Puts the L2CAP frames of one link together from the controller's packets (Core 6.0, Vol 3, Part A, 7.2.2).
package final class FrameReassembler {
    /// What a fragment led to.
    package enum Outcome {
        /// The frame needs more.
        case incomplete
        /// The frame is whole and can be taken.
        case whole
        /// The fragment does not fit: it, and what came of its frame before, is dropped.
        case broken
    }

    private enum State {
        case idle
        case collecting
        /// The rest of a broken frame is dropped in silence.
        case skipping
    }

    private let limit: Int
    private var state = State.idle { didSet { isCollecting = state == .collecting } }
    private var frame: [UInt8] = []

    /// A reassembler of frames of at most `limit` bytes, header included.
    package init(limit: Int) { self.limit = limit }

    /// Whether a frame is begun and not ended.
    package private(set) var isCollecting = false

    /// Takes a packet that begins a frame. Call ``abandon()`` before where one is begun already.
    package func begin(_ data: ByteView) -> Outcome {
        frame.removeAll(keepingCapacity: true)
        state = .collecting
        return add(data)
    }

    /// Takes a packet that goes on with a frame.
    package func proceed(_ data: ByteView) -> Outcome? {
        switch state {
        case .idle: return .broken
        case .skipping: return nil
        case .collecting: return add(data)
        }
    }

    /// Drops a frame that is begun and not ended.
    func abandon() {
        state = .idle
        frame.removeAll(keepingCapacity: true)
    }

    /// The whole frame with its header; give it back with ``reuse(_:)``.
    package func take() -> [UInt8] {
        state = .idle
        var taken: [UInt8] = []
        swap(&taken, &frame)
        return taken
    }

    /// Keeps the memory of a frame for the next one, unless it is large.
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

import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// A link whose other side is the input, with time that the input moves.
final class FuzzLink: LinkTransmitter {
    /// A frame that was sent.
    struct Frame {
        var cid: UInt16
        var bytes: [UInt8]
    }

    let handle: UInt16 = 0x0040
    let role: LinkRole
    let hostTime = HostTime()
    var security = LinkSecurity()
    /// The number of frames of values that the link takes before it is full.
    var room = Int.max
    var acceptsParameters = true
    /// The frames sent since the last ``take()``.
    private(set) var frames: [Frame] = []
    /// The reason with which this side disconnected the link; nil if it did not.
    private(set) var disconnection: HCIStatus?

    init(role: LinkRole) { self.role = role }

    var hasRoom: Bool { room > 0 }

    func send(cid: UInt16, _ payload: ByteView) { frames.append(Frame(cid: cid, bytes: payload.array)) }

    func sendValue(cid: UInt16, _ payload: ByteView) {
        send(cid: cid, payload)
        if room != .max { room = max(0, room - 1) }
    }

    func disconnect(reason: HCIStatus) { disconnection = reason }

    func connectionParametersRequested(_ request: ConnectionParametersRequest) -> Bool { acceptsParameters }

    func take() -> [Frame] {
        defer { frames = [] }
        return frames
    }

    /// Advances the time, with a stop at each deadline. Deadlines that follow each other without end are a finding.
    func advance(by duration: Duration) throws(Finding) {
        let target = now + duration
        var steps = 0
        while let next = timers.nextDeadline, next <= target {
            steps += 1
            try require(steps < 10_000, "a timer fires repeatedly")
            hostTime.current = max(now, next)
            timers.fire(upTo: now)
        }
        hostTime.current = target
    }
}

/// Operations that began, and how often each ended.
final class Endings {
    private(set) var counts: [Int] = []

    /// Begins one; call the result when it ends.
    func begin() -> () -> Void {
        let index = counts.count
        counts.append(0)
        return { [self] in counts[index] += 1 }
    }

    /// Nothing ended twice; with `all` everything ended.
    func check(all: Bool) throws(Finding) {
        for (index, count) in counts.enumerated() {
            try require(count <= 1, "operation \(index) ended \(count) times")
            try require(count == 1 || !all, "operation \(index) never ended")
        }
    }
}

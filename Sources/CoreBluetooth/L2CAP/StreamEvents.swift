import CoreFoundation
import Foundation

/// What the two streams of a channel have in common: how far a stream is, and its events, which come to its delegate on the
/// run loops that it is scheduled on.
///
/// The streams of Foundation deliver none on Linux, so this does: a block on the run loop for each event, and a push that
/// wakes the run loop where it sleeps.
///
/// `@unchecked Sendable`: everything but `stream` is behind `lock`; `stream` is set before anybody else knows the object.
final class StreamEvents: @unchecked Sendable {
    private struct Place {
        let runLoop: RunLoop
        let mode: RunLoop.Mode
        /// Nil where the run loop is another thread's: a timer wakes that one.
        let wakeable: CFRunLoop?
        /// A run loop with nothing in it does not wait: this never fires, and keeps it waiting.
        let presence: Timer
    }

    weak var stream: Stream?
    private let lock = NSLock()
    private var places: [Place] = []
    private var pending: Stream.Event = []
    private weak var ownDelegate: (any StreamDelegate)?
    private var phase = Stream.Status.notOpen

    var delegate: (any StreamDelegate)? {
        get { locked { ownDelegate } }
        set { locked { ownDelegate = newValue } }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    var isOpen: Bool { locked { phase == .open } }

    /// How far the stream is, with what its channel says.
    func status(of streams: ChannelStreams?, isOver: (ChannelStreams) -> Bool) -> Stream.Status {
        let phase = locked { self.phase }
        guard phase == .open else { return phase }
        guard let streams else { return .closed }
        if !isOver(streams) { return .open }
        return streams.error == nil ? .atEnd : .error
    }

    /// The stream is opened: what it can tell from now on. Once; nothing happens afterwards.
    func open(_ events: Stream.Event...) {
        let isNew = locked { () -> Bool in
            defer { if phase == .notOpen { phase = .open } }
            return phase == .notOpen
        }
        if isNew { for event in events { post(event) } }
    }

    func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        let wakeable: CFRunLoop? =
            runLoop === RunLoop.current ? CFRunLoopGetCurrent() : runLoop === RunLoop.main ? CFRunLoopGetMain() : nil
        let presence = Timer(timeInterval: 1e8, repeats: true) { _ in }
        runLoop.add(presence, forMode: mode)
        let events = locked {
            places.append(Place(runLoop: runLoop, mode: mode, wakeable: wakeable, presence: presence))
            return pending
        }
        // What happened before anybody could hear of it.
        if !events.isEmpty { wake() }
    }

    func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        leave { $0.runLoop === runLoop && $0.mode == mode }
    }

    /// The stream was closed: no event follows. Whether it had not been before.
    func close() -> Bool {
        let isNew = locked { () -> Bool in
            defer { phase = .closed }
            return phase != .closed
        }
        leave { _ in true }
        return isNew
    }

    private func leave(_ isLeft: (Place) -> Bool) {
        let left = locked {
            let left = places.filter(isLeft)
            places.removeAll(where: isLeft)
            return left
        }
        for place in left { place.presence.invalidate() }
    }

    /// From any thread. An event that is still on its way is not sent twice.
    func post(_ event: Stream.Event) {
        let isNew = locked {
            defer { pending.formUnion(event) }
            return !pending.contains(event)
        }
        if isNew { wake() }
    }

    private func wake() {
        // One place is enough, as one delegate hears of it.
        guard let place = locked({ places.first }) else { return }
        let events = Transfer(self)
        place.runLoop.perform(inModes: [place.mode]) { events.value.deliver() }
        if let runLoop = place.wakeable {
            CFRunLoopWakeUp(runLoop)
        } else {
            let timer = Timer(timeInterval: 0, repeats: false) { _ in }
            place.runLoop.add(timer, forMode: place.mode)
        }
    }

    /// On the run loop.
    private func deliver() {
        let order: [Stream.Event] = [
            .openCompleted, .hasSpaceAvailable, .hasBytesAvailable, .errorOccurred, .endEncountered,
        ]
        // What came before the stream was opened waits for that.
        guard let stream, stream.streamStatus != .notOpen else { return }
        for event in order {
            let isDue = locked {
                guard !places.isEmpty else { return false }
                return pending.remove(event) != nil
            }
            if isDue { delegate?.stream(stream, handle: event) }
        }
    }
}

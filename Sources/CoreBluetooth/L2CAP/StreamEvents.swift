import CoreFoundation
import Foundation

/// The common part of the two streams of a channel: the status of a stream, and its events, which are delivered to its
/// delegate on the run loops that it is scheduled on.
///
/// Foundation's streams do not deliver events of subclasses on Linux, so this type does: it enqueues a block on the run
/// loop for each event, and wakes the run loop where it sleeps.
///
/// Proof of `@unchecked Sendable`: everything but `stream` is guarded by `lock`; `stream` is set before the object is
/// shared with another thread.
final class StreamEvents: @unchecked Sendable {
    private struct Place {
        let runLoop: RunLoop
        let mode: RunLoop.Mode
        /// Nil if the run loop belongs to another thread: a timer wakes that one.
        let wakeable: CFRunLoop?
        /// A timer that never fires. A run loop without a source or timer returns at once; this one keeps it waiting.
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

    /// Returns the status of the stream, from its own phase and the state of its channel.
    func status(of streams: ChannelStreams?, isOver: (ChannelStreams) -> Bool) -> Stream.Status {
        let phase = locked { self.phase }
        guard phase == .open else { return phase }
        guard let streams else { return .closed }
        if !isOver(streams) { return .open }
        return streams.error == nil ? .atEnd : .error
    }

    /// Opens the stream and posts its first events. Further calls do nothing.
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
        // Events that were posted before the stream was scheduled are delivered now.
        if !events.isEmpty { wake() }
    }

    func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        leave { $0.runLoop === runLoop && $0.mode == mode }
    }

    /// Closes the stream: no event follows. Returns true if it had not been closed before.
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

    /// Posts an event; callable from any thread. An event that is still pending is not posted twice.
    func post(_ event: Stream.Event) {
        let isNew = locked {
            defer { pending.formUnion(event) }
            return !pending.contains(event)
        }
        if isNew { wake() }
    }

    private func wake() {
        // One run loop is enough, because there is one delegate.
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

    /// Delivers pending events. Called on the run loop.
    private func deliver() {
        let order: [Stream.Event] = [
            .openCompleted, .hasSpaceAvailable, .hasBytesAvailable, .errorOccurred, .endEncountered,
        ]
        // Events posted before the stream was opened stay pending until then.
        guard let stream, stream.streamStatus != .notOpen else { return }
        for event in order {
            let isDue = locked {
                guard !places.isEmpty else { return false }
                return pending.remove(event) != nil
            }
            if isDue, holds(event, for: stream) { delegate?.stream(stream, handle: event) }
        }
    }

    /// Returns false for an event that no longer applies: a delegate that reads or writes then would block.
    private func holds(_ event: Stream.Event, for stream: Stream) -> Bool {
        switch event {
        case .hasBytesAvailable: (stream as? InputStream)?.hasBytesAvailable ?? false
        case .hasSpaceAvailable: (stream as? OutputStream)?.hasSpaceAvailable ?? false
        default: true
        }
    }
}

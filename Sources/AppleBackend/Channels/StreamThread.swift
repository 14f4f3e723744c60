import CoreFoundation
import Foundation

/// The thread with the run loop on which the streams of channels are scheduled.
///
/// Proof of `@unchecked Sendable`: the properties are set before the initializer returns, and never changed. Other
/// threads only enqueue a block and wake the run loop, which CoreFoundation permits from any thread.
final class StreamThread: @unchecked Sendable {
    static let shared = StreamThread()

    private var runLoop: RunLoop?
    private var wakeable: CFRunLoop?

    private init() {
        let started = DispatchSemaphore(value: 0)
        let thread = Thread { [self] in
            runLoop = RunLoop.current
            wakeable = CFRunLoopGetCurrent()
            // A run loop without a source or timer ends at once.
            let presence = Timer(timeInterval: 1e8, repeats: true) { _ in }
            RunLoop.current.add(presence, forMode: .default)
            started.signal()
            RunLoop.current.run()
        }
        thread.name = "harald.streams"
        thread.start()
        // Blocks once per program, for a new thread that waits for nothing else.
        started.wait()
    }

    /// Enqueues `body` on the thread.
    func perform(_ body: @escaping @Sendable () -> Void) {
        runLoop?.perform(body)
        if let wakeable { CFRunLoopWakeUp(wakeable) }
    }

    /// Schedules a stream on the thread. To be called on the thread.
    func schedule(_ stream: Stream) { if let runLoop { stream.schedule(in: runLoop, forMode: .default) } }
    func remove(_ stream: Stream) { if let runLoop { stream.remove(from: runLoop, forMode: .default) } }
}

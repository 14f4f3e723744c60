import CoreFoundation
import Foundation

/// The thread with the run loop that the streams of channels are scheduled on.
///
/// `@unchecked Sendable`: what it holds is set before it is handed out, and made for use from any thread.
final class StreamThread: @unchecked Sendable {
    static let shared = StreamThread()

    private var runLoop: RunLoop?
    private var wakeable: CFRunLoop?

    private init() {
        let started = DispatchSemaphore(value: 0)
        let thread = Thread { [self] in
            runLoop = RunLoop.current
            wakeable = CFRunLoopGetCurrent()
            // A run loop with nothing to wait for ends at once.
            let presence = Timer(timeInterval: 1e8, repeats: true) { _ in }
            RunLoop.current.add(presence, forMode: .default)
            started.signal()
            RunLoop.current.run()
        }
        thread.name = "harald.streams"
        thread.start()
        // Once in a program, and the new thread waits for nobody.
        started.wait()
    }

    /// Runs `body` there, soon.
    func perform(_ body: @escaping @Sendable () -> Void) {
        runLoop?.perform(body)
        if let wakeable { CFRunLoopWakeUp(wakeable) }
    }

    /// Has a stream's events delivered there; on the thread.
    func schedule(_ stream: Stream) { if let runLoop { stream.schedule(in: runLoop, forMode: .default) } }
    func remove(_ stream: Stream) { if let runLoop { stream.remove(from: runLoop, forMode: .default) } }
}

import Dispatch

/// Runs asynchronous code from an input, which is synchronous.
enum Blocking {
    /// Proof of `@unchecked Sendable`: the result is written before the semaphore is signalled, and read after it was
    /// awaited.
    private final class Box: @unchecked Sendable {
        var result: Result<Void, any Error> = .success(())
    }

    /// Runs `body` to its end on another thread.
    static func run(_ body: @escaping @Sendable () async throws -> Void) -> Result<Void, any Error> {
        let (box, done) = (Box(), DispatchSemaphore(value: 0))
        Task.detached {
            do { try await body() } catch { box.result = .failure(error) }
            done.signal()
        }
        done.wait()
        return box.result
    }
}

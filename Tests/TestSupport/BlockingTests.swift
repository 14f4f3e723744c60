import Dispatch
import Synchronization
import Testing

/// A thread outside Swift's pool, which has one thread for each processor: a task that blocks it delays no task of the
/// pool.
package final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "own thread")

    /// Creates a thread, which exists while it has jobs.
    package init() {}

    /// For the Swift runtime.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// For tests that wait for a database, or compute for more than a second without suspending: they run on threads
/// outside Swift's pool. On the pool, two of them would stop all other tests, whose time limits do not stop.
package struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
    private static let threads = (0..<8).map { _ in OwnThread() }
    private static let count = Atomic(0)

    /// True: the tests of a suite have the trait too.
    package var isRecursive: Bool { true }

    /// For Swift Testing: runs a test on the next of eight threads.
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).oldValue
        try await withTaskExecutorPreference(Self.threads[number % Self.threads.count]) { try await function() }
    }
}

extension Trait where Self == BlockingTests {
    /// The tests block their thread.
    package static var blocksThread: Self { Self() }
}

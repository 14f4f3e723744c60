import BluetoothRuntime
import CSimulation

/// Runs all work of one world on the calling thread: the loop of the air, and the tasks without a preference for the
/// loop. The seed determines the order. A task that is ready may be overtaken by others, as on several threads.
///
/// Proof of `@unchecked Sendable`: a single thread drives a world, and all of its tasks run on that thread.
final class Scheduler: TaskExecutor, @unchecked Sendable {
    /// The scheduler of the current world; the runtime enqueues its jobs without a reference to one.
    ///
    /// Proof of `nonisolated(unsafe)`: set and read only by the single thread of the program that runs worlds.
    nonisolated(unsafe) private static var current: Scheduler?

    let clock = RadioClock.manual()
    let loop: RadioLoop
    private var jobs: [UnownedJob] = []
    private var generator: SimulationGenerator
    private var sleepers: [Sleeper] = []
    private var sleeperCount: UInt64 = 0
    /// The maximum number of turns without a step of the clock; more count as a livelock.
    private static let turnLimit = 200_000

    private struct Sleeper {
        var time: RadioInstant
        var order: UInt64
        var continuation: UnsafeContinuation<Void, Never>
    }

    /// True if the clock overshoots due times by up to 5 ms.
    private let isLate: Bool

    init(seed: UInt64, isLate: Bool) {
        self.isLate = isLate
        loop = .driven(clock: clock)
        generator = SimulationGenerator(seed: seed, for: "scheduler")
    }

    // MARK: Jobs of tasks

    /// Makes this scheduler receive the jobs of all tasks of the program.
    func takeOver() {
        Self.current = self
        typealias Original = @convention(thin) (UnownedJob) -> Void
        typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
        let hook: Hook = { job, _ in Scheduler.current?.add(job) }
        simulation_global_enqueue_hook().pointee = unsafeBitCast(hook, to: UnsafeMutableRawPointer.self)
    }

    /// Releases the active scheduler after the end of its world.
    static func giveUp() { current = nil }

    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    private func add(_ job: UnownedJob) { jobs.append(job) }

    // MARK: Time

    var now: RadioInstant { clock.now }

    /// Suspends for a duration on the clock of the world.
    func sleep(_ duration: Duration) async {
        await withUnsafeContinuation { continuation in
            sleeperCount += 1
            sleepers.append(Sleeper(time: now + duration, order: sleeperCount, continuation: continuation))
        }
    }

    /// Runs all work that requires no step of the clock. Returns false if it does not end.
    func settle() -> Bool {
        for _ in 0..<Self.turnLimit {
            if !jobs.isEmpty, generator.once(in: 2) || !loop.hasWork {
                jobs.remove(at: generator.below(jobs.count)).runSynchronously(on: asUnownedTaskExecutor())
            } else if loop.hasWork {
                loop.drive()
            } else {
                return true
            }
        }
        return false
    }

    /// Advances the time to `end`, from one due time to the next. `look` is called after each step, and stops the
    /// advance by returning false.
    /// - Returns: true if `end` was reached.
    func advance(to end: RadioInstant, _ look: () -> Bool) -> Bool {
        while true {
            guard settle(), look() else { return false }
            let timer = loop.nextTimer
            let sleeper = sleepers.map(\.time).min()
            guard let next = [timer, sleeper].compactMap({ $0 }).min(), next <= end else { break }
            clock.step(to: isLate ? next + .microseconds(generator.below(5000)) : next)
            wake()
            loop.drive()
        }
        clock.step(to: end)
        return settle() && look()
    }

    private func wake() {
        let due = sleepers.filter { $0.time <= now }.sorted { ($0.time, $0.order) < ($1.time, $1.order) }
        sleepers.removeAll { $0.time <= now }
        for sleeper in due { sleeper.continuation.resume() }
    }
}

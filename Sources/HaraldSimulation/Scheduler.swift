import BluetoothRuntime
import CSimulation

/// Runs everything of one world on the thread that calls it: the loop of the air, and the tasks that prefer no loop, in an
/// order that the seed decides. A task that can go on may be overtaken by others, as on several threads.
///
/// `@unchecked Sendable`: one thread alone drives a world, and all of its tasks run on that.
final class Scheduler: TaskExecutor, @unchecked Sendable {
    /// The scheduler of the world that runs; the runtime hands over its jobs without a word about where they belong.
    /// `nonisolated(unsafe)`: set and read by the one thread of the program that runs worlds.
    nonisolated(unsafe) private static var current: Scheduler?

    let clock = RadioClock.manual()
    let loop: RadioLoop
    private var jobs: [UnownedJob] = []
    private var generator: SimulationGenerator
    private var sleepers: [Sleeper] = []
    private var sleeperCount: UInt64 = 0
    /// So many turns without a step of the clock are one too many.
    private static let turnLimit = 200_000

    private struct Sleeper {
        var time: RadioInstant
        var order: UInt64
        var continuation: UnsafeContinuation<Void, Never>
    }

    /// Whether the clock goes past what is due, up to 5 ms.
    private let isLate: Bool

    init(seed: UInt64, isLate: Bool) {
        self.isLate = isLate
        loop = .driven(clock: clock)
        generator = SimulationGenerator(seed: seed, for: "scheduler")
    }

    // MARK: Jobs of tasks

    /// Makes this scheduler the one that gets the jobs of all tasks of the program.
    func takeOver() {
        Self.current = self
        typealias Original = @convention(thin) (UnownedJob) -> Void
        typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
        let hook: Hook = { job, _ in Scheduler.current?.add(job) }
        simulation_global_enqueue_hook().pointee = unsafeBitCast(hook, to: UnsafeMutableRawPointer.self)
    }

    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    private func add(_ job: UnownedJob) { jobs.append(job) }

    // MARK: Time

    var now: RadioInstant { clock.now }

    /// Waits on the clock of the world.
    func sleep(_ duration: Duration) async {
        await withUnsafeContinuation { continuation in
            sleeperCount += 1
            sleepers.append(Sleeper(time: now + duration, order: sleeperCount, continuation: continuation))
        }
    }

    /// Runs everything that can run without a step of the clock; false where that does not end.
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

    /// Lets time pass until `end`, from one thing that is due to the next; `look` is called after each, and ends it with
    /// false.
    /// - Returns: whether `end` was reached.
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

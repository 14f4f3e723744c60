import BluetoothRuntime

/// The result of a program.
struct Verdict: Sendable {
    var failure: Failure?
    /// The simulated time, in seconds.
    var seconds: Double
    var operations: Int
    var faults: Int
    var tally: [Verb: Int]
    var hash: UInt64

    /// Runs a program twice. Both runs must be identical.
    init(of program: Program) {
        let (first, hash, trace) = Self.once(program)
        self = first
        guard failure == nil else { return }
        let (second, again, otherTrace) = Self.once(program)
        guard hash != again || second.failure != failure else { return }
        let place = Trace.difference(trace, otherTrace) ?? 0
        failure = Failure(
            invariant: .replay, step: 0, time: 0,
            detail: "two runs differ from event \(place) of \(trace.marks.count) and \(otherTrace.marks.count)")
    }

    private init(_ world: World) {
        failure = world.failure
        seconds = Double(world.now.nanoseconds) / 1e9
        tally = world.tally
        operations = world.tally.filter { !$0.key.isFault }.values.reduce(0, +)
        faults = world.tally.filter { $0.key.isFault }.values.reduce(0, +)
        hash = world.trace.hash
    }

    private static func once(_ program: Program) -> (Verdict, UInt64, Trace) {
        var (verdict, trace, scheduler) = ran(program)
        weak let loop = scheduler?.loop
        // The last objects release the loop in work that they enqueue on it. A minute of simulated time runs that work.
        if let scheduler { _ = scheduler.advance(to: scheduler.now + .seconds(60)) { true } }
        scheduler = nil
        Scheduler.giveUp()
        if verdict.failure == nil, loop != nil {
            verdict.failure = Failure(
                invariant: .leftover, step: program.steps.count, time: Int64(verdict.seconds * 1e9),
                detail: "everything is closed and released, but an object still references the loop of the adapters")
        }
        return (verdict, trace.hash, trace)
    }

    private static func ran(_ program: Program) -> (Verdict, Trace, Scheduler?) {
        let world = World(program)
        world.run()
        return (Verdict(world), world.trace, world.scheduler)
    }
}

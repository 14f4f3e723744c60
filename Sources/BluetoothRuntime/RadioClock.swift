import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The clock of an adapter, used by the stack and by the timeouts of the public APIs.
///
/// It runs in real time, faster than real time, or is stepped by a test with ``advance(by:)``. Real time does not
/// advance while the machine sleeps; neither does the adapter.
public final class RadioClock: Sendable {
    private enum Kind {
        /// Real time since `start`, in nanoseconds of the system's monotonic clock.
        case running(start: Int64, factor: Double)
        case stepped
    }

    private struct Stepped {
        var now = RadioInstant.start
        var loops: [WeakLoop] = []
    }

    private struct WeakLoop { weak var loop: RadioLoop? }

    private let kind: Kind
    private let stepped = Mutex(Stepped())

    private init(_ kind: Kind) { self.kind = kind }

    /// Real time.
    public static let real = RadioClock(.running(start: monotonicNanoseconds(), factor: 1))

    /// Returns a clock that runs `factor` times as fast as real time.
    public static func faster(by factor: Double) -> RadioClock {
        precondition(factor > 0, "the factor of a clock must be positive")
        return RadioClock(.running(start: monotonicNanoseconds(), factor: factor))
    }

    /// Returns a manual clock, which advances only with ``advance(by:)``.
    public static func manual() -> RadioClock { RadioClock(.stepped) }

    /// The current time.
    public var now: RadioInstant {
        switch kind {
        case .running(let start, let factor):
            let elapsed = Self.monotonicNanoseconds() - start
            return RadioInstant(nanoseconds: factor == 1 ? elapsed : Int64(Double(elapsed) * factor))
        case .stepped:
            return stepped.withLock { $0.now }
        }
    }

    /// True for a manual clock.
    package var isManual: Bool {
        if case .stepped = kind { true } else { false }
    }

    /// Returns the real nanoseconds from `now` until `instant`; nil if only a step reaches it.
    func realNanoseconds(from now: RadioInstant, until instant: RadioInstant) -> Int64? {
        guard case .running(_, let factor) = kind else { return instant <= now ? 0 : nil }
        let (difference, overflow) = instant.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
        guard !overflow else { return .max }
        let left = max(0, difference)
        // Rounded up so that a wait never ends before the deadline.
        return factor == 1 ? left : Int64(min(Double(left) / factor + 1, 9e18))
    }

    func add(_ loop: RadioLoop) {
        guard case .stepped = kind else { return }
        stepped.withLock { state in
            state.loops.removeAll { $0.loop == nil }
            state.loops.append(WeakLoop(loop: loop))
        }
    }

    /// Advances a manual clock, with a stop at each deadline so that timers fire in order.
    ///
    /// Before each stop, and at the end, the loops on this clock complete their pending work. Deadlines in the past
    /// fire too.
    public func advance(by duration: Duration) async {
        checkIsManual()
        let target = now + duration
        while true {
            let loops = stepped.withLock { $0.loops.compactMap(\.loop) }
            var next: RadioInstant?
            for loop in loops {
                guard let deadline = await loop.settledDeadline() else { continue }
                next = min(next ?? deadline, deadline)
            }
            guard let next, next <= target else { break }
            stepped.withLock { $0.now = max($0.now, next) }
            for loop in loops { await loop.run { loop.fireTimers() } }
        }
        stepped.withLock { $0.now = max($0.now, target) }
        let loops = stepped.withLock { $0.loops.compactMap(\.loop) }
        for loop in loops { _ = await loop.settledDeadline() }
    }

    /// Advances a manual clock to `instant`, and does nothing else: the caller drives the loops.
    package func step(to instant: RadioInstant) {
        checkIsManual()
        stepped.withLock { $0.now = max($0.now, instant) }
    }

    /// Stops the program if the clock is not manual.
    private func checkIsManual() {
        // Proof that the program must end: real time cannot be advanced. Only the code that created the clock by
        // `manual()` can know that it may advance it; any other call is a fault in the program.
        guard case .stepped = kind else { preconditionFailure("only a manual clock can be advanced") }
    }

    private static func monotonicNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

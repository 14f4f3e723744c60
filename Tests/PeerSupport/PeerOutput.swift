import Synchronization

/// The output of a peer so far, and the callers that wait for more of it.
///
/// The thread that reads the peer's output adds lines; tests take them out in any order. A line is taken once.
final class PeerOutput: Sendable {
    /// Returns true for the expected line.
    typealias Test = @Sendable (PeerLine) -> Bool

    private struct Waiter {
        let what: String
        let test: Test
        let continuation: CheckedContinuation<PeerLine, any Error>
    }

    private struct State {
        var transcript: [PeerLine] = []
        var untaken: [PeerLine] = []
        var waiters: [Int: Waiter] = [:]
        /// The callers that were cancelled before their continuation was stored.
        var givenUp: [Int: any Error] = [:]
        var streams: [AsyncStream<PeerLine>.Continuation] = []
        var atEnd: [CheckedContinuation<PeerExit, Never>] = []
        var exit: PeerExit?
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    /// All lines so far, as one text.
    var transcript: String {
        state.withLock { $0.transcript.map(\.text).joined(separator: "\n") }
    }

    func add(_ text: String) {
        let line = PeerLine(text)
        let (waiter, streams) = state.withLock { state in
            state.transcript.append(line)
            let first = state.waiters.filter { $0.value.test(line) }.keys.min()
            if first == nil { state.untaken.append(line) }
            return (first.flatMap { state.waiters.removeValue(forKey: $0) }, state.streams)
        }
        waiter?.continuation.resume(returning: line)
        for stream in streams { stream.yield(line) }
    }

    func end(_ exit: PeerExit) {
        let (ended, atEnd, transcript) = state.withLock { state in
            state.exit = exit
            defer {
                state.waiters = [:]
                state.streams = []
                state.atEnd = []
            }
            for stream in state.streams { stream.finish() }
            return (state.waiters.values.map { $0 }, state.atEnd, state.transcript.map(\.text).joined(separator: "\n"))
        }
        for waiter in ended {
            waiter.continuation.resume(throwing: PeerError.ended(exit, waitingFor: waiter.what, transcript: transcript))
        }
        for waiter in atEnd { waiter.resume(returning: exit) }
    }

    /// Returns the first line that was not taken and passes the test, now or later.
    func line(_ what: String, timeout: Duration, where test: @escaping Test) async throws -> PeerLine {
        let identity = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        // The race with the clock: this is a bound on a failure, no test waits for it to pass.
        let bound = Task {
            try await Task.sleep(for: timeout)
            giveUp(identity, PeerError.timeout(waitingFor: what, after: timeout, transcript: transcript))
        }
        defer { bound.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                wait(identity, Waiter(what: what, test: test, continuation: $0))
            }
        } onCancel: {
            giveUp(identity, CancellationError())
        }
    }

    private func wait(_ identity: Int, _ waiter: Waiter) {
        let result: Result<PeerLine, any Error>? = state.withLock { state in
            if let error = state.givenUp.removeValue(forKey: identity) { return .failure(error) }
            if let place = state.untaken.firstIndex(where: waiter.test) {
                return .success(state.untaken.remove(at: place))
            }
            if let exit = state.exit {
                let transcript = state.transcript.map(\.text).joined(separator: "\n")
                return .failure(PeerError.ended(exit, waitingFor: waiter.what, transcript: transcript))
            }
            state.waiters[identity] = waiter
            return nil
        }
        if let result { waiter.continuation.resume(with: result) }
    }

    private func giveUp(_ identity: Int, _ error: any Error) {
        let waiter = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: identity)
            if waiter == nil { state.givenUp[identity] = error }
            return waiter
        }
        waiter?.continuation.resume(throwing: error)
    }

    /// Returns every line from the first on, including those that are taken.
    func lines() -> AsyncStream<PeerLine> {
        let (stream, continuation) = AsyncStream.makeStream(of: PeerLine.self)
        state.withLock { state in
            for line in state.transcript { continuation.yield(line) }
            if state.exit == nil { state.streams.append(continuation) } else { continuation.finish() }
        }
        return stream
    }

    /// Returns the end of the process, once it has ended.
    func exit() async -> PeerExit {
        await withCheckedContinuation { continuation in
            let exit = state.withLock { state in
                if state.exit == nil { state.atEnd.append(continuation) }
                return state.exit
            }
            if let exit { continuation.resume(returning: exit) }
        }
    }
}

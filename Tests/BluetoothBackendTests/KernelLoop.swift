import BackendConformance
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Testing

/// A loop that the test drives: all work runs inside ``run(_:)`` and ``advance(_:)``.
struct KernelLoop {
    let clock = RadioClock.manual()
    let loop: RadioLoop

    init() { loop = RadioLoop.driven(clock: clock) }

    /// Runs `body` as the loop, and then everything that it enqueued.
    func run(_ body: () -> Void) {
        let isEntered = loop.runInline(body)
        #expect(isEntered)
        settle()
    }

    /// Advances the clock, and runs the work that is due.
    func advance(_ duration: Duration) {
        clock.step(to: clock.now + duration)
        settle()
    }

    private func settle() {
        for _ in 0..<100 where loop.hasWork { loop.drive() }
        #expect(!loop.hasWork)
    }
}

/// The results that a caller received; it must receive exactly one.
final class Outcome<Value> {
    private(set) var results: [Result<Value, RadioError>] = []

    var completion: (Result<Value, RadioError>) -> Void { { [self] in results.append($0) } }
    /// The errors of the results; nil for a success.
    var errors: [RadioError?] {
        results.map { if case .failure(let error) = $0 { error } else { nil } }
    }
}

/// A link that supports only sharing.
final class FakeLink: CountedShare, RefusingLink {
    let user: RadioUser?
    weak var observer: (any LinkObserver)?
    var peripheral: PeripheralID { fakeDevice }
    var isConnected: Bool { true }
    var security: LinkSecurity { LinkSecurity() }
    var canWriteWithoutResponse: Bool { false }

    init(_ user: RadioUser? = nil) { self.user = user }

    func refusal<Value>(_ completion: @escaping (Result<Value, RadioError>) -> Void) -> OperationID {
        completion(.failure(.unsupported("a fake link")))
        return OperationID(rawValue: 0)
    }

    func maximumWriteLength(withResponse: Bool) -> Int { 20 }
    func release(completion: @escaping () -> Void) { completion() }
    func cancel(_ operation: OperationID) {}
    func unsubscribe(
        _ subscription: OperationID, timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void
    ) { completion(.success(())) }
}

/// The device that fake backends connect to.
let fakeDevice = PeripheralID(high: 0, low: 1)

import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Testing

/// Tests of several callers that wait for one connection, with a backend that the test controls.
@Suite struct ConnectionCoordinatorTests {
    private final class Driver: ConnectionDriver {
        var unavailableError: RadioError?
        var initialPhase: Int { 0 }
        var refusal: RadioError?
        var established = false
        var begun: [ConnectionAttempt<Int>] = []
        var stopped: [ConnectionAttempt<Int>] = []

        func refusal(of peripheral: PeripheralID, _ request: ConnectRequest) -> RadioError? { refusal }
        func share(of peripheral: PeripheralID, for user: RadioUser?) -> Result<any PeripheralLink, RadioError>? {
            established ? .success(FakeLink(user)) : nil
        }
        func begin(_ attempt: ConnectionAttempt<Int>) { begun.append(attempt) }
        func stop(_ attempt: ConnectionAttempt<Int>) { stopped.append(attempt) }
    }

    private let loop = KernelLoop()
    private let driver = Driver()
    private let coordinator: ConnectionCoordinator<Driver>

    init() { coordinator = ConnectionCoordinator(driver, loop: loop.loop) }

    private typealias Call = (outcome: Outcome<any PeripheralLink>, operation: (any BackendOperation)?)

    private func connect(timeout: Duration? = nil, for user: RadioUser? = nil) -> Call {
        let outcome = Outcome<any PeripheralLink>()
        var operation: (any BackendOperation)?
        loop.run {
            operation = coordinator.connect(
                fakeDevice, ConnectRequest(timeout: timeout), for: user, completion: outcome.completion)
        }
        return (outcome, operation)
    }

    @Test func oneAttemptServesAllCallers() throws {
        let users = [RadioUser(), RadioUser()]
        let calls = users.map { connect(for: $0) }
        #expect(driver.begun.count == 1)
        #expect(
            coordinator.users(waitingFor: fakeDevice).map { $0.map(ObjectIdentifier.init) }
                == users.map { ObjectIdentifier($0) })
        loop.run { coordinator.succeed(driver.begun[0]) { .success(FakeLink($0)) } }
        for (call, user) in zip(calls, users) {
            #expect(call.outcome.results.count == 1)
            let link = try #require(try call.outcome.results.first?.get() as? FakeLink)
            #expect(link.user === user)
        }
        #expect(coordinator.current.isEmpty)
    }

    @Test func theCompletionNeverRunsInsideTheCall() {
        driver.established = true
        let outcome = Outcome<any PeripheralLink>()
        loop.run {
            _ = coordinator.connect(fakeDevice, ConnectRequest(), for: nil, completion: outcome.completion)
            #expect(outcome.results.isEmpty)
        }
        #expect(outcome.errors == [nil])
        #expect(driver.begun.isEmpty)
    }

    @Test func refusalsBeginNothing() {
        driver.refusal = .invalidArgument("no such device")
        #expect(connect().outcome.errors == [.invalidArgument("no such device")])
        driver.unavailableError = .radio(.poweredOff, reason: "off")
        #expect(connect().outcome.errors == [.radio(.poweredOff, reason: "off")])
        #expect(driver.begun.isEmpty)
    }

    @Test func oneOfTwoCancelsAlone() {
        let (first, second) = (connect(), connect())
        loop.run { first.operation?.cancel() }
        #expect(first.outcome.errors == [.cancelled])
        #expect(driver.stopped.isEmpty)
        loop.run { coordinator.fail(driver.begun[0], .timeout) }
        #expect(second.outcome.errors == [.timeout])
        #expect(first.outcome.errors == [.cancelled])
    }

    @Test func theLastCallerWaitsUntilTheBackendHasStopped() {
        let call = connect()
        loop.run { call.operation?.cancel() }
        #expect(driver.stopped.count == 1)
        #expect(call.outcome.results.isEmpty)
        loop.run { call.operation?.cancel() }
        #expect(driver.stopped.count == 1)
        // The link was established before the backend could be stopped.
        loop.run { coordinator.succeed(driver.begun[0]) { .success(FakeLink($0)) } }
        #expect(call.outcome.errors == [.cancelled])
    }

    @Test func eachCallerHasItsOwnTimeout() {
        let (short, long) = (connect(timeout: .seconds(1)), connect(timeout: .seconds(3)))
        loop.advance(.seconds(1))
        #expect(short.outcome.errors == [.timeout])
        #expect(driver.stopped.isEmpty)
        loop.advance(.seconds(2))
        #expect(driver.stopped.count == 1)
        loop.run { coordinator.fail(driver.begun[0], .cancelled) }
        #expect(long.outcome.errors == [.timeout])
    }

    @Test func aCallerThatComesWhileTheBackendStopsGetsANewAttempt() {
        let first = connect()
        loop.run { first.operation?.cancel() }
        let second = connect()
        #expect(driver.begun.count == 1)
        loop.run { coordinator.fail(driver.begun[0], .cancelled) }
        #expect(first.outcome.errors == [.cancelled])
        #expect(second.outcome.results.isEmpty)
        #expect(driver.begun.count == 2)
        loop.run { coordinator.succeed(driver.begun[1]) { .success(FakeLink($0)) } }
        #expect(second.outcome.errors == [nil])
        // The first attempt has ended: its later results have no effect.
        loop.run { coordinator.fail(driver.begun[0], .timeout) }
        #expect(second.outcome.errors == [nil])
    }

    @Test func attemptsAreCountedByTheirResultAndTheirReason() {
        _ = [connect(), connect()]
        loop.run { coordinator.succeed(driver.begun[0]) { .success(FakeLink($0)) } }
        _ = connect()
        loop.run {
            coordinator.willRetry(driver.begun[1], after: "no answer to the first packets")
            coordinator.fail(driver.begun[1], .disconnected(.failedToEstablish))
        }
        // The timeout of the seam, that of its caller, and a cancellation. The result of the backend is no reason.
        for (index, end) in [RadioError.timeout, .timeout, .cancelled].enumerated() {
            let call = connect(timeout: index == 0 ? .seconds(1) : nil)
            if index == 0 { loop.advance(.seconds(1)) } else { loop.run { call.operation?.cancel(because: end) } }
            loop.run { coordinator.fail(driver.begun[2 + index], .notConnected) }
            #expect(call.outcome.errors == [index == 0 ? .timeout : .cancelled])
        }
        _ = connect()
        loop.run { coordinator.end(.radio(.poweredOff, reason: "it was switched off")) }
        let counters = coordinator.counters
        #expect(counters.attempts == 6 && counters.established == 1 && counters.retries == 1)
        #expect(
            counters.failures == [
                .disconnected(.failedToEstablish): 1, .timeout: 2, .cancelled: 1, .radio(.poweredOff, reason: ""): 1,
            ])
    }

    @Test func theEndOfTheAdapterEndsAllCallersOnce() {
        let calls = [connect(timeout: .seconds(1)), connect()]
        driver.unavailableError = .radio(.poweredOff, reason: "off")
        loop.run { coordinator.end(.radio(.poweredOff, reason: "off")) }
        loop.run { coordinator.fail(driver.begun[0], .cancelled) }
        loop.advance(.seconds(5))
        for call in calls { #expect(call.outcome.errors == [.radio(.poweredOff, reason: "off")]) }
        #expect(driver.stopped.count == 1)
    }

    @Test func aCallThatIsCancelledBeforeItBeginsBeginsNothing() {
        let outcome = Outcome<any PeripheralLink>()
        loop.run {
            coordinator.connect(fakeDevice, ConnectRequest(), for: nil, completion: outcome.completion).cancel()
        }
        #expect(outcome.errors == [.cancelled])
        #expect(driver.begun.isEmpty)
    }
}

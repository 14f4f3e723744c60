import BluetoothModel
import BluetoothRuntime
import Logging

/// A backend's part in connecting. Confined to the loop.
package protocol ConnectionDriver: AnyObject {
    /// The progress of an attempt.
    associatedtype Phase

    /// The error of operations while the adapter is not ready; nil when it is.
    var unavailableError: RadioError? { get }
    /// The phase of an attempt that has not begun.
    var initialPhase: Phase { get }
    /// Returns the reason why a device cannot be connected to with this request; nil if it can.
    func refusal(of peripheral: PeripheralID, _ request: ConnectRequest) -> RadioError?
    /// Returns a share of a link that can be used, or the reason why the user gets none; nil if there is no such link.
    func share(of peripheral: PeripheralID, for user: RadioUser?) -> Result<any PeripheralLink, RadioError>?
    /// Begins an attempt, which ends with ``ConnectionCoordinator/succeed(_:_:)`` or
    /// ``ConnectionCoordinator/fail(_:_:)``.
    func begin(_ attempt: ConnectionAttempt<Phase>)
    /// Returns the step on an established link that keeps an attempt from succeeding, as the error of a timeout; nil if
    /// there is no link, or the step is not known.
    func unanswered(_ attempt: ConnectionAttempt<Phase>) -> RadioError?
    /// Stops an attempt that no caller waits for any more; it then fails.
    func stop(_ attempt: ConnectionAttempt<Phase>)
}

extension ConnectionDriver {
    package func unanswered(_ attempt: ConnectionAttempt<Phase>) -> RadioError? { nil }
}

/// The connection attempts of one adapter and the callers that wait for them: one attempt to a device serves all its
/// callers, each with its own timeout and cancellation. Confined to the loop.
package final class ConnectionCoordinator<Driver: ConnectionDriver> {
    package typealias Attempt = ConnectionAttempt<Driver.Phase>

    private let loop: RadioLoop
    private let log: Logger
    private weak var driver: Driver?
    private var attempts: [PeripheralID: Attempt] = [:]
    private var lastNumber = 0
    /// The attempts since the adapter was opened.
    package private(set) var counters = ConnectionCounters()

    /// Creates the coordinator of a backend, which is not retained.
    package init(_ driver: Driver, loop: RadioLoop, log: Logger = Logger(label: "harald.radio")) {
        self.driver = driver
        self.log = log
        self.loop = loop
    }

    // MARK: Callers

    /// Connects to a device, or adds a share of its link; see ``RadioBackend/connect(_:_:for:completion:)``. The
    /// completion never runs inside this call.
    package func connect(
        _ peripheral: PeripheralID, _ request: ConnectRequest, for user: RadioUser?,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation {
        let waiter = Waiter(completion)
        loop.executeNext { [self] in begin(.init(user: user, request: request, waiter: waiter), peripheral) }
        return waiter
    }

    private func begin(_ caller: Attempt.Caller, _ peripheral: PeripheralID) {
        let waiter = caller.waiter
        guard let driver, waiter.wantsResult else { return waiter.end(.failure(.cancelled)) }
        if let error = driver.unavailableError ?? driver.refusal(of: peripheral, caller.request) {
            return waiter.end(.failure(error))
        }
        if let share = driver.share(of: peripheral, for: caller.user) { return waiter.end(share) }
        waiter.onGiveUp = { [weak self] in self?.gaveUp($0, peripheral) }
        waiter.limit(to: caller.request.timeout, on: loop)
        if let attempt = attempts[peripheral] {
            attempt.callers.append(caller)
        } else {
            begin([caller], peripheral)
        }
    }

    private func begin(_ callers: [Attempt.Caller], _ peripheral: PeripheralID) {
        guard let driver else { return }
        lastNumber += 1
        let attempt = Attempt(peripheral, callers, phase: driver.initialPhase, number: lastNumber, began: loop.now)
        attempts[peripheral] = attempt
        counters.attempts += 1
        log.debug("connecting", metadata: metadata(of: attempt))
        driver.begin(attempt)
    }

    /// Completes a caller that cancelled or timed out; the last one stops the backend, and is completed when that is
    /// done.
    private func gaveUp(_ waiter: Waiter<any PeripheralLink>, _ peripheral: PeripheralID) {
        guard let attempt = attempts[peripheral], attempt.isAbandoned else {
            attempts[peripheral]?.callers.removeAll { $0.waiter === waiter }
            return waiter.end(.failure(.cancelled))
        }
        guard !attempt.isStopping else { return }
        var reason = waiter.reason ?? waiter.verdict ?? .cancelled
        if reason == .timeout, let precise = driver?.unanswered(attempt) {
            reason = precise
            waiter.sharpen(precise)
        }
        failed(attempt, reason)
        attempt.isStopping = true
        driver?.stop(attempt)
    }

    /// Returns the users that wait for a device.
    package func users(waitingFor peripheral: PeripheralID) -> [RadioUser?] {
        attempts[peripheral]?.callers.filter(\.waiter.wantsResult).map(\.user) ?? []
    }

    // MARK: The backend

    /// The current attempts, in the order in which they began.
    package var current: [Attempt] { attempts.values.sorted { $0.number < $1.number } }

    /// Returns the current attempt to connect to a device.
    package func attempt(to peripheral: PeripheralID) -> Attempt? { attempts[peripheral] }

    /// Returns true until the attempt has ended.
    package func isCurrent(_ attempt: Attempt) -> Bool { attempts[attempt.peripheral] === attempt }

    /// Ends an attempt: gives each caller that still waits its share of the link.
    package func succeed(
        _ attempt: Attempt, _ share: (RadioUser?) -> Result<any PeripheralLink, RadioError>
    ) {
        guard isCurrent(attempt) else { return }
        attempts[attempt.peripheral] = nil
        if !attempt.isStopping { counters.established += 1 }
        log.debug("connected after \(age(of: attempt))", metadata: metadata(of: attempt))
        for caller in attempt.callers {
            caller.waiter.end(caller.waiter.wantsResult ? share(caller.user) : .failure(.cancelled))
        }
    }

    /// Ends an attempt with an error. Callers that came after the attempt was given up wait for a new one.
    package func fail(_ attempt: Attempt, _ error: RadioError) {
        guard isCurrent(attempt) else { return }
        attempts[attempt.peripheral] = nil
        if !attempt.isStopping { failed(attempt, error) }
        var ended = attempt.callers
        if attempt.isStopping, let driver, driver.unavailableError == nil {
            let late = ended.filter(\.waiter.wantsResult)
            ended.removeAll(where: \.waiter.wantsResult)
            if !late.isEmpty { begin(late, attempt.peripheral) }
        }
        for caller in ended { caller.waiter.end(.failure(error)) }
    }

    /// Counts and logs a further try of an attempt whose link failed to be established.
    package func willRetry(_ attempt: Attempt, after reason: String) {
        attempt.retries -= 1
        counters.retries += 1
        log.notice("\(reason); connecting again", metadata: metadata(of: attempt))
    }

    /// Counts and logs an attempt that ends without a link.
    private func failed(_ attempt: Attempt, _ error: RadioError) {
        counters.failures[error.withoutText, default: 0] += 1
        let hint =
            error == .timeout ? "; is it in range, switched on, and not connected to another central?" : ""
        log.info("connecting failed after \(age(of: attempt)): \(error)\(hint)", metadata: metadata(of: attempt))
    }

    /// The device of an attempt.
    private func metadata(of attempt: Attempt) -> Logger.Metadata {
        ["peer": "\(attempt.peripheral.address.map { "\($0)" } ?? "\(attempt.peripheral)")"]
    }

    /// The time since the start of an attempt, as text.
    private func age(of attempt: Attempt) -> String {
        "\(((loop.now - attempt.began) / .milliseconds(100)).rounded() / 10) s"
    }

    /// Fails all attempts because the adapter is no longer ready.
    package func end(_ error: RadioError) {
        let ended = current
        attempts = [:]
        for attempt in ended {
            if !attempt.isStopping { failed(attempt, error) }
            attempt.isStopping = true
            driver?.stop(attempt)
            for caller in attempt.callers { caller.waiter.end(.failure(error)) }
        }
    }
}

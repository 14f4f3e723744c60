import Adapters
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation
import Logging
import Synchronization

/// The part of a manager that runs on its adapter's loop: it opens the adapter, follows its state, and releases it.
///
/// Proof of `@unchecked Sendable`: `phase`, and the lease in it, is guarded by a mutex; all other mutable state is
/// accessed on the loop only, which exists once the adapter is open.
class ManagerEngine: RadioObserver, @unchecked Sendable {
    private enum Phase {
        case opening
        case open(AdapterLease)
        case closed
    }

    let mailbox: Mailbox
    let setup: ManagerSetup
    private let phase = Mutex(Phase.opening)
    /// The adapter's backend. Accessed on the loop only.
    private(set) var backend: (any RadioBackend)?
    private(set) var state = RadioState.unknown
    /// Logs under the label `harald.corebluetooth`. Accessed on the loop only.
    private(set) var log = Logger(label: "harald.corebluetooth")

    /// - Parameters:
    ///   - queue: the queue of the delegate; nil for the main queue.
    ///   - restoreKey: the key of the restore identifier in `options`.
    init(queue: DispatchQueue?, options: [String: Any]?, restoreKey: String) {
        mailbox = Mailbox(queue: queue ?? .main)
        setup = ManagerSetup(options, restoreKey: restoreKey)
    }

    /// Opens the adapter; its state is reported later.
    func open() {
        Task { [self] in
            do throws(RadioError) {
                let lease = try await AdapterRegistry.shared.open(setup.source, options: setup.options)
                let isWanted = phase.withLock { phase in
                    if case .closed = phase { return false }
                    phase = .open(lease)
                    return true
                }
                guard isWanted else { return await lease.release() }
                lease.loop.execute { self.opened(lease) }
            } catch {
                switch error {
                case .radio(let state, let reason): failed(state, "adapter '\(setup.source)': \(reason)")
                // The reason names the adapter, which HARALD_ADAPTER may have chosen.
                case .invalidArgument(let reason): failed(.unsupported, reason)
                default: failed(.unsupported, "adapter '\(setup.source)': \(error)")
                }
            }
        }
    }

    private func failed(_ state: RadioState, _ notice: String) {
        Misuse.notice(notice)
        mailbox.post { self.deliver(state: CBManagerState(state)) }
    }

    private func opened(_ lease: AdapterLease) {
        if case .closed = phase.withLock({ $0 }) { return }
        let backend = lease.backend.value
        self.backend = backend
        log = Logger(label: "harald.corebluetooth", adapter: backend.adapter)
        backend.addObserver(self)
        prepare(backend)
        follow(backend)
    }

    private func follow(_ backend: any RadioBackend) {
        guard backend.state != state else { return }
        state = backend.state
        log.debug("\(Self.self): the adapter is \(state)")
        if state != .poweredOn, state != .unknown, !backend.stateReason.isEmpty {
            Misuse.notice("adapter '\(setup.source)': \(backend.stateReason)")
        }
        let newState = CBManagerState(state)
        mailbox.post { self.deliver(state: newState) }
        stateChanged(state)
    }

    /// The loop; nil while the adapter is not open.
    var loop: RadioLoop? {
        phase.withLock { if case .open(let lease) = $0 { lease.loop } else { nil } }
    }

    /// Runs `body` on the loop; does nothing while the adapter is not open.
    func execute(_ body: @escaping @Sendable () -> Void) { loop?.execute(body) }

    /// Runs `body` on the loop and blocks until it returned, which takes as long as one turn of the loop; returns nil
    /// if no adapter is open. The loop never blocks on a caller, so this cannot deadlock.
    func ask<Answer>(_ body: @escaping (any RadioBackend) -> Answer) -> Answer? {
        guard let loop else { return nil }
        if loop.isOnLoop { return backend.map(body) }
        let box = AnswerBox<Answer>()
        let question = Transfer(body)
        loop.execute {
            box.answer = self.backend.map(question.value)
            box.given.signal()
        }
        if loop.isDriven {
            // A loop without a thread makes its turns here.
            while box.given.wait(timeout: .now()) == .timedOut { loop.drive() }
        } else {
            box.given.wait()
        }
        return box.answer
    }

    /// Ends all operations and releases the adapter.
    func close() {
        let last = phase.withLock { phase in
            defer { phase = .closed }
            return phase
        }
        mailbox.close()
        guard case .open(let lease) = last else { return }
        lease.loop.execute {
            self.backend?.removeObserver(self)
            self.end {
                self.backend = nil
                Task { await lease.release() }
            }
        }
    }

    /// The adapter's record of this manager, with its pairing handler. Accessed on the loop.
    var user: RadioUser? {
        let user = phase.withLock { phase -> LoopBound<RadioUser>? in
            if case .open(let lease) = phase { lease.user } else { nil }
        }
        return user?.value
    }

    // MARK: Overridden by the two kinds of managers

    /// Called once, on the loop, when the adapter is open.
    func prepare(_ backend: any RadioBackend) {}
    /// Called on the loop when the adapter's state changed; the delivery to the queue is already enqueued.
    func stateChanged(_ state: RadioState) {}
    /// Delivers a state. Called on the queue.
    func deliver(state: CBManagerState) {}
    /// Ends all operations. Called on the loop.
    func end(completion: @escaping () -> Void) { completion() }

    // MARK: The adapter

    func radioStateChanged(_ backend: any RadioBackend) { follow(backend) }
    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}

/// Holds the result of a call on the loop.
///
/// Proof of `@unchecked Sendable`: `answer` is written before the semaphore is signalled, and read after waiting for
/// it.
private final class AnswerBox<Answer>: @unchecked Sendable {
    var answer: Answer?
    let given = DispatchSemaphore(value: 0)
}

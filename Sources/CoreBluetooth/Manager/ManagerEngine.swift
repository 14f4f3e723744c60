import BlueZBackend
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation
import HostBackend
import Synchronization

/// What a manager does on its adapter's loop: opens the adapter, follows its state, and gives it back.
///
/// `@unchecked Sendable`: `phase`, and the lease in it, is behind a mutex; the rest is touched on the loop only, once
/// there is one.
class ManagerEngine: RadioObserver, @unchecked Sendable {
    private enum Phase {
        case opening
        case open(AdapterLease)
        case closed
    }

    let mailbox: Mailbox
    let setup: ManagerSetup
    private let phase = Mutex(Phase.opening)
    /// On the loop.
    private(set) var backend: (any RadioBackend)?
    private(set) var state = RadioState.unknown

    init(mailbox: Mailbox, setup: ManagerSetup) {
        self.mailbox = mailbox
        self.setup = setup
    }

    /// Opens the adapter; the state follows.
    func open() {
        Task { [self] in
            do throws(RadioError) {
                let lease = try await AdapterRegistry.shared.open(
                    setup.source, options: setup.options, system: BlueZAdapters())
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
                // It names the adapter, which HARALD_ADAPTER may have chosen.
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
        backend.addObserver(self)
        prepare(backend)
        follow(backend)
    }

    private func follow(_ backend: any RadioBackend) {
        guard backend.state != state else { return }
        state = backend.state
        if state != .poweredOn, state != .unknown, !backend.stateReason.isEmpty {
            Misuse.notice("adapter '\(setup.source)': \(backend.stateReason)")
        }
        let told = CBManagerState(state)
        mailbox.post { self.deliver(state: told) }
        stateChanged(state)
    }

    /// The loop, once the adapter is open.
    var loop: RadioLoop? {
        phase.withLock { if case .open(let lease) = $0 { lease.loop } else { nil } }
    }

    /// Runs `body` on the loop, where the adapter is open.
    func execute(_ body: @escaping @Sendable () -> Void) { loop?.execute(body) }

    /// Runs `body` on the loop and waits for its answer, which takes as long as one turn of the loop; nil where no
    /// adapter is open. The loop waits for nobody, so this ends.
    func ask<Answer>(_ body: @escaping (any RadioBackend) -> Answer) -> Answer? {
        guard let loop else { return nil }
        if loop.isOnLoop { return backend.map(body) }
        let box = AnswerBox<Answer>()
        let question = Transfer(body)
        loop.execute {
            box.answer = self.backend.map(question.value)
            box.given.signal()
        }
        box.given.wait()
        return box.answer
    }

    /// Ends what runs and gives the adapter back.
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

    /// On the loop: this manager as its adapter knows it, with its pairing handler.
    var user: RadioUser? {
        let user = phase.withLock { phase -> LoopBound<RadioUser>? in
            if case .open(let lease) = phase { lease.user } else { nil }
        }
        return user?.value
    }

    // MARK: What the two kinds of managers do

    /// On the loop, once: the adapter is open.
    func prepare(_ backend: any RadioBackend) {}
    /// On the loop: the adapter's state changed; the news is on its way.
    func stateChanged(_ state: RadioState) {}
    /// On the queue.
    func deliver(state: CBManagerState) {}
    /// On the loop: ends everything.
    func end(completion: @escaping () -> Void) { completion() }

    // MARK: The adapter

    func radioStateChanged(_ backend: any RadioBackend) { follow(backend) }
    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}

/// One answer of the loop.
///
/// `@unchecked Sendable`: written before the signal, read after it.
private final class AnswerBox<Answer>: @unchecked Sendable {
    var answer: Answer?
    let given = DispatchSemaphore(value: 0)
}

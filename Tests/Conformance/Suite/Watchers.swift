import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Synchronization

/// An event of a link.
package enum LinkEvent: Hashable, Sendable {
    case disconnected(RadioError)
    case security(LinkSecurity.Level)

    var end: RadioError? { if case .disconnected(let error) = self { error } else { nil } }
}

/// Records the events of a share.
package final class LinkWatcher: LinkObserver, Sendable {
    package let events = Events<LinkEvent>()
    /// Runs on the loop when the link ends.
    package let onEnd = Mutex<(@Sendable () -> Void)?>(nil)

    package func linkDisconnected(_ error: RadioError) {
        // `onEnd` runs before the event is recorded, so that the scenario resumes after it.
        onEnd.withLock { $0 }?()
        events.append(.disconnected(error))
    }
    package func linkMTUChanged(_ mtu: Int) {}
    package func linkParametersChanged(_ parameters: ConnectionParameters) {}
    package func linkSecurityChanged(_ security: LinkSecurity) { events.append(.security(security.level)) }
    package func linkServicesChanged(_ services: [AttributeID]) {}
    package func linkIsReadyToWriteWithoutResponse() {}
    package func linkNameChanged(_ name: String) {}
}

/// An event of an adapter.
package enum RadioEvent: Hashable, Sendable {
    case state(RadioState)
    case connected(PeripheralID), disconnected(PeripheralID)
}

/// Records the events of an adapter.
package final class RadioWatcher: RadioObserver, Sendable {
    package let events = Events<RadioEvent>()
    /// Runs on the loop with each event.
    package let onEvent = Mutex<(@Sendable (RadioEvent) -> Void)?>(nil)

    package init() {}

    private func record(_ event: RadioEvent) {
        onEvent.withLock { $0 }?(event)
        events.append(event)
    }

    package func radioStateChanged(_ backend: any RadioBackend) { record(.state(backend.state)) }
    package func peripheralConnected(_ peripheral: PeripheralID) { record(.connected(peripheral)) }
    package func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {
        record(.disconnected(peripheral))
    }
}

/// A user of the adapter that records its pairing questions, and answers them as the scenario specifies.
package final class ScriptedUser: Sendable {
    package enum Answer: Sendable { case accept, refuse }

    package let questions = Events<PairingQuestion>()
    package let withdrawals = Events<PeripheralID>()
    private let bound: LoopBound<RadioUser>
    private let handler: LoopBound<Handler>

    /// Creates a user; with `answer` nil its questions wait for ``answer(_:)``.
    init(_ answer: Answer?, policy: SecurityPolicy, hasHandler: Bool, loop: RadioLoop) {
        let handler = Handler(answer, questions, withdrawals)
        self.handler = LoopBound(confined: handler, loop: loop)
        bound = LoopBound(
            confined: RadioUser(policy: policy, pairingHandler: hasHandler ? handler : nil), loop: loop)
    }

    /// The backend's record of the user; on the loop.
    package var user: RadioUser { bound.value }

    /// Answers the pending questions; on the loop.
    package func answer(_ answer: Answer) { handler.value.answer(answer) }

    private final class Handler: PairingHandler {
        let capability = PairingCapability.displayYesNo
        let passkey: UInt32? = nil
        private let answer: Answer?
        private let questions: Events<PairingQuestion>
        private let withdrawals: Events<PeripheralID>
        private var pending: [(PairingAnswer) -> Void] = []

        init(_ answer: Answer?, _ questions: Events<PairingQuestion>, _ withdrawals: Events<PeripheralID>) {
            self.answer = answer
            self.questions = questions
            self.withdrawals = withdrawals
        }

        func answer(_ answer: Answer) {
            let all = pending
            pending = []
            for respond in all { respond(answer == .accept ? .accept : .refuse) }
        }

        func pairing(
            with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
        ) {
            pending.append(answer)
            questions.append(question)
            if let scripted = self.answer { self.answer(scripted) }
        }

        func pairingQuestionWithdrawn(with peripheral: PeripheralID) { withdrawals.append(peripheral) }
    }
}

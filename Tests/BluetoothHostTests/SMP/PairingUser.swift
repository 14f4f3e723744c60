import BluetoothModel

@testable import BluetoothHost

/// The user of one of two devices: the questions and events, and the answers that a test gives.
final class PairingUser: SecurityManagerDelegate {
    /// Every question.
    var questions: [SecurityQuestion] = []
    /// The question that waits.
    private(set) var pending: (question: SecurityQuestion, answer: (SecurityAnswer) -> Void)?
    /// The number that is shown at the moment.
    private(set) var shown: UInt32?
    private(set) var withdrawals = 0
    private(set) var bonds: [Bond?] = []
    private(set) var failures: [PairingFailure] = []
    private(set) var lost: [Bond] = []
    private(set) var unkept: [Bond] = []
    /// The number of reports that the fixed passkey is refused.
    private(set) var blocks = 0
    /// True to replace the bond of a device that did not prove that it has the key.
    var replacesBonds = false
    /// The user's capabilities; nil for those of the manager's configuration.
    var user: SecurityUser?
    private(set) var keypresses: [Keypress] = []
    /// Runs when the question comes, before the call that asks returns.
    var onQuestion: ((SecurityQuestion) -> SecurityAnswer?)?

    func securityManager(_ manager: SecurityManager, userOf link: any SecurityLink) -> SecurityUser? { user }

    func securityManager(_ manager: SecurityManager, blockedPasskeyOn link: any SecurityLink) { blocks += 1 }

    func answer(_ answer: SecurityAnswer) {
        guard let pending else { return }
        self.pending = nil
        pending.answer(answer)
    }

    func securityManager(
        _ manager: SecurityManager, asks question: SecurityQuestion, on link: any SecurityLink,
        answer: @escaping (SecurityAnswer) -> Void
    ) {
        questions.append(question)
        if let now = onQuestion?(question) { return answer(now) }
        if case .display(let passkey) = question { shown = passkey }
        pending = (question, answer)
    }

    func securityManager(_ manager: SecurityManager, withdrewQuestionOn link: any SecurityLink) {
        withdrawals += 1
        shown = nil
        pending = nil
    }

    func securityManager(_ manager: SecurityManager, heard keypress: Keypress, on link: any SecurityLink) {
        keypresses.append(keypress)
    }

    func securityManager(_ manager: SecurityManager, pairedOn link: any SecurityLink, bond: Bond?) {
        bonds.append(bond)
    }

    func securityManager(
        _ manager: SecurityManager, failedToPairOn link: any SecurityLink, _ failure: PairingFailure
    ) {
        failures.append(failure)
    }

    func securityManager(_ manager: SecurityManager, lost bond: Bond, on link: any SecurityLink) { lost.append(bond) }

    func securityManager(_ manager: SecurityManager, couldNotKeep bond: Bond, _ error: RadioError) {
        unkept.append(bond)
    }
}

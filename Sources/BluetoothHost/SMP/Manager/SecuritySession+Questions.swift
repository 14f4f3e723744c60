import BluetoothModel

/// Questions to the user, and keypress notifications.
extension SecuritySession {
    func ask(_ question: SecurityQuestion) {
        guard let link, let delegate = manager.delegate else { return answered(.refuse) }
        withdrawQuestion()
        inquiries += 1
        let number = inquiries
        inquiry = .open(number: number, question)
        delegate.securityManager(manager, asks: question, on: link) { [weak self] in self?.answered(number, $0) }
    }

    private func answered(_ number: Int, _ answer: SecurityAnswer) {
        guard case .open(number, let question) = inquiry else { return }
        if case .display = question {
            // The passkey is displayed until pairing ends, and the user may refuse until then.
            guard case .refuse = answer else { return }
        } else {
            inquiry = .none
        }
        answered(answer)
    }

    private func answered(_ answer: SecurityAnswer) {
        if case .pairing(let pairing) = state { pairing.answered(answer) }
    }

    func withdrawQuestion() {
        guard case .open = inquiry, let link else { return }
        inquiry = .none
        manager.delegate?.securityManager(manager, withdrewQuestionOn: link)
    }

    func tell(_ keypress: Keypress) {
        guard case .pairing(let pairing) = state, pairing.hasKeypresses,
            case .open(_, .enterPasskey) = inquiry
        else { return }
        send(.keypress(keypress))
    }
}

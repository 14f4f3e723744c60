import BluetoothBackend
import BluetoothModel

/// Pairing with the device of a link, asked for by any number of users and done once.
extension BlueZLink {
    func pair(_ operation: LinkOperation<LinkSecurity>) {
        if security.level > .none { return operation.complete(.success(security)) }
        radio.pairings.pair(path, operation) { [weak self] in self?.device?.security ?? LinkSecurity() }
    }
}

/// The pairings that run.
final class Pairings {
    private var waiting: [String: [LinkOperation<LinkSecurity>]] = [:]
    private unowned let radio: BlueZRadio

    init(radio: BlueZRadio) { self.radio = radio }

    func pair(_ path: String, _ operation: LinkOperation<LinkSecurity>, security: @escaping () -> LinkSecurity) {
        operation.onAbandon = { [weak self] in self?.abandoned(path) }
        if waiting[path] != nil {
            waiting[path]?.append(operation)
            return
        }
        waiting[path] = [operation]
        radio.client.call(path, BlueZ.device, "Pair", timeout: nil) { [weak self] result in
            guard let self else { return operation.fail(.cancelled) }
            let users = waiting.removeValue(forKey: path) ?? []
            radio.agent.withdrawQuestion(about: path)
            let outcome: Result<LinkSecurity, RadioError>
            switch result {
            case .success: outcome = .success(security())
            case .failure(let error) where error.kind == "AlreadyExists": outcome = .success(security())
            case .failure(let error): outcome = .failure(error.radioError())
            }
            for user in users { user.complete(outcome) }
        }
    }

    /// The last who waited gave up.
    private func abandoned(_ path: String) {
        guard let users = waiting[path], users.allSatisfy(\.isOver) else { return }
        radio.client.call(path, BlueZ.device, "CancelPairing") { _ in }
    }
}

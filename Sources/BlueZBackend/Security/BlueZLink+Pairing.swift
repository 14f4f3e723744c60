import BluetoothBackend
import BluetoothModel
import Logging

/// Pairing with the device of a link, requested by any number of users and done once.
extension BlueZLink {
    func pair(_ operation: LinkOperation<LinkSecurity>, for user: RadioUser?) {
        if security.level > .none { return operation.complete(.success(security)) }
        radio.pairings.pair(path, operation, for: user) { [weak self] in self?.device?.security ?? LinkSecurity() }
    }
}

/// The pairings in progress.
final class Pairings {
    private var waiting: [String: [LinkOperation<LinkSecurity>]] = [:]
    /// The users that began them.
    private var owners: [String: RadioUser] = [:]
    private unowned let radio: BlueZRadio

    init(radio: BlueZRadio) { self.radio = radio }

    /// Returns the user that began the pairing in progress with a device.
    func owner(of path: String) -> RadioUser? { owners[path] }

    func pair(
        _ path: String, _ operation: LinkOperation<LinkSecurity>, for user: RadioUser?,
        security: @escaping () -> LinkSecurity
    ) {
        operation.onAbandon = { [weak self] in self?.abandoned(path) }
        if waiting[path] != nil {
            waiting[path]?.append(operation)
            return
        }
        waiting[path] = [operation]
        // A user without a handler receives no questions.
        owners[path] = user ?? RadioUser()
        radio.log.debug("pairing begins", metadata: metadata(of: path))
        radio.agent.show(owners[path]?.pairingHandler)
        radio.client.call(path, BlueZ.device, "Pair", timeout: nil) { [weak self] result in
            guard let self else { return operation.fail(.cancelled) }
            let users = waiting.removeValue(forKey: path) ?? []
            radio.agent.withdrawQuestion(about: path)
            radio.agent.pairingEnded(path, isPaired: (try? result.get()) != nil)
            owners[path] = nil
            if owners.isEmpty { radio.agent.handlerChanged() }
            let outcome: Result<LinkSecurity, RadioError>
            switch result {
            case .success:
                radio.log.info("paired", metadata: metadata(of: path))
                radio.record.pairingEnded(nil)
                outcome = .success(security())
            case .failure(let error) where error.kind == "AlreadyExists": outcome = .success(security())
            case .failure(let error):
                let failure = error.radioError()
                radio.log.info("pairing failed: \(failure)", metadata: metadata(of: path))
                radio.record.pairingEnded(failure)
                outcome = .failure(failure)
            }
            for user in users { user.complete(outcome) }
        }
    }

    /// The device, for log events.
    private func metadata(of path: String) -> Logger.Metadata {
        ["peer": "\(radio.device(at: path)?.address.map { "\($0)" } ?? path)"]
    }

    /// Cancels a pairing when its last caller cancelled.
    private func abandoned(_ path: String) {
        guard let users = waiting[path], users.allSatisfy(\.isOver) else { return }
        radio.client.call(path, BlueZ.device, "CancelPairing") { _ in }
    }
}

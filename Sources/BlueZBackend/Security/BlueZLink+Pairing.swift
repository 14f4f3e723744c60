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

/// The pairings in progress, by device.
final class Pairings {
    private struct Pairing {
        /// The user that began it.
        let owner: RadioUser
        let procedure: SharedProcedure<LinkSecurity>
    }

    private var running: [String: Pairing] = [:]
    /// Proof of `unowned`: only the radio stores this object, and closures have weak references to it.
    private unowned let radio: BlueZRadio

    init(radio: BlueZRadio) { self.radio = radio }

    /// Returns the user that began the pairing in progress with a device.
    func owner(of path: String) -> RadioUser? { running[path]?.owner }

    func pair(
        _ path: String, _ operation: LinkOperation<LinkSecurity>, for user: RadioUser?,
        security: @escaping () -> LinkSecurity
    ) {
        if let pairing = running[path] { return pairing.procedure.add(operation) }
        let procedure = SharedProcedure<LinkSecurity> { [weak self] in
            self?.radio.client.call(path, BlueZ.device, "CancelPairing") { _ in }
        }
        procedure.add(operation)
        // A user without a handler receives no questions.
        let owner = user ?? RadioUser()
        running[path] = Pairing(owner: owner, procedure: procedure)
        radio.log.debug("pairing begins", metadata: metadata(of: path))
        radio.agent.show(owner.pairingHandler)
        radio.client.call(path, BlueZ.device, "Pair", timeout: nil) { [weak self] result in
            guard let self else { return procedure.end(.failure(.cancelled)) }
            radio.agent.withdrawQuestion(about: path)
            radio.agent.pairingEnded(path, isPaired: (try? result.get()) != nil)
            running[path] = nil
            if running.isEmpty { radio.agent.handlerChanged() }
            switch result {
            case .success:
                radio.log.info("paired", metadata: metadata(of: path))
                radio.record.pairingEnded(nil)
                procedure.end(.success(security()))
            case .failure(let error) where error.kind == "AlreadyExists": procedure.end(.success(security()))
            case .failure(let error):
                let failure = error.radioError()
                radio.log.info("pairing failed: \(failure)", metadata: metadata(of: path))
                radio.record.pairingEnded(failure)
                procedure.end(.failure(failure))
            }
        }
    }

    /// The device, for log events.
    private func metadata(of path: String) -> Logger.Metadata {
        ["peer": "\(radio.device(at: path)?.address.map { "\($0)" } ?? path)"]
    }
}

import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// What is done so that a link is protected as it has to be.
extension HostLink {
    private var manager: SecurityManager? { radio.host.securityManager }

    /// Brings the link to a level at the wish of the program: with the key of a bond where that is enough, else by
    /// pairing.
    func pair(
        to level: LinkSecurity.Level, for user: RadioUser?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        secure(to: max(.encrypted, level), asksConsent: false, for: user, completion: completion)
    }

    /// Brings the link to a level. Any number of callers may wait; it is done once.
    func secure(
        to level: LinkSecurity.Level, asksConsent: Bool, for user: RadioUser?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        guard let manager else { return completion(.failure(.unsupported("this adapter does not pair"))) }
        radio.setHostTime()
        securing.waiting += 1
        manager.secure(link, to: level, asksConsent: asksConsent, for: user ?? nobody) { [weak self] result in
            if let self {
                securing.waiting -= 1
                if securing.waiting == 0 { securing.abandoned = 0 }
            }
            completion(
                result.mapError { error in
                    // The user's no; whoever gave up waiting hears nothing of this.
                    error == .cancelled ? .security(.init(.refused, "pairing was refused here")) : error
                })
        }
    }

    /// Stands for callers who are nobody in particular, so that the peer does not count as who began.
    private var nobody: RadioUser? { localDevice == nil ? RadioUser() : nil }

    /// Somebody who called ``pair(to:for:completion:)`` waits no more; with the last one the pairing is given up.
    func pairingAbandoned() {
        securing.abandoned += 1
        guard securing.abandoned >= securing.waiting, let manager else { return }
        radio.setHostTime()
        manager.cancelPairing(on: link)
    }

    /// The peer refused an operation: gets what it may have wanted, where there is a key, or somebody to ask.
    func raiseSecurity(
        after error: RadioError, for user: RadioUser?, _ completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard case .att(let code, _) = error, let manager, let level = level(after: code) else {
            return completion(.failure(error))
        }
        let knows = manager.bond(of: link).map { $0.strength.level >= level } ?? false
        // A program that answers no question did not say that it may be paired.
        guard knows || radio.canAsk(user, on: link) else { return completion(.failure(error)) }
        secure(to: level, asksConsent: true, for: user) { result in completion(result.map { _ in }) }
    }

    /// What is missing; nil where nothing more can be had.
    private func level(after code: ATTErrorCode) -> LinkSecurity.Level? {
        switch (code, link.security.level) {
        case (_, .none): .encrypted
        case (.insufficientAuthentication, .encrypted): .authenticated
        case (.insufficientAuthentication, .authenticated): .secureConnections
        // It was encrypted after the request went out.
        case (.insufficientEncryption, let level): level
        // Keys have 16 octets here already.
        default: nil
        }
    }

    /// Waits until what comes over the link can be believed: for a bonded device until it is encrypted.
    func whenTrusted(completion: @escaping (RadioError?) -> Void) {
        guard let manager else { return completion(nil) }
        radio.setHostTime()
        manager.whenTrusted(link) { result in
            if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
    }

    /// Whether the device is bonded and did not prove yet that it is the one.
    var isUnproven: Bool { manager?.trust(in: link) == .unproven }
}

/// Who waits for a link to be secured.
struct SecuringUsers {
    var waiting = 0
    /// Of those, how many gave up.
    var abandoned = 0
}

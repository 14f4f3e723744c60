import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// Securing a link.
extension HostLink {
    private var manager: SecurityManager? { radio?.host.securityManager }

    /// Raises the link to a security level at the program's request: with the key of a bond where that is sufficient,
    /// else by pairing.
    func pair(
        to level: LinkSecurity.Level, for user: RadioUser?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        secure(to: max(.encrypted, level), asksConsent: false, for: user, completion: completion)
    }

    /// Raises the link to a security level. Any number of callers may wait; the link is secured once.
    func secure(
        to level: LinkSecurity.Level, asksConsent: Bool, for user: RadioUser?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        guard let manager else { return completion(.failure(.unsupported("this adapter does not pair"))) }
        if link.security.level < level {
            let key = manager.bond(of: link) == nil ? "by pairing" : "with the key of the bond, or by pairing"
            log.debug("securing the link to the level \(level), \(key)", metadata: link.metadata)
        }
        securing.waiting += 1
        manager.secure(link, to: level, asksConsent: asksConsent, for: user ?? nobody) { [weak self] result in
            if let self {
                securing.waiting -= 1
                if securing.waiting == 0 { securing.abandoned = 0 }
            }
            completion(
                result.mapError { error in
                    // The user refused. A caller that cancelled was already completed.
                    error == .cancelled ? .security(.init(.refused, "pairing was refused by this side")) : error
                })
        }
    }

    /// The user for callers without a particular one, so that the pairing is not attributed to the peer.
    private var nobody: RadioUser? { localDevice == nil ? RadioUser() : nil }

    /// Records that a caller of ``pair(to:for:completion:)`` cancelled or timed out; the pairing is cancelled with the
    /// last one.
    func pairingAbandoned() {
        securing.abandoned += 1
        guard securing.abandoned >= securing.waiting, let manager else { return }
        manager.cancelPairing(on: link)
    }

    /// Raises the security after the peer refused an operation, where there is a key or a handler to ask.
    func raiseSecurity(
        after error: RadioError, for user: RadioUser?, _ completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard let code = error.refusal, let manager, let level = level(after: code) else {
            return completion(.failure(error))
        }
        let knows = manager.bond(of: link).map { $0.strength.level >= level } ?? false
        // A program without a pairing handler did not permit pairing.
        let isPermitted = user?.pairingHandler?.permitsPairing(with: id) ?? true
        guard knows || isPermitted && radio?.canAsk(user, on: link) == true else { return completion(.failure(error)) }
        secure(to: level, asksConsent: true, for: user) { result in completion(result.map { _ in }) }
    }

    /// Returns the required security level; nil if it cannot be raised.
    private func level(after code: ATTErrorCode) -> LinkSecurity.Level? {
        switch (code, link.security.level) {
        case (_, .none): .encrypted
        case (.insufficientAuthentication, .encrypted): .authenticated
        case (.insufficientAuthentication, .authenticated): .secureConnections
        // The link was encrypted after the request was sent.
        case (.insufficientEncryption, let level): level
        // Keys already have 16 octets here.
        default: nil
        }
    }

    /// Completes when the packets of the link can be trusted: for a bonded device when it is encrypted.
    func whenTrusted(completion: @escaping (RadioError?) -> Void) {
        guard let radio else { return completion(.notConnected) }
        guard let manager = radio.host.securityManager else { return completion(nil) }
        if isUnproven { log.debug("encrypting with the key of the bond", metadata: link.metadata) }
        manager.whenTrusted(link) { result in
            if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
    }

    /// True if the device is bonded and has not proved its identity yet.
    var isUnproven: Bool { manager?.trust(in: link) == .unproven }
}

extension RadioError {
    /// The error code of a refused request, or the one that corresponds to the result of a refused channel (Core 6.0,
    /// Vol 3, Part A, 4.23).
    fileprivate var refusal: ATTErrorCode? {
        switch self {
        case .att(let code, _): code
        case .channelRefused(5): .insufficientAuthentication
        case .channelRefused(8): .insufficientEncryption
        default: nil
        }
    }

    /// True for a channel that was refused because the link is not secure enough.
    var demandsSecurity: Bool { self == .channelRefused(5) || self == .channelRefused(8) }
}

/// The number of callers that wait for a link to be secured.
struct SecuringUsers {
    var waiting = 0
    /// The number of those that cancelled or timed out.
    var abandoned = 0
}

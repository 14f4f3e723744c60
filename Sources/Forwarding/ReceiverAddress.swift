import Foundation

/// The address of a receiver, which may contain secrets.
package enum ReceiverAddress {
    /// The reason why an address cannot be used.
    package enum Problem: Equatable, Sendable {
        /// It is no address of the schemes.
        case form
        /// It contains a user or a password, which receivers of the kind do not have.
        case password
        /// It has no user, to whom the password belongs.
        case user(scheme: String)
        /// It would send data unencrypted beyond this machine.
        case unencrypted
    }

    /// Returns the problem of an address; nil if it can be used.
    /// - Parameters:
    ///   - plain: the scheme of unencrypted connections.
    ///   - encrypted: the scheme of encrypted ones.
    ///   - hasPassword: true if addresses of the kind may contain a user and a password.
    ///   - hasToken: true if there is a token or a password besides the address.
    ///   - isPlainAllowed: true to allow unencrypted connections beyond this machine.
    package static func problem(
        of url: String, plain: String, encrypted: String, hasPassword: Bool, hasToken: Bool, isPlainAllowed: Bool
    ) -> Problem? {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            [plain, encrypted].contains(scheme), parts.host?.isEmpty == false, parts.isPortValid,
            url.utf8.count <= 2000
        else { return .form }
        guard hasPassword || parts.user == nil else { return .password }
        // A password without a user is not sent (MQTT 3.1.1, 3.1.2.9).
        guard !hasPassword || !hasToken || parts.user?.isEmpty == false else { return .user(scheme: scheme) }
        return parts.isLoopback || isPlainAllowed || scheme == encrypted ? nil : .unencrypted
    }

    /// The mark in place of a secret.
    private static let mask = "***"

    /// Returns an address for display: without user, password and fragment, and with masked values of the query, which
    /// may be tokens.
    package static func shown(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return "" }
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        if let items = parts.percentEncodedQueryItems {
            // A query without names may be a token itself.
            parts.percentEncodedQueryItems = items.map {
                $0.value == nil ? URLQueryItem(name: mask, value: nil) : URLQueryItem(name: $0.name, value: mask)
            }
        }
        return parts.string ?? ""
    }

    /// Returns an error for display: a receiver or a library may repeat the address.
    package static func masked(_ error: String, for url: String) -> String {
        guard let parts = URLComponents(string: url) else { return error }
        let items = parts.queryItems ?? []
        let encoded = parts.percentEncodedQueryItems ?? []
        var secrets = [parts.user, parts.password, parts.percentEncodedUser, parts.percentEncodedPassword]
        secrets += (items + encoded).map { $0.value ?? $0.name } + [parts.fragment]
        // Shorter values are no secrets and part of many words. The longest first: one may contain another.
        return secrets.compactMap { $0 }.filter { $0.count >= 4 }.sorted { $0.count > $1.count }
            .reduce(error) { $0.replacing($1, with: mask) }
    }
}

import Harald

/// Descriptions of security levels.
package enum SecurityText {
    /// Returns a text such as "not encrypted" or "encrypted, bonded".
    package static func text(_ security: LinkSecurity) -> String {
        text(security.level) + (security.level > .none && security.isBonded ? ", bonded" : "")
    }

    /// Returns the text of a level: "not encrypted", "encrypted", "encrypted and authenticated by LE Secure
    /// Connections".
    package static func text(_ level: LinkSecurity.Level) -> String {
        switch level {
        case .none: "not encrypted"
        case .encrypted: "encrypted"
        case .authenticated: "encrypted and authenticated"
        case .secureConnections: "encrypted and authenticated by LE Secure Connections"
        }
    }

    /// Returns the name of a level in JSON and in device files.
    package static func word(_ level: LinkSecurity.Level) -> String {
        switch level {
        case .none: "none"
        case .encrypted: "encrypted"
        case .authenticated: "authenticated"
        case .secureConnections: "secureConnections"
        }
    }
}

import Harald

/// How well something is protected, in words.
package enum SecurityText {
    /// "not encrypted", "encrypted", "encrypted and authenticated by LE Secure Connections".
    package static func text(_ security: LinkSecurity) -> String {
        text(security.level) + (security.level > .none && security.isBonded ? ", bonded" : "")
    }

    /// The same for a level alone.
    package static func text(_ level: LinkSecurity.Level) -> String {
        switch level {
        case .none: "not encrypted"
        case .encrypted: "encrypted"
        case .authenticated: "encrypted and authenticated"
        case .secureConnections: "encrypted and authenticated by LE Secure Connections"
        }
    }

    /// The word of a level in JSON, as device files have it.
    package static func word(_ level: LinkSecurity.Level) -> String {
        switch level {
        case .none: "none"
        case .encrypted: "encrypted"
        case .authenticated: "authenticated"
        case .secureConnections: "secureConnections"
        }
    }
}

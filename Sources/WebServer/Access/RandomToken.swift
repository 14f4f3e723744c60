import Foundation

/// Random octets and their text.
enum RandomToken {
    /// Returns octets of the system's random number generator.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Returns 256 random bits in base64url, 43 characters.
    static func make() -> String { base64URL(bytes(32)) }

    /// Encodes in base64url without padding (RFC 4648, section 5).
    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

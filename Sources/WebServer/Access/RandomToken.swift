#if Programs
import Foundation

/// Text of random octets.
enum RandomToken {
    /// Octets of the system's generator of random numbers.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// 256 random bits in base64url, 43 characters.
    static func make() -> String { base64URL(bytes(32)) }

    /// Base64 for URLs, without padding (RFC 4648, section 5).
    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
#endif

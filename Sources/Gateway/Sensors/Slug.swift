/// Names in the form of topics.
enum Slug {
    /// Returns a name in lower case, with `_` in place of other characters than letters, digits, `_` and `-`.
    static func text(_ name: String) -> String {
        let octets = name.lowercased().utf8.map { octet -> UInt8 in
            switch octet {
            case 0x30...0x39, 0x61...0x7A, 0x5F, 0x2D: octet
            default: 0x5F
            }
        }
        let text = String(decoding: octets.prefix(64), as: UTF8.self)
        return text.isEmpty ? "_" : text
    }

    /// Returns the slug of a name; names that have the same one are told apart by a number made of their octets.
    static func unique(_ name: String) -> String {
        let slug = text(name)
        guard slug != name.lowercased().replacing(" ", with: "_") else { return slug }
        // FNV-1a, 32 bits.
        let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return "\(slug)_\(String(hash, radix: 16))"
    }

    /// Returns a name in lower camel case as words that `_` joins: `battery_voltage`.
    static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { text, character in
            if character.isUppercase, text.last != "_", !text.isEmpty { text += "_" }
            text += character.lowercased()
        }
    }
}

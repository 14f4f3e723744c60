/// The keys in a file, for the decryption of packets of the air.
package enum AirKeys {
    /// Returns every word of 32 hexadecimal digits as 16 octets, in both orders, because programs print either.
    package static func keys(in text: [UInt8]) -> [[UInt8]] {
        text.split { !Character(UnicodeScalar($0)).isHexDigit }.filter { $0.count == 32 }.flatMap { word in
            let digits = word.map { Character(UnicodeScalar($0)).hexDigitValue ?? 0 }
            let octets = stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
            return [octets, octets.reversed()]
        }
    }
}

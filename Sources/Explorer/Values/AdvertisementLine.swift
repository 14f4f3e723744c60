import BluetoothProfiles
import Harald

/// Advertising data as a line of text: bytes in hexadecimal, then the address of the device and its key where values
/// are encrypted.
package struct AdvertisementLine: Sendable {
    /// The advertising data.
    package var data: AdvertisingData
    /// The address of the device.
    package var address: BluetoothAddress?
    /// The key of the device.
    package var keys = AdvertisedKeys()

    /// The reason that a line cannot be read.
    package struct Problem: Error, Hashable {
        /// The reason, and the form of a line.
        package var message: String
    }

    /// Reads a line.
    /// - Throws: ``Problem`` with the reason.
    package init(_ line: some StringProtocol) throws(Problem) {
        let words = line.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, words.count <= 3 else {
            throw Problem(message: "a line has bytes in hexadecimal, and may have an address and a key")
        }
        guard let bytes = [UInt8](hexDigits: first) else {
            throw Problem(message: "'\(first.prefix(40))' is not pairs of hexadecimal digits")
        }
        data = AdvertisingData(parsing: bytes)
        guard words.count > 1 else { return }
        guard let address = BluetoothAddress(String(words[1])) else {
            throw Problem(message: "'\(words[1].prefix(40))' is not an address such as 54:48:E6:8F:80:A5")
        }
        self.address = address
        guard words.count > 2 else { return }
        guard let key = [UInt8](hexDigits: words[2]), keys.set(key, of: address) else {
            throw Problem(message: "a key has 32 hexadecimal digits")
        }
    }

    /// The values of known formats.
    package var values: [AdvertisedValue] {
        var decoder = keys.decoder
        return decoder.values(in: data, from: address)
    }
}

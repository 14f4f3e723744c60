/// The version of BlueZ, as in the device identification of its adapters: `usb:v1D6Bp0246d0542` is 5.66.
package struct BlueZVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The major version.
    package var major: Int
    /// The minor version.
    package var minor: Int

    /// Creates a version.
    package init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Parses the version in a `Modalias`; nil if it is not BlueZ's own identification.
    package init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        guard modalias.hasPrefix(prefix), let number = UInt16(modalias.dropFirst(prefix.count).prefix(4), radix: 16)
        else {
            return nil
        }
        self.init(major: Int(number >> 8), minor: Int(number & 0xFF))
    }

    /// Parses the output of `bluetoothd --version`.
    package init?(_ text: String) {
        let numbers = text.split(separator: ".", maxSplits: 1)
        guard numbers.count == 2, let major = Int(numbers[0]), let minor = Int(numbers[1].prefix { $0.isNumber }) else {
            return nil
        }
        self.init(major: major, minor: minor)
    }

    /// Returns true if `left` is the earlier version.
    package static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// The version as text: "5.66".
    package var description: String { "\(major).\(minor)" }
}

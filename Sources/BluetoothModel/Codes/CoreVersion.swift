/// The number of a version of the Core Specification, as a controller reports it (Assigned Numbers, 2.1).
package enum CoreVersion {
    private static let names = [
        "1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0", "6.1",
        "6.2",
    ]

    /// Returns the name of a version: "6.0" for 14; the number itself if no version has it.
    package static func name(_ number: UInt8) -> String {
        names.indices.contains(Int(number)) ? names[Int(number)] : String(number)
    }
}

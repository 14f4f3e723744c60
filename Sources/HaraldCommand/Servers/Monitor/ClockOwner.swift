import Harald

/// The device to which a clock belongs. Some manufacturers give all devices the same serial number.
struct ClockOwner: Hashable, Sendable {
    /// The text between the name and the address in ``key``.
    static let separator = "\naddress "

    /// The serial number, System ID and model; the identifier of a device that has no serial number and no System ID.
    var name: String
    /// The address; nil if it may be a private one, which changes.
    var address: String?

    /// The key of the device in the file of ``ClockHistory``.
    var key: String { address.map { name + Self.separator + $0 } ?? name }

    init(name: String, address: String? = nil) { (self.name, self.address) = (name, address) }

    init(_ facts: DeviceFacts, _ device: PeripheralID) {
        guard facts.serial != nil || facts.systemID != nil else {
            self.init(name: device.description)
            return
        }
        let properties = [("serial", facts.serial), ("systemID", facts.systemID), ("model", facts.model)]
        let lines = properties.compactMap { property, value in value.map { "\(property) \($0)" } }
        self.init(
            name: lines.joined(separator: "\n"), address: device.address.flatMap { $0.isIdentity ? $0.text : nil })
    }
}

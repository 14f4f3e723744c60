import BluetoothModel

/// Which address this host uses on the air (Core 6.0, Vol 3, Part C, 15).
public enum OwnAddressPolicy: Hashable, Sendable {
    /// The address in the controller; where it has none, a static random one that the controller's random numbers
    /// give.
    case `public`
    /// This static random address; its two most significant bits are 1.
    case staticRandom(BluetoothAddress)

    /// What is wrong with the policy; nil where nothing is.
    var fault: RadioError? {
        guard case .staticRandom(let address) = self, address.randomKind != .staticAddress else { return nil }
        return .invalidArgument("\(address) is no static random address: its first digit is C to F")
    }
}

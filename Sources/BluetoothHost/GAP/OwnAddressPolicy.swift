import BluetoothModel

/// Which address this host uses on the air (Core 6.0, Vol 3, Part C, 15).
public enum OwnAddressPolicy: Hashable, Sendable {
    /// The address in the controller; where it has none, a static random one that the controller's random numbers
    /// give.
    case `public`
    /// This static random address; its two most significant bits are 1.
    case staticRandom(BluetoothAddress)
    /// Resolvable private addresses made with this identity resolving key, each for so long; a quarter of an hour is
    /// usual, and an hour the most that makes sense (Core 6.0, Vol 3, Part C, 10.7).
    case resolvable(SecurityKey, each: Duration = .seconds(900))

    /// What is wrong with the policy; nil where nothing is.
    var fault: RadioError? {
        switch self {
        case .staticRandom(let address) where address.randomKind != .staticAddress:
            .invalidArgument("\(address) is no static random address: its first digit is C to F")
        case .resolvable(_, let time) where time < .seconds(1) || time > .seconds(3600):
            .invalidArgument("a private address lasts 1 s to 1 h")
        case .public, .staticRandom, .resolvable: nil
        }
    }
}

import BluetoothModel

/// The policy for the own address of this host (Core 6.0, Vol 3, Part C, 15).
package enum OwnAddressPolicy: Hashable, Sendable {
    /// The public address of the controller; if it has none, a static random address generated from the controller's
    /// random numbers.
    case `public`
    /// This static random address; its two most significant bits are 1.
    case staticRandom(BluetoothAddress)
    /// Resolvable private addresses generated with this identity resolving key. The lifetime of each is 1 s to 1 h; 15
    /// minutes is usual (Core 6.0, Vol 3, Part C, 10.7).
    case resolvable(SecurityKey, each: Duration = .seconds(900))

    /// The error in the policy; nil if it is valid.
    var fault: RadioError? {
        switch self {
        case .staticRandom(let address) where address.randomKind != .staticAddress:
            .invalidArgument("\(address) is not a static random address, whose first digit is C to F")
        case .resolvable(_, let time) where time < .seconds(1) || time > .seconds(3600):
            .invalidArgument("the rotation interval of private addresses must be from 1 s to 1 h")
        case .public, .staticRandom, .resolvable: nil
        }
    }
}

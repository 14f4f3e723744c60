import BluetoothModel

/// The protocol/service multiplexers that peers may open channels to; one for each device of ours.
public final class L2CAPServiceRegistry {
    struct Service {
        var requires: LinkSecurity.Level
        var configuration: CreditBasedChannelConfiguration
        var accepted: (CreditBasedChannel) -> Void
    }

    /// What is assigned as one likes (Core 6.0, Vol 3, Part A, 4.22).
    private static let dynamic: ClosedRange<UInt16> = 0x80...0xFF
    /// Everything there is.
    static let allowed: ClosedRange<UInt16> = 0x01...0xFF

    private var services: [UInt16: Service] = [:]

    /// A registry with nothing published.
    public init() {}

    /// Accepts channels to `psm`, 0x01 to 0xFF, or to the next free number from 0x80 on; answers with the number.
    ///
    /// `accepted` is called with each channel that a peer has opened, on a link that is protected at least as
    /// `requires`.
    public func publish(
        psm: UInt16?, requires: LinkSecurity.Level = .none,
        configuration: CreditBasedChannelConfiguration = CreditBasedChannelConfiguration(),
        accepted: @escaping (CreditBasedChannel) -> Void
    ) throws(RadioError) -> UInt16 {
        guard let number = psm ?? Self.dynamic.first(where: { services[$0] == nil }) else {
            throw .limit("all \(Self.dynamic.count) channel numbers are published")
        }
        guard Self.allowed.contains(number) else {
            throw .invalidArgument("channel number \(number): 1 to 255 are possible")
        }
        guard services[number] == nil else { throw .invalidArgument("channel number \(number) is published already") }
        services[number] = Service(requires: requires, configuration: configuration, accepted: accepted)
        return number
    }

    /// Accepts no further channel there; open ones stay.
    public func unpublish(psm: UInt16) { services[psm] = nil }

    subscript(psm: UInt16) -> Service? { services[psm] }
}

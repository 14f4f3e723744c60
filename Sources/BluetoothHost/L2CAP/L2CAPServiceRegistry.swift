import BluetoothModel

/// The PSMs (protocol/service multiplexers) to which peers may open channels; one registry for each local device.
package final class L2CAPServiceRegistry {
    struct Service {
        var requires: LinkSecurity.Level
        var configuration: CreditBasedChannelConfiguration
        var accepted: (CreditBasedChannel) -> Void
    }

    /// The dynamically assigned PSMs (Core 6.0, Vol 3, Part A, 4.22).
    private static let dynamic: ClosedRange<UInt16> = 0x80...0xFF
    /// All valid PSMs.
    static let allowed: ClosedRange<UInt16> = 0x01...0xFF

    private var services: [UInt16: Service] = [:]

    /// Creates an empty registry.
    package init() {}

    /// Accepts channels to `psm`, 0x01 to 0xFF, or to the lowest unused PSM from 0x80 to 0xFF.
    ///
    /// `accepted` is called with each channel that a peer has opened on a link whose security level is at least
    /// `requires`.
    /// - Returns: The published PSM.
    /// - Throws: ``RadioError/invalidArgument(_:)`` if `psm` is out of range or published already;
    ///   ``RadioError/limit(_:)`` if no dynamic PSM is left.
    package func publish(
        psm: UInt16?, requires: LinkSecurity.Level = .none,
        configuration: CreditBasedChannelConfiguration = CreditBasedChannelConfiguration(),
        accepted: @escaping (CreditBasedChannel) -> Void
    ) throws(RadioError) -> UInt16 {
        guard let number = psm ?? Self.dynamic.first(where: { services[$0] == nil }) else {
            throw .limit("all \(Self.dynamic.count) dynamic PSMs are in use")
        }
        guard Self.allowed.contains(number) else {
            throw .invalidArgument("PSM \(number): a PSM must be from 1 to 255")
        }
        guard services[number] == nil else { throw .invalidArgument("PSM \(number) is already published") }
        services[number] = Service(requires: requires, configuration: configuration, accepted: accepted)
        return number
    }

    /// Stops accepting channels to a PSM; open channels are not affected.
    package func unpublish(psm: UInt16) { services[psm] = nil }

    subscript(psm: UInt16) -> Service? { services[psm] }
}

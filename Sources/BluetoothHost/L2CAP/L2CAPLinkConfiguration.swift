/// The L2CAP configuration of a link: the ATT MTU and the services for channels.
public struct L2CAPLinkConfiguration {
    /// The local ATT MTU, 23 to 517 octets. The link uses the smaller value of both sides.
    public var attMTU: Int
    /// The PSMs to which the peer may open channels.
    public var services: L2CAPServiceRegistry

    /// Creates a configuration; the defaults are the maximum MTU and no services.
    public init(attMTU: Int = ATTBearer.maximumMTU, services: L2CAPServiceRegistry = L2CAPServiceRegistry()) {
        self.attMTU = attMTU
        self.services = services
    }
}

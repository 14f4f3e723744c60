/// What one link offers its peer above L2CAP.
public struct L2CAPLinkConfiguration {
    /// The largest ATT packet that we offer to receive, 23 to 517; the link uses the smaller of both sides' offers.
    public var attMTU: Int
    /// The protocol/service multiplexers that the peer may open channels to.
    public var services: L2CAPServiceRegistry

    /// A configuration; without arguments it offers the largest MTU and no channel.
    public init(attMTU: Int = ATTBearer.maximumMTU, services: L2CAPServiceRegistry = L2CAPServiceRegistry()) {
        self.attMTU = attMTU
        self.services = services
    }
}

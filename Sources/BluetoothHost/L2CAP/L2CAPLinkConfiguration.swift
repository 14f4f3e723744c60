/// The L2CAP configuration of a link: the ATT MTU and the services for channels.
package struct L2CAPLinkConfiguration {
    /// The local ATT MTU, 23 to 517 octets. The link uses the smaller value of both sides.
    package var attMTU: Int
    /// The PSMs to which the peer may open channels.
    package var services: L2CAPServiceRegistry

    /// Creates a configuration; the defaults are the maximum MTU and no services.
    package init(attMTU: Int = ATTBearer.maximumMTU, services: L2CAPServiceRegistry = L2CAPServiceRegistry()) {
        self.attMTU = attMTU
        self.services = services
    }
}

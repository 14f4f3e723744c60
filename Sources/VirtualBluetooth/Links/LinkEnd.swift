import BluetoothHCI
import BluetoothModel

/// One side of a link: its state in the controller, and the data that waits to be sent.
package final class LinkEnd {
    /// The role of this side; the raw value is the one of HCI.
    package enum Role: UInt8 {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case central = 0
        case peripheral = 1
    }

    /// An ACL packet, or the rest of one, that waits to be sent to the other side.
    struct Pending {
        var boundary: ACLHeader.Boundary
        var data: [UInt8]
        var offset = 0
        /// The earliest time of sending.
        var time: Int64
    }

    let controller: VirtualController
    /// The link. It and its ends retain each other until the link is closed.
    private var openLink: VirtualLink?
    let role: Role
    let addresses: LinkAddresses
    /// Assigned by the link table of the controller.
    var handle: UInt16 = 0xFFFF
    /// True while the link exists for the host of this side.
    var isAttached = false

    /// The number of completed packets that have not been reported to the host.
    var completed: UInt16 = 0
    /// The number of packets from the host that have not been reported as completed.
    var outstanding = 0
    /// The number of packets that the host received and has not returned; counted only with controller to host flow
    /// control.
    var unreturned = 0
    private(set) var queue: [Pending] = []

    /// The requested data length of this side, and the negotiated one.
    var wantedDataLength = DataLength.minimum
    var dataLength = DataLength.minimum
    /// The PHY on which this side transmits.
    var transmitPHY = PHY.le1M
    var wantedTransmitPHYs: UInt8
    var wantedReceivePHYs: UInt8
    /// In units of 10 ms.
    var authenticatedPayloadTimeout: UInt16 = 3000
    /// True while this side's disconnection waits for the other side.
    var isTerminating = false
    /// True after the host of this side read the features of the peer, so that both controllers know them.
    var knowsPeerFeatures = false

    /// The state of this side in the encryption procedures.
    var encryption = EncryptionState.idle
    /// The cipher for packets that this side sends, and for those it receives; nil for clear text.
    var transmitCipher: PacketCipher?
    var receiveCipher: PacketCipher?

    /// True while data has to wait for an encryption procedure.
    var holdsData: Bool {
        if case .idle = encryption { false } else { true }
    }

    init(controller: VirtualController, link: VirtualLink, role: Role, addresses: LinkAddresses) {
        self.controller = controller
        openLink = link
        self.role = role
        self.addresses = addresses
        wantedTransmitPHYs = controller.settings.preferredTransmitPHYs
        wantedReceivePHYs = controller.settings.preferredReceivePHYs
        let features = controller.configuration.features
        wantedDataLength = controller.settings.suggestedDataLength.limited(to: .maximum(features))
    }

    /// The link, which must be open: the link table of a controller holds only ends of open links.
    var link: VirtualLink {
        // Proof: a controller removes the end from its table before it closes the link.
        guard let openLink else { preconditionFailure("the link is closed") }
        return openLink
    }

    /// The other side.
    var peer: LinkEnd { link.other(self) }

    /// Releases the link after it was closed.
    func leave() { openLink = nil }

    func enqueue(_ packet: Pending) { queue.append(packet) }

    /// Changes the first queued packet, and removes it if `change` returns true.
    func updateFirst(_ change: (inout Pending) -> Bool) {
        // The queue never exceeds the controller's packet count, so removing its first element is cheap.
        if change(&queue[0]) { queue.removeFirst() }
    }

    func removeAllPending() { queue = [] }
}

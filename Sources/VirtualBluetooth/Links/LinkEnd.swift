import BluetoothHCI
import BluetoothModel

/// One side of a link: what a controller knows of it, and what it still has to send over it.
final class LinkEnd {
    /// The role of this side; the raw value is the one of HCI.
    enum Role: UInt8 {
        case central = 0
        case peripheral = 1
    }

    /// An ACL packet, or what is left of it, on its way to the other side.
    struct Pending {
        var boundary: ACLHeader.Boundary
        var data: [UInt8]
        var offset = 0
        /// Not before this time.
        var time: Int64
    }

    let controller: VirtualController
    /// The link and its ends keep each other until the link is closed.
    private var openLink: VirtualLink?
    let role: Role
    let addresses: LinkAddresses
    /// Given by the link table of the controller.
    var handle: UInt16 = 0xFFFF
    /// Whether the host of this side knows the link.
    var isAttached = false

    /// Completed packets that the host was not told of.
    var completed: UInt16 = 0
    /// Packets that the host sent and that are not reported as completed.
    var outstanding = 0
    /// Packets that the host received and did not give back; counted with flow control towards the host only.
    var unreturned = 0
    private(set) var queue: [Pending] = []

    /// What this side wants to send at once, and what both agreed on.
    var wantedDataLength = DataLength.minimum
    var dataLength = DataLength.minimum
    /// The physical layer that this side sends with.
    var transmitPHY = PHY.le1M
    var wantedTransmitPHYs: UInt8
    var wantedReceivePHYs: UInt8
    /// In units of 10 ms.
    var authenticatedPayloadTimeout: UInt16 = 3000
    /// Set while this side's disconnection waits for the other side.
    var isTerminating = false
    /// Whether the host of this side asked for the features of the other one, so that both know them.
    var knowsPeerFeatures = false

    /// What is under way about encryption.
    var encryption = EncryptionState.idle
    /// Encrypts what this side sends, and decrypts what it receives; nil for clear text.
    var transmitCipher: PacketCipher?
    var receiveCipher: PacketCipher?

    /// Whether data have to wait.
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

    /// The link, which has to be open: the table of a controller holds ends of open links alone.
    var link: VirtualLink {
        guard let openLink else { preconditionFailure("the end of a closed link") }
        return openLink
    }

    /// The other side.
    var peer: LinkEnd { link.other(self) }

    /// The link is closed.
    func leave() { openLink = nil }

    func enqueue(_ packet: Pending) { queue.append(packet) }

    /// Changes the first packet that waits, and drops it where `change` says that it is done.
    func updateFirst(_ change: (inout Pending) -> Bool) {
        // The queue is never longer than the controller's packet count, so taking from its front is cheap.
        if change(&queue[0]) { queue.removeFirst() }
    }

    func removeAllPending() { queue = [] }
}

import BluetoothModel
import BluetoothRuntime

/// The logical channels of one link: attributes, signalling, security, and channels with credits
/// (Core 6.0, Vol 3, Part A).
///
/// The owner of the link makes it when the connection completes, hands it each reassembled frame, and tells it of the
/// link's end with ``linkClosed(_:)``, after which everything that was pending has ended.
public final class L2CAPLink {
    /// What the frames go to; nil once the link is closed.
    public private(set) var transmitter: (any LinkTransmitter)?
    /// Whether it is gone: what every frame asks.
    private var isClosed = false
    /// What was dropped on this link, and why.
    public let faults: LinkFaults
    /// The bearer of the attribute protocol.
    public let att: ATTBearer
    /// What we ask the peer's GATT server.
    public let gatt: GATTClient
    /// What the peer asks our GATT server.
    public let serverSession: GATTServerSession
    /// L2CAP's own requests.
    public let signalling: LESignalling
    /// The connection-oriented channels.
    let channelTable: CreditBasedChannelTable
    /// What answers the security manager's packets; at first something that refuses to pair.
    public var securityChannel: (any SecurityChannel)?

    /// The channels over a link that has just come up. Without a `server` the peer sees one with the two services that
    /// every device has.
    public init(
        transmitter: any LinkTransmitter, server: GATTServer? = nil,
        configuration: L2CAPLinkConfiguration = L2CAPLinkConfiguration()
    ) {
        let faults = LinkFaults()
        self.transmitter = transmitter
        self.faults = faults
        att = ATTBearer(
            channel: ATTFixedChannel(transmitter: transmitter), localMTU: configuration.attMTU, faults: faults)
        gatt = GATTClient(bearer: att)
        serverSession = GATTServerSession(server: server ?? GATTServer(), bearer: att)
        signalling = LESignalling(transmitter: transmitter, faults: faults)
        channelTable = CreditBasedChannelTable(
            transmitter: transmitter, signalling: signalling, services: configuration.services, faults: faults)
        signalling.channels = channelTable
        channelTable.link = self
        securityChannel = PairingRefusal(link: self)
        serverSession.open(on: self)
    }

    deinit {
        channelTable.link = nil
        serverSession.linkIsGone()
    }

    /// Takes one reassembled frame without its basic header; the view is used during the call only.
    public func receive(cid: UInt16, _ payload: ByteView) {
        guard !isClosed else { return }
        switch cid {
        case L2CAPChannelID.attribute: att.receive(payload)
        case L2CAPChannelID.signalling: signalling.receive(payload)
        case L2CAPChannelID.security: securityChannel?.receive(payload)
        default:
            if !channelTable.receive(cid: cid, payload) { faults.add(.unknownChannel) }
        }
    }

    /// The link has room again: whoever waited goes on, as long as there is room.
    public func roomAvailable() {
        guard transmitter != nil else { return }
        att.roomAvailable()
        channelTable.roomAvailable()
        securityChannel?.roomAvailable()
    }

    /// The link's protection changed.
    public func securityChanged() {
        guard transmitter != nil else { return }
        gatt.securityChanged()
    }

    /// The link is gone. Everything pending ends with `error`, once; later calls end with ``RadioError/notConnected``.
    public func linkClosed(_ error: RadioError) {
        guard !isClosed else { return }
        isClosed = true
        transmitter = nil
        att.linkClosed(error)
        serverSession.close(error)
        gatt.close(error)
        channelTable.close(error)
        signalling.close(error)
        securityChannel?.linkClosed(error)
        securityChannel = nil
    }
}

// MARK: Channels with credits

extension L2CAPLink {
    /// The channels that are open, or about to be.
    public var channels: [CreditBasedChannel] { channelTable.all }

    /// Opens a channel to the peer's protocol/service multiplexer `psm`, 0x0001 to 0x00FF
    /// (Core 6.0, Vol 3, Part A, 4.22).
    ///
    /// A refusal is ``RadioError/channelRefused(_:)`` with the result code of the response.
    @discardableResult
    public func openChannel(
        psm: UInt16, configuration: CreditBasedChannelConfiguration = CreditBasedChannelConfiguration(),
        timeout: Duration? = nil, completion: @escaping (Result<CreditBasedChannel, RadioError>) -> Void
    ) -> ATTOperationID {
        let id = att.makeOperationID()
        channelTable.open(psm: psm, configuration: configuration, id: id, timeout: timeout, completion: completion)
        return id
    }

    /// Gives up an ``openChannel(psm:configuration:timeout:completion:)``; its completion has run with
    /// ``RadioError/cancelled`` when this returns. A channel that opens all the same is closed at once.
    public func cancel(_ operation: ATTOperationID) { channelTable.cancel(operation) }
}

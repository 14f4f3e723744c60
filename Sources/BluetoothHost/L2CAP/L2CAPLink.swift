import BluetoothModel
import BluetoothRuntime

/// The logical channels of one link: attribute protocol, signalling, security manager, and credit-based channels (Core
/// 6.0, Vol 3, Part A).
///
/// The owner of the link creates this object when the connection completes, passes each reassembled frame to it, and
/// calls ``linkClosed(_:)`` at the end of the link, which completes all pending operations.
package final class L2CAPLink {
    /// The destination of frames; nil once the link is closed.
    package private(set) var transmitter: (any LinkTransmitter)?
    /// True once the link is closed; a separate Boolean because every frame reads it.
    private var isClosed = false
    /// Counters of the packets that were dropped on this link.
    package let faults: ProtocolAnomalies
    /// The bearer of the attribute protocol.
    package let att: ATTBearer
    /// The client of the peer's GATT server.
    package let gatt: GATTClient
    /// The session of the peer with the local GATT server.
    package let serverSession: GATTServerSession
    /// The L2CAP signalling channel.
    package let signalling: LESignalling
    /// The connection-oriented channels.
    let channelTable: CreditBasedChannelTable
    /// The handler of security manager packets; initially one that refuses to pair.
    package var securityChannel: (any SecurityChannel)?

    /// Receives every frame before its channel, and returns true for those that the channel is not to process: for
    /// tests of peers below the protocols.
    package var tap: ((UInt16, ByteView) -> Bool)? { didSet { isTapped = tap != nil } }
    /// True if ``tap`` is set. Every frame reads it: ``tap`` itself is checked for overlapping access at run time.
    private var isTapped = false

    /// Creates the channels of a new link. Without a `server` the peer finds a database with the services 1800 and
    /// 1801.
    package init(
        transmitter: any LinkTransmitter, server: GATTServer? = nil,
        configuration: L2CAPLinkConfiguration = L2CAPLinkConfiguration()
    ) {
        let faults = ProtocolAnomalies()
        self.transmitter = transmitter
        self.faults = faults
        att = ATTBearer(
            channel: ATTChannel(transmitter: transmitter), localMTU: configuration.attMTU, faults: faults)
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

    /// Processes one reassembled frame without its basic header. The view is used only during the call.
    package func receive(cid: UInt16, _ payload: ByteView) {
        guard !isClosed else { return }
        if isTapped, let tap, tap(cid, payload) { return }
        switch cid {
        case L2CAPChannelID.attribute: att.receive(payload)
        case L2CAPChannelID.signalling: signalling.receive(payload)
        case L2CAPChannelID.security: securityChannel?.receive(payload)
        default:
            if !channelTable.receive(cid: cid, payload) { faults.add(.unknownChannel, payload) }
        }
    }

    /// Resumes waiting senders while the link has room.
    package func roomAvailable() {
        guard transmitter != nil else { return }
        att.roomAvailable()
        channelTable.roomAvailable()
        securityChannel?.roomAvailable()
    }

    /// Notifies the GATT client that the security of the link changed.
    package func securityChanged() {
        guard transmitter != nil else { return }
        gatt.securityChanged()
    }

    /// Closes all channels after the link has closed. Each pending operation fails once with `error`; later calls fail
    /// with ``RadioError/notConnected``.
    package func linkClosed(_ error: RadioError) {
        guard !isClosed else { return }
        isClosed = true
        transmitter = nil
        tap = nil
        att.linkClosed(error)
        serverSession.close(error)
        gatt.close(error)
        channelTable.close(error)
        signalling.close(error)
        securityChannel?.linkClosed(error)
        securityChannel = nil
    }
}

// MARK: Credit-based channels

extension L2CAPLink {
    /// The channels that are open or being opened.
    package var channels: [CreditBasedChannel] { channelTable.all }

    /// Opens a channel to the PSM (protocol/service multiplexer) `psm` of the peer, 0x0001 to 0x00FF (Core 6.0, Vol 3,
    /// Part A, 4.22).
    ///
    /// A refusal is reported as ``RadioError/channelRefused(_:)`` with the result code of the response.
    @discardableResult
    package func openChannel(
        psm: UInt16, configuration: CreditBasedChannelConfiguration = CreditBasedChannelConfiguration(),
        timeout: Duration? = nil, completion: @escaping (Result<CreditBasedChannel, RadioError>) -> Void
    ) -> LinkOperationID {
        let id = att.makeOperationID()
        channelTable.open(psm: psm, configuration: configuration, id: id, timeout: timeout, completion: completion)
        return id
    }

    /// Cancels an ``openChannel(psm:configuration:timeout:completion:)``; its completion has run with
    /// ``RadioError/cancelled`` when this returns. A channel that opens later is closed immediately.
    package func cancel(_ operation: LinkOperationID) { channelTable.cancel(operation) }
}

import BluetoothHCI
import BluetoothHost
import BluetoothModel

/// The state of a link of a capture.
final class DissectedLink {
    struct Request {
        let opcode: ATTOpcode
        var handles: [UInt16] = []
        /// The requested handles and, in ``type``, the requested attribute type of a discovery.
        var range: ClosedRange<UInt16>?
        var type: BluetoothUUID?
        let time: Int64?
        var mtu: UInt16?
    }

    /// A direction of a connection-oriented channel.
    struct Channel {
        let psm: UInt16
        /// The number of the channel among those of the link; its other direction has the same.
        let bearer: UInt16
        /// True for a channel of BR/EDR, whose frames are whole packets without a length before them.
        var isBasic = false
        /// The received octets of a service data unit, and in ``length`` its total length.
        var unit: [UInt8] = []
        var length: Int?
    }

    /// The key of a channel: the direction of its frames and the channel identifier in them.
    struct ChannelKey: Hashable {
        let direction: CaptureRecord.Direction
        let identifier: UInt16
    }

    /// A pending request to open channels.
    struct Opening {
        let direction: CaptureRecord.Direction
        let psm: UInt16
        let sources: [UInt16]
    }

    /// One direction of the link.
    final class Way {
        let reassembler = FrameReassembler(limit: 4 + 0xFFFF)
        /// True after the first fragment that begins a frame. Earlier fragments continue a frame that began before the
        /// capture.
        var hasBegun = false
        /// True if parts of the current frame were not captured; its other fragments are skipped.
        var isSkipping = false
        /// The pending requests by bearer: 4, or ``Channel/bearer``.
        var requests: [UInt16: Request] = [:]
        var indication: (handle: UInt16, time: Int64?)?
    }

    let index: Int
    let key: Dissector.LinkKey
    let began: Int64?
    var isFromItsBeginning = false
    var role: LinkRole?
    var peer: BluetoothAddress?
    var mtu = 23
    var channels: [ChannelKey: Channel] = [:]
    /// The number of the newest channel; above the fixed channels.
    var lastBearer: UInt16 = 0x00FF
    var openings: [UInt8: Opening] = [:]
    private let sent = Way(), received = Way()

    init(index: Int, key: Dissector.LinkKey, time: Int64?) {
        self.index = index
        self.key = key
        began = time
    }

    func way(_ direction: CaptureRecord.Direction) -> Way { direction == .sent ? sent : received }
}

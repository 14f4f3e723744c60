import BluetoothHost
import BluetoothModel

/// What is known of a link of a capture.
final class DissectedLink {
    /// A request that waits for its response.
    struct Request {
        let opcode: ATTOpcode
        var handles: [UInt16] = []
        /// What a discovery asked for.
        var range: ClosedRange<UInt16>?
        var type: BluetoothUUID?
        let time: Int64?
        var mtu: UInt16?
    }

    /// A direction of a connection-oriented channel.
    struct Channel {
        let psm: UInt16
        /// What came of a service data unit, and how long it will be.
        var unit: [UInt8] = []
        var length: Int?
    }

    /// A channel by the way its frames go, and the identifier that they carry.
    struct ChannelKey: Hashable {
        let direction: CaptureRecord.Direction
        let identifier: UInt16
    }

    /// A request to open channels.
    struct Opening {
        let direction: CaptureRecord.Direction
        let psm: UInt16
        let sources: [UInt16]
    }

    /// One direction of the link.
    final class Way {
        let reassembler = FrameReassembler(limit: 4 + 0xFFFF)
        /// A frame has begun: what continues one before that began before the capture.
        var hasBegun = false
        /// Parts of the frame were not captured: the rest of it has no meaning.
        var isSkipping = false
        /// By the identifier of its channel: 4, or one of an enhanced bearer.
        var requests: [UInt16: Request] = [:]
        /// An indication that waits for its confirmation.
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
    var openings: [UInt8: Opening] = [:]
    private let sent = Way(), received = Way()

    init(index: Int, key: Dissector.LinkKey, time: Int64?) {
        self.index = index
        self.key = key
        began = time
    }

    func way(_ direction: CaptureRecord.Direction) -> Way { direction == .sent ? sent : received }
}

/// The types of a server's attributes, as discoveries have shown them.
final class AttributeNames {
    private var types: [UInt16: BluetoothUUID] = [:]
    private var services: [(range: ClosedRange<UInt16>, uuid: BluetoothUUID)] = []

    subscript(handle: UInt16) -> BluetoothUUID? {
        get { types[handle] }
        set { types[handle] = newValue }
    }

    /// The service that an attribute belongs to.
    func service(of handle: UInt16) -> BluetoothUUID? { services.first { $0.range.contains(handle) }?.uuid }

    func add(_ service: GATTService) {
        services.removeAll { $0.range.overlaps(service.range) }
        services.append((service.range, service.uuid))
        types[service.handle] = service.isPrimary ? GATTType.primaryService : GATTType.secondaryService
    }

    func add(_ characteristic: GATTCharacteristic) {
        types[characteristic.declarationHandle] = GATTType.characteristic
        types[characteristic.valueHandle] = characteristic.uuid
    }

    /// A descriptor, unless the attribute is known as something better.
    func add(_ descriptor: GATTDescriptor) { types[descriptor.handle] = types[descriptor.handle] ?? descriptor.uuid }

    /// "#0x0012 Battery Level"
    func text(_ handle: UInt16) -> String {
        let number = "#" + PacketLayout.hex(UInt64(handle), digits: 4)
        return types[handle].map { "\(number) \(AssignedNumbers.name(of: $0) ?? "\($0)")" } ?? number
    }
}

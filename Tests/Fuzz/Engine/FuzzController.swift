import BluetoothHCI
import BluetoothModel

/// A controller whose answers and their order are taken from the input.
final class FuzzController {
    /// Commands without an answer, the oldest first.
    private(set) var commands: [HCIOpcode] = []
    /// ACL packets of the host that the controller has not reported as completed, by handle.
    private(set) var inFlight: [UInt16: Int] = [:]
    /// Packets since the last ``check()``.
    private var packets = 0
    private var fault: String?
    private let isExtended: Bool

    init(isExtended: Bool) { self.isExtended = isExtended }

    /// Takes a packet of the host.
    func receive(_ packet: ByteView) {
        packets += 1
        guard H4.isWholePacket(packet) else { return fault = "no packet: \(packet.array.hexText())" }
        switch packet[0] {
        case 1: commands.append(HCIOpcode(rawValue: packet.uint16(at: 1)))
        case 2:
            inFlight[packet.uint16(at: 1) & 0x0FFF, default: 0] += 1
            if packet.count > 5 + 27 { fault = "a packet of \(packet.count) octets for buffers of 27" }
        default: fault = "a packet of type \(packet[0])"
        }
    }

    /// Checks that the host's reaction to one packet is bounded, and that it fills no more buffers than there are.
    func check() throws(Finding) {
        defer { packets = 0 }
        if let fault { throw Finding(fault) }
        try require(packets <= 200, "\(packets) packets at once")
        try require(inFlight.values.reduce(0, +) <= 4, "\(inFlight) packets in 4 buffers")
    }

    /// Discards the state of the controller.
    func reset() {
        commands = []
        inFlight = [:]
    }

    func forget(_ handle: UInt16) { inFlight[handle] = nil }

    /// Returns Number Of Completed Packets for all packets of a link; nil if there are none.
    func completed() -> [UInt8]? {
        guard let (handle, count) = inFlight.min(by: { $0.key < $1.key }), count > 0 else { return nil }
        inFlight[handle] = nil
        return [4, 0x13, 5, 1, UInt8(handle & 0xFF), UInt8(handle >> 8), UInt8(count), 0]
    }

    /// The answer to the oldest command, with parameters of the input or, without any, with those of a good controller.
    func answer(_ parameters: [UInt8]?, status: UInt8? = nil) -> [UInt8]? {
        guard !commands.isEmpty else { return nil }
        let opcode = commands.removeFirst()
        if opcode == .reset { inFlight = [:] }
        let code = [UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8)]
        if let status { return [4, 0x0F, 4, status, 1] + code }
        if Self.pending.contains(opcode), parameters == nil { return [4, 0x0F, 4, 0, 1] + code }
        let result = (parameters ?? reply(to: opcode)).prefix(252)
        return [4, 0x0E, UInt8(3 + result.count), 1] + code + result
    }

    /// The commands that are answered with Command Status, and end with an event.
    private static let pending: Set<HCIOpcode> = [
        .leCreateConnection, .leExtendedCreateConnection, .disconnect, .leConnectionUpdate, .leReadRemoteFeatures,
        .readRemoteVersion, .leSetPHY, .leEnableEncryption,
    ]

    private func reply(to opcode: HCIOpcode) -> [UInt8] {
        switch opcode {
        case .readLocalVersion: [0, 0x0B, 0, 0, 0x0B, 0xFF, 0xFF, 0, 0]
        case .readLocalSupportedCommands: [0] + HCISupportedCommands(known).octets
        case .readLocalSupportedFeatures: [0, 0, 0, 0, 0, 0x60, 0, 0, 0]
        // Encryption, connection parameters request, data length, privacy; 2M and extended advertising.
        case .leReadLocalSupportedFeatures: [0, 0x63, isExtended ? 0x11 : 0x00, 0, 0, 0, 0, 0, 0]
        case .leReadBufferSize: [0, 27, 0, 4]
        case .readBDADDR: [0, 1, 2, 3, 4, 5, 6]
        case .leReadAcceptListSize, .leReadResolvingListSize: [0, 3]
        case .leReadMaximumDataLength: [0, 251, 0, 0x48, 8, 251, 0, 0x48, 8]
        case .leReadNumberOfSupportedAdvertisingSets: [0, 2]
        case .leReadMaximumAdvertisingDataLength: [0, 0x72, 0x06]
        case .leRand: [0, 1, 2, 3, 4, 5, 6, 7, 8]
        case .readRSSI: [0, 0x40, 0, 0xC4]
        case .leReadPHY: [0, 0x40, 0, 1, 1]
        default: [0]
        }
    }

    private var known: [HCIOpcode] {
        let plain: [HCIOpcode] = [
            .reset, .disconnect, .leSetScanEnable, .leSetAdvertisingEnable, .leCreateConnection, .leReadAcceptListSize,
            .leClearAcceptList, .leAddDeviceToAcceptList, .leReadMaximumDataLength, .leSetDataLength, .leSetPHY,
            .leReadPHY, .leReadResolvingListSize, .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList,
            .leSetAddressResolutionEnable, .readRSSI, .readRemoteVersion,
        ]
        let extended: [HCIOpcode] = [
            .leSetExtendedScanEnable, .leSetExtendedAdvertisingEnable, .leExtendedCreateConnection,
            .leReadNumberOfSupportedAdvertisingSets, .leReadMaximumAdvertisingDataLength,
        ]
        return isExtended ? plain + extended : plain
    }
}

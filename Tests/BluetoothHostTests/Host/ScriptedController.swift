import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

@testable import BluetoothHost

/// A controller that answers from a table and does nothing else; a test plays its link layer.
final class ScriptedController {
    /// Every packet of the host, in order.
    private(set) var sent: [[UInt8]] = []
    /// Status and return parameters of commands that are answered with Command Complete; others get status 0.
    var replies: [HCIOpcode: [UInt8]] = [:]
    /// Commands that are answered with this status instead.
    var refusals: [HCIOpcode: HCIStatus] = [:]
    /// Commands that are not answered.
    var silent: Set<HCIOpcode> = []
    /// True if no command is answered.
    var isDead = false
    /// The number of commands that each answer allows.
    var commandCredits: UInt8 = 1
    private var answers: [[UInt8]] = []

    private static let pending: Set<HCIOpcode> = [
        .leCreateConnection, .leExtendedCreateConnection, .disconnect, .leConnectionUpdate, .leReadRemoteFeatures,
        .readRemoteVersion, .leSetPHY, .leEnableEncryption,
    ]

    /// A controller with these abilities. The buffers hold 27 bytes, 4 of them.
    init(
        features: LEFeatures = [.encryption, .dataPacketLengthExtension], extended: Bool = false,
        aclLength: UInt16 = 27, aclCount: UInt8 = 4, commands: [HCIOpcode] = []
    ) {
        var features = features
        var known: [HCIOpcode] = [
            .reset, .disconnect, .leSetScanEnable, .leSetAdvertisingEnable, .leCreateConnection, .leReadAcceptListSize,
            .leReadMaximumDataLength, .leSetDataLength, .leSetPHY, .leReadPHY,
        ]
        if extended {
            features.insert(.extendedAdvertising)
            known += [
                .leSetExtendedScanEnable, .leSetExtendedAdvertisingEnable, .leExtendedCreateConnection,
                .leReadNumberOfSupportedAdvertisingSets, .leReadMaximumAdvertisingDataLength,
            ]
        }
        replies[.readLocalVersion] = [0, 0x0B, 0, 0, 0x0B, 0xFF, 0xFF, 0, 0]
        replies[.readLocalSupportedCommands] = [0] + HCISupportedCommands(known + commands).octets
        replies[.readLocalSupportedFeatures] = [0, 0, 0, 0, 0, 0x60, 0, 0, 0]
        replies[.leReadLocalSupportedFeatures] = [0] + Self.bytes(features.rawValue, 8)
        replies[.leReadBufferSize] = [0, UInt8(aclLength & 0xFF), UInt8(aclLength >> 8), aclCount]
        replies[.readBDADDR] = [0, 1, 2, 3, 4, 5, 6]
        replies[.leReadAcceptListSize] = [0, 3]
        replies[.leReadMaximumDataLength] = [0, 251, 0, 0x48, 8, 251, 0, 0x48, 8]
        replies[.leReadNumberOfSupportedAdvertisingSets] = [0, 2]
        replies[.leReadMaximumAdvertisingDataLength] = [0, 0x72, 0x06]
        replies[.leRand] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    }

    static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    /// Takes a packet of the host; answers wait for ``takeAnswers()``.
    func receive(_ packet: ByteView) {
        sent.append(packet.array)
        guard packet[0] == 1 else { return }
        let opcode = HCIOpcode(rawValue: packet.uint16(at: 1))
        guard !isDead, !silent.contains(opcode) else { return }
        let code = [UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8)]
        if Self.pending.contains(opcode) {
            answers.append([4, 0x0F, 4, refusals[opcode]?.rawValue ?? 0, commandCredits] + code)
        } else {
            let reply = refusals[opcode].map { [$0.rawValue] } ?? replies[opcode] ?? [0]
            answers.append([4, 0x0E, UInt8(3 + reply.count), commandCredits] + code + reply)
        }
    }

    /// The responses to the packets sent since the last call.
    func takeAnswers() -> [[UInt8]] {
        defer { answers = [] }
        return answers
    }

    /// The parameters of every command with this code.
    func commands(_ opcode: HCIOpcode) -> [[UInt8]] {
        sent.filter { $0[0] == 1 && $0[1] == UInt8(opcode.rawValue & 0xFF) && $0[2] == UInt8(opcode.rawValue >> 8) }
            .map { Array($0[4...]) }
    }

    /// The codes of all commands, in order.
    var opcodes: [HCIOpcode] {
        sent.filter { $0[0] == 1 }.map { HCIOpcode(rawValue: UInt16($0[1]) | UInt16($0[2]) << 8) }
    }

    /// Every ACL packet of the host.
    var data: [[UInt8]] { sent.filter { $0[0] == 2 } }

    func forget() { sent = [] }
}

import BluetoothHCI
import BluetoothModel

/// What a controller said about itself when it was started.
public struct ControllerInfo: Sendable {
    /// The public address; nil where the controller has none.
    public internal(set) var publicAddress: BluetoothAddress?
    /// A static random address made of the controller's random numbers; nil where it has a public one.
    public internal(set) var madeUpAddress: BluetoothAddress?
    /// The version of the host controller interface: 6 is 4.0, 9 is 5.0, 14 is 6.0.
    public internal(set) var version: UInt8 = 0
    /// Who made the controller.
    public internal(set) var company = CompanyIdentifier(rawValue: 0xFFFF)
    /// A number of the maker's.
    public internal(set) var subversion: UInt16 = 0
    /// The commands that it knows; nil where it did not say.
    public internal(set) var commands: HCISupportedCommands?
    /// What its link layer can do.
    public internal(set) var features: LEFeatures = []
    /// Whether it also speaks Bluetooth Classic.
    public internal(set) var speaksClassic = false
    /// Whether this host advertises, scans and connects with the extended commands; the legacy ones are not used then.
    public internal(set) var usesExtendedAdvertising = false
    /// How many devices fit into the accept list.
    public internal(set) var acceptListSize = 0
    /// For how many devices it resolves private addresses; 0 where it resolves none.
    public internal(set) var resolvingListSize = 0
    /// The longest ACL fragment in bytes, and how many of them the controller holds.
    public internal(set) var aclPacketLength = 27, aclPacketCount = 0
    /// The most that the link layer sends in one packet, in bytes and in microseconds; nil without that feature.
    public internal(set) var maximumTransmitOctets: UInt16?, maximumTransmitTime: UInt16?
    /// How many advertisements can go on at once.
    public internal(set) var advertisingSetCount = 1
    /// The longest advertising data in bytes, 31 to 1650.
    public internal(set) var maximumAdvertisingDataLength = 31

    init() {}

    /// Whether the controller says that it knows a command. One that said nothing knows those of Bluetooth 4.0.
    public func knows(_ opcode: HCIOpcode) -> Bool {
        if let commands { return commands.contains(opcode) }
        return (0x2001...0x201F).contains(opcode.rawValue) || opcode.rawValue < 0x2000
    }

    /// Extended commands are used where the link layer has the feature and each legacy command that the
    /// controller knows has its extended twin: they must not be mixed (Core 6.0, Vol 4, Part E, 3.1.1).
    var canUseExtendedAdvertising: Bool {
        guard features.contains(.extendedAdvertising), let commands else { return false }
        let twins: [(HCIOpcode, HCIOpcode)] = [
            (.leSetScanEnable, .leSetExtendedScanEnable),
            (.leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable),
            (.leCreateConnection, .leExtendedCreateConnection),
        ]
        return twins.contains { commands.contains($0.1) }
            && twins.allSatisfy { !commands.contains($0.0) || commands.contains($0.1) }
    }
}

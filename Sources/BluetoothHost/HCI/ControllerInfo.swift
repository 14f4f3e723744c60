import BluetoothHCI
import BluetoothModel

/// The properties of a controller, as read during its setup.
package struct ControllerInfo: Sendable {
    /// The public address; nil if the controller has none.
    package internal(set) var publicAddress: BluetoothAddress?
    /// A static random address generated from the controller's random numbers; nil if it has a public address.
    package internal(set) var madeUpAddress: BluetoothAddress?
    /// The HCI version: 6 is Bluetooth 4.0, 9 is 5.0, 14 is 6.0.
    package internal(set) var version: UInt8 = 0
    /// The manufacturer of the controller.
    package internal(set) var company = CompanyIdentifier(rawValue: 0xFFFF)
    /// The subversion, assigned by the manufacturer.
    package internal(set) var subversion: UInt16 = 0
    /// The supported commands; nil if the controller did not report them.
    package internal(set) var commands: HCISupportedCommands?
    /// The LE features of the link layer.
    package internal(set) var features: LEFeatures = []
    /// True if the controller also supports Bluetooth Classic.
    package internal(set) var speaksClassic = false
    /// True if this host uses the extended commands to advertise, scan and connect; legacy commands are then not used.
    package internal(set) var usesExtendedAdvertising = false
    /// The size of the filter accept list.
    package internal(set) var acceptListSize = 0
    /// The size of the resolving list; 0 without address resolution.
    package internal(set) var resolvingListSize = 0
    /// The maximum length of an ACL fragment in bytes, and the number of ACL buffers in the controller.
    package internal(set) var aclPacketLength = 27, aclPacketCount = 0
    /// The maximum length of a link layer packet in bytes and in microseconds; nil without data length extension.
    package internal(set) var maximumTransmitOctets: UInt16?, maximumTransmitTime: UInt16?
    /// The maximum number of advertising sets.
    package internal(set) var advertisingSetCount = 1
    /// The maximum length of advertising data in bytes, 31 to 1650.
    package internal(set) var maximumAdvertisingDataLength = 31

    init() {}

    /// Returns true if the controller supports a command. Without a list of commands, those of Bluetooth 4.0 are
    /// assumed.
    package func knows(_ opcode: HCIOpcode) -> Bool {
        if let commands { return commands.contains(opcode) }
        return (0x2001...0x201F).contains(opcode.rawValue) || opcode.rawValue < 0x2000
    }

    /// True if the link layer supports extended advertising, and each legacy command that the controller supports has
    /// an extended counterpart: the two must not be mixed (Core 6.0, Vol 4, Part E, 3.1.1).
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

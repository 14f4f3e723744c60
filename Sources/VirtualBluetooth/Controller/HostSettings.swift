import BluetoothHCI
import BluetoothModel

/// The settings of the host; a reset restores the defaults.
struct HostSettings {
    /// The family of commands for advertising, scanning and connecting (Core 6.0, Vol 4, Part E, 3.1.1). The first such
    /// command selects it; commands of the other family are refused until the next reset.
    enum CommandFamily {
        case legacy
        case extended
    }

    var family: CommandFamily?
    var eventMask = HCIEventMask.standard
    var eventMaskPage2: HCIEventMaskPage2 = []
    var leEventMask = LEEventMask.standard
    var randomAddress: BluetoothAddress?
    var acceptList: ControllerAcceptList
    var suggestedDataLength = DataLength.minimum
    /// The preferred PHYs of new links, as HCI bits: 1 for 1M, 2 for 2M, 4 for Coded.
    var preferredTransmitPHYs: UInt8
    var preferredReceivePHYs: UInt8
    var channelMap: UInt64 = 0x1F_FFFF_FFFF
    var supportsLEHost = false
    var localName: [UInt8] = []
    var pathCompensation: (transmit: Int16, receive: Int16) = (0, 0)

    init(_ configuration: VirtualControllerConfiguration) {
        acceptList = ControllerAcceptList(capacity: Int(configuration.acceptListSize))
        preferredTransmitPHYs = configuration.features.physicalLayers
        preferredReceivePHYs = configuration.features.physicalLayers
    }
}

extension LEFeatures {
    /// The PHYs of a controller with these features, as HCI bits.
    var physicalLayers: UInt8 { 1 | (contains(.le2M) ? 2 : 0) | (contains(.leCoded) ? 4 : 0) }
}

/// The state of controller to host flow control (Core 6.0, Vol 4, Part E, 4.2).
final class HostFlowControl {
    /// The maximum data length of one ACL packet to the host.
    var packetLength = 0xFFFF
    /// The number of ACL packets that the host can hold.
    var packetCount = 0
    var isOn = false
    /// The number of packets that the host holds and has not returned.
    var outstanding = 0

    func reset() {
        packetLength = 0xFFFF
        packetCount = 0
        isOn = false
        outstanding = 0
    }
}

/// The maximum length and duration of link layer packets in one direction.
struct DataLength: Equatable {
    /// 27 to 251.
    var octets: UInt16
    /// In microseconds, 328 to 17040.
    var time: UInt16

    static let minimum = DataLength(octets: 27, time: 328)
    static let octetRange: ClosedRange<UInt16> = 27...251
    static let timeRange: ClosedRange<UInt16> = 328...17040

    /// The maximum that a controller with these features supports (Core 6.0, Vol 6, Part B, 4.5.10).
    static func maximum(_ features: LEFeatures) -> DataLength {
        guard features.contains(.dataPacketLengthExtension) else { return minimum }
        return DataLength(octets: 251, time: features.contains(.leCoded) ? 17040 : 2120)
    }

    func limited(to other: DataLength) -> DataLength {
        DataLength(octets: min(octets, other.octets), time: min(time, other.time))
    }
}

import BluetoothHCI
import BluetoothModel

/// The HCI events that report one advertisement, encoded once for any number of hosts. Only the RSSI, and the addresses
/// that a controller resolves, differ from host to host.
final class AdvertisingReportPackets {
    /// The maximum data length of one LE Extended Advertising Report event, in octets.
    private static let extendedDataLimit = 229

    /// The addresses in the report of one controller. Controllers with different resolving lists report different
    /// addresses for the same devices.
    struct Names {
        var advertiser: PeerAddress
        /// Type and address of the target of directed advertising, if they differ from those in the packet.
        var target: (type: UInt8, address: BluetoothAddress)?

        fileprivate var differ: Bool { advertiser.identity != nil || target != nil }
    }

    private var packets: [[UInt8]]
    /// The offset of the RSSI from the start of a packet; nil for the last byte.
    private let strengthOffset: Int?
    /// The offset of the type of the advertiser's address, and of the target's address; each address follows its type.
    private let advertiserOffset: Int
    private let targetOffset: Int?

    /// - Parameters:
    ///   - isResponse: true for the scan response, false for the advertising data.
    ///   - extended: true for LE Extended Advertising Report, which reports every kind of advertising; false for
    ///     LE Advertising Report, which reports legacy PDUs only.
    init(of set: ControllerAdvertisingSet, isResponse: Bool, extended: Bool) {
        let takesData = isResponse || set.parameters.properties.takesData
        let data = !takesData ? [] : isResponse ? set.scanResponse.bytes : set.data.bytes
        if extended {
            strengthOffset = 18
            advertiserOffset = 7
            targetOffset = 21
            packets = Self.extendedPackets(set, data: data, isResponse: isResponse)
        } else {
            strengthOffset = nil
            advertiserOffset = 6
            targetOffset = nil
            packets = [Self.legacyPacket(set, data: data, isResponse: isResponse)]
        }
    }

    /// The number of events.
    var count: Int { packets.count }

    /// Sends the events to the host of `controller`.
    func send(strength: Int8, names: Names, to controller: VirtualController) {
        for index in packets.indices {
            let offset = strengthOffset ?? packets[index].count - 1
            packets[index][offset] = UInt8(bitPattern: strength)
            guard names.differ else {
                packets[index].withByteView { controller.sendToHost($0) }
                continue
            }
            var packet = packets[index]
            if names.advertiser.identity != nil {
                Self.write(names.advertiser.type, names.advertiser.address, in: &packet, at: advertiserOffset)
            }
            if let target = names.target, let targetOffset {
                Self.write(target.type, target.address, in: &packet, at: targetOffset)
            }
            packet.withByteView { controller.sendToHost($0) }
        }
    }

    private static func write(_ type: UInt8, _ address: BluetoothAddress, in packet: inout [UInt8], at offset: Int) {
        packet[offset] = type
        for index in 0..<6 {
            packet[offset + 1 + index] = UInt8(truncatingIfNeeded: address.value >> (8 * UInt64(index)))
        }
    }

    private static func legacyPacket(_ set: ControllerAdvertisingSet, data: [UInt8], isResponse: Bool) -> [UInt8] {
        let properties = set.parameters.properties
        let type: UInt8 =
            if isResponse { 4 } else if properties.contains(.directed) { 1 } else if properties.contains(.connectable) {
                0
            } else if properties.contains(.scannable) { 2 } else { 3 }
        var writer = ByteWriter(capacity: 16 + data.count)
        let length = 12 + data.count
        writer.append([HCIPacketType.event.rawValue, HCIEventCode.leMeta.rawValue, UInt8(length)])
        writer.append([LEEventCode.advertisingReport.rawValue, 1, type, set.address.kind.rawValue])
        set.address.write(to: &writer)
        writer.uint8(UInt8(data.count))
        writer.append(data)
        writer.uint8(0)
        return writer.bytes
    }

    private static func extendedPackets(_ set: ControllerAdvertisingSet, data: [UInt8], isResponse: Bool) -> [[UInt8]] {
        let properties = set.parameters.properties
        var type = properties.rawValue & 0x17
        if isResponse { type |= 8 }
        var result: [[UInt8]] = []
        var start = 0
        repeat {
            let end = min(start + extendedDataLimit, data.count)
            // Data status: complete, or incomplete with more data to come.
            let status: UInt16 = end < data.count ? 0x20 : 0
            result.append(extendedPacket(set, type: type | status, data: data[start..<end]))
            start = end
        } while start < data.count
        return result
    }

    private static func extendedPacket(_ set: ControllerAdvertisingSet, type: UInt16, data: ArraySlice<UInt8>)
        -> [UInt8]
    {
        let parameters = set.parameters
        let isLegacy = set.isLegacy
        let isAnonymous = parameters.properties.contains(.anonymous)
        var writer = ByteWriter(capacity: 30 + data.count)
        let length = 26 + data.count
        writer.append([HCIPacketType.event.rawValue, HCIEventCode.leMeta.rawValue, UInt8(length)])
        writer.append([LEEventCode.extendedAdvertisingReport.rawValue, 1])
        writer.uint16(type)
        writer.uint8(isAnonymous ? 0xFF : set.address.kind.rawValue)
        writer.write(isAnonymous ? nil : set.address)
        writer.uint8(parameters.primaryPHY.rawValue)
        writer.uint8(isLegacy ? 0 : parameters.secondaryPHY.rawValue)
        writer.uint8(isLegacy ? 0xFF : parameters.sid)
        let tellsPower = parameters.properties.contains(.includesTxPower)
        writer.uint8(UInt8(bitPattern: tellsPower ? parameters.txPower : AirPropagation.unknownStrength))
        writer.uint8(0)
        // No periodic advertising.
        writer.uint16(0)
        writer.uint8(set.target?.kind.rawValue ?? 0)
        writer.write(set.target)
        writer.uint8(UInt8(data.count))
        writer.append(data)
        return writer.bytes
    }
}

extension ByteWriter {
    /// Writes six bytes; zeros for nil.
    fileprivate mutating func write(_ address: BluetoothAddress?) {
        if let address { address.write(to: &self) } else { append([0, 0, 0, 0, 0, 0]) }
    }
}

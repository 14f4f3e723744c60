import BluetoothModel
import Harald

/// The advertising of a device, as the adapter received it.
package struct CheckAdvertising: Sendable {
    /// The packets other than scan responses, without repetitions, in the order of reception.
    package var packets: [[UInt8]] = []
    /// The scan responses that are not empty, without repetitions.
    package var responses: [[UInt8]] = []
    /// True if the adapter shows packets as they were received.
    package var showsPackets = false
    /// The parsed data of all packets.
    package var merged = AdvertisingData(structures: [])
    package var isConnectable = true
    package var address: BluetoothAddress?
    /// The times of the packets other than scan responses.
    package var times: [RadioInstant] = []
    /// True if a scan response was received, even an empty one.
    package var hasResponse = false

    /// The maximum number of distinct packets to keep.
    private static let kept = 32

    package init() {}

    /// Records a packet that was just received.
    package mutating func note(_ found: ScanResult) {
        merged = found.advertisement
        address = found.peripheral.address ?? address
        if found.isScanResponse {
            hasResponse = true
            if let packet = found.packet, !packet.isEmpty, responses.count < Self.kept, !responses.contains(packet) {
                responses.append(packet)
            }
            return
        }
        isConnectable = found.isConnectable
        times.append(found.peripheral.clock.now)
        guard let packet = found.packet else { return }
        showsPackets = true
        if packets.count < Self.kept, !packets.contains(packet) { packets.append(packet) }
    }

    /// True after more than 12 packets and a scan response, or after more than 24 packets without a scan response.
    package var isEnough: Bool { times.count > 12 && (hasResponse || times.count > 24) }

    struct Structure {
        var type: UInt8
        var data: [UInt8]
        var packet: [UInt8]
        var isResponse: Bool
        /// The octets of the structure.
        var octets: [UInt8] { [UInt8(truncatingIfNeeded: data.count + 1), type] + data }
    }

    /// The complete structures of all packets and scan responses.
    var structures: [Structure] {
        packets.flatMap { Self.structures($0, isResponse: false) }
            + responses.flatMap { Self.structures($0, isResponse: true) }
    }

    static func structures(_ packet: [UInt8], isResponse: Bool) -> [Structure] {
        var result: [Structure] = []
        var offset = 0
        while offset < packet.count, packet[offset] > 0, offset + Int(packet[offset]) < packet.count {
            let length = Int(packet[offset])
            result.append(
                Structure(
                    type: packet[offset + 1], data: Array(packet[(offset + 2)..<(offset + 1 + length)]), packet: packet,
                    isResponse: isResponse))
            offset += length + 1
        }
        return result
    }

    /// The octets after the last complete structure.
    static func rest(_ packet: [UInt8]) -> [UInt8] {
        var offset = 0
        while offset < packet.count, packet[offset] > 0, offset + Int(packet[offset]) < packet.count {
            offset += Int(packet[offset]) + 1
        }
        return Array(packet[offset...])
    }

    func all(_ types: UInt8...) -> [Structure] { structures.filter { types.contains($0.type) } }

    /// The advertised services, each with the structure that contains it.
    var services: [(uuid: BluetoothUUID, structure: Structure)] {
        structures.flatMap { structure -> [(uuid: BluetoothUUID, structure: Structure)] in
            let width: Int
            switch structure.type {
            case 0x02, 0x03: width = 2
            case 0x04, 0x05: width = 4
            case 0x06, 0x07: width = 16
            default: return []
            }
            return stride(from: 0, to: structure.data.count - width + 1, by: width).compactMap { offset in
                Array(structure.data[offset..<(offset + width)]).withByteView { BluetoothUUID(littleEndian: $0) }
                    .map { ($0, structure) }
            }
        }
    }
}

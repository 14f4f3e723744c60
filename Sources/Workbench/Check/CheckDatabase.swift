import BluetoothModel

/// The attributes of a device as discovery showed them, with their faults.
package struct CheckDatabase: Sendable {
    package struct Service: Sendable, Hashable {
        package var start: UInt16
        package var end: UInt16
        package var uuid: BluetoothUUID
        package var isPrimary: Bool
        /// The attribute data of the service, as its discovery response contains it.
        package var octets: [UInt8]
        /// The number of octets of its UUID.
        package var width: Int
        func contains(_ handle: UInt16) -> Bool { start <= handle && handle <= end }
    }
    package struct Include: Sendable, Hashable {
        package var handle: UInt16
        package var octets: [UInt8]
        package var service: Int
    }
    package struct Characteristic: Sendable, Hashable {
        package var declaration: UInt16
        package var properties: UInt8
        package var handle: UInt16
        package var uuid: BluetoothUUID
        /// The declaration's value.
        package var octets: [UInt8]
        package var service: Int
        /// The last handle that belongs to it.
        package var end: UInt16 = 0
        func has(_ bits: UInt8) -> Bool { properties & bits != 0 }
        var isReadable: Bool { has(0x02) }
        var isWritable: Bool { has(0x08) }
        var sends: Bool { has(0x30) }
    }
    package struct Attribute: Sendable, Hashable {
        package var handle: UInt16
        package var type: BluetoothUUID
    }
    typealias ReadValue = (item: Characteristic, bytes: [UInt8])
    /// The result of reading a value.
    package enum Value: Sendable, Hashable {
        case bytes([UInt8])
        /// The octets of the Error Response.
        case refused([UInt8])
        var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
        var code: UInt8? { if case .refused(let error) = self, error.count >= 5 { error[4] } else { nil } }
    }

    package var services: [Service] = []
    package var includes: [Include] = []
    package var characteristics: [Characteristic] = []
    /// The attributes that Find Information returned; empty if the adapter gives no access to frames.
    package var attributes: [Attribute] = []
    /// Values of characteristics and descriptors, by handle.
    package var values: [UInt16: Value] = [:]
    /// The values that are readable only after pairing, by handle.
    package var pairedValues: [UInt16: [UInt8]] = [:]
    /// True if the database was discovered with raw frames. It then has handles, declarations and the generic services.
    package var isRaw = false
    /// Faults in the responses of the device to discovery, by kind.
    package var faults: [(kind: String, finding: CheckFinding)] = []

    package init() {}

    /// The highest handle in use.
    var lastHandle: UInt16 {
        max(
            attributes.map(\.handle).max() ?? 0, characteristics.map(\.handle).max() ?? 0,
            services.map { $0.end == 0xFFFF ? $0.start : $0.end }.max() ?? 0)
    }

    /// A handle that no attribute has, beyond the last one; nil if the database ends at 0xFFF0 or later.
    var freeHandle: UInt16? { lastHandle < 0xFFF0 ? max(lastHandle, 1) + 16 - (lastHandle & 7) : nil }

    func all(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil) -> [Characteristic] {
        characteristics.filter { item in item.uuid == uuid && (service == nil || services[item.service].uuid == service)
        }
    }

    func has(_ service: BluetoothUUID) -> Bool { services.contains { $0.uuid == service } }

    func type(of handle: UInt16) -> BluetoothUUID? { attributes.first { $0.handle == handle }?.type }

    func descriptors(of item: Characteristic) -> [Attribute] {
        attributes.filter { $0.handle > item.handle && $0.handle <= item.end }
    }

    func descriptors(_ type: BluetoothUUID, of item: Characteristic) -> [Attribute] {
        descriptors(of: item).filter { $0.type == type }
    }

    /// The handle of the Client Characteristic Configuration of a characteristic; nil if it has none.
    func configuration(of item: Characteristic) -> UInt16? { descriptors(0x2902, of: item).first?.handle }

    /// The characteristics that notify or indicate, each with the handle of its configuration.
    var senders: [(item: Characteristic, configuration: UInt16)] {
        characteristics.compactMap { item in
            guard item.sends, let configuration = configuration(of: item) else { return nil }
            return (item, configuration)
        }
    }

    /// Returns the value of an attribute, read before or after pairing; nil if the read failed.
    func bytes(_ handle: UInt16) -> [UInt8]? { values[handle]?.bytes ?? pairedValues[handle] }

    func values(of uuid: BluetoothUUID) -> [ReadValue] {
        all(uuid).compactMap { item in bytes(item.handle).map { (item, $0) } }
    }

    /// The characteristics whose value was read, shortest value first.
    var readable: [ReadValue] {
        characteristics.compactMap { item in values[item.handle]?.bytes.map { (item, $0) } }
            .sorted { ($0.bytes.count, $0.item.handle) < ($1.bytes.count, $1.item.handle) }
    }

    /// The characteristics that were read and whose value, by specification, changes only when a client writes it.
    var constants: [ReadValue] {
        let uuids: Set<BluetoothUUID> = [
            0x2A00, 0x2A01, 0x2A04, 0x2A23, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A2A, 0x2A50, 0x2A38,
            0x2A9E, 0x2A49, 0x2A51, 0x2A54, 0x2A5C, 0x2A65, 0x2AA8,
        ]
        return readable.filter { uuids.contains($0.item.uuid) }
    }

    /// The characteristics whose read failed with a security error.
    var protected: [Characteristic] {
        characteristics.filter { Set.securityRefusals.contains(values[$0.handle]?.code ?? 0) }
    }
}

import BluetoothBackend

/// The kind of write: with or without an acknowledgement by the device.
public enum WriteType: Hashable, Sendable {
    /// The device acknowledges the write.
    case withResponse
    /// The device does not acknowledge; the call returns when the radio has taken the packet.
    case withoutResponse
}

/// A characteristic of a peripheral.
public final class Characteristic: Sendable {
    /// The service that contains the characteristic.
    public let service: Service
    let record: RemoteCharacteristic

    init(service: Service, record: RemoteCharacteristic) {
        self.service = service
        self.record = record
    }

    /// The peripheral of the service.
    public var peripheral: Peripheral { service.peripheral }
    /// The UUID.
    public var uuid: BluetoothUUID { record.uuid }
    /// The handle of the value; a number of this program if the platform hides handles. It distinguishes two
    /// characteristics with the same UUID.
    public var valueHandle: AttributeID { record.id }
    /// The operations that the characteristic offers.
    public var properties: CharacteristicProperties { record.properties }
    /// The name that the driver gave, or the assigned name.
    public var name: String? {
        let names = peripheral.names.entries.values.first { $0.service == service.uuid }?.characteristics
        return names?.first { $0.value == uuid }?.key ?? AssignedNumbers.characteristicName(uuid)
    }

    /// The discovered descriptors, in the order of the device.
    public var descriptors: [Descriptor] {
        let id = record.id
        return peripheral.store.get { $0.tree.characteristic(id)?.descriptors ?? [] }
            .map { Descriptor(characteristic: self, record: $0) }
    }

    /// The first discovered descriptor that `key` stands for; nil if it was not discovered.
    public subscript(_ key: AttributeKey) -> Descriptor? {
        guard let uuid = key.uuid(names: peripheral.names, in: uuid, among: .descriptor) else { return nil }
        return descriptors.first { $0.uuid == uuid }
    }

    /// Discovers the descriptors.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `cancelled`, `att` with
    ///   the device's error, or `invalidResponse`.
    @discardableResult
    public func discoverDescriptors(timeout: Duration? = .seconds(30)) async throws(BluetoothError) -> [Descriptor] {
        try await discoverDescriptors(by: Deadline(timeout, on: peripheral.radio.loop))
    }

    @discardableResult
    func discoverDescriptors(by deadline: Deadline) async throws(BluetoothError) -> [Descriptor] {
        let id = record.id
        let found = try await peripheral.discover("discover descriptors of \(uuid)", by: deadline) {
            link, left, completion in
            link.discoverDescriptors(of: id, timeout: left, completion: completion)
        }
        peripheral.store.values.withLock { $0.tree.setDescriptors(found, of: id) }
        return found.map { Descriptor(characteristic: self, record: $0) }
    }

    /// Reads the whole value, with further requests if it does not fit into one response.
    /// - Parameter timeout: the time after which the read fails; nil for no limit. It includes pairing where the device
    ///   requires it: where a person has to answer, pair beforehand with ``Peripheral/pair(to:timeout:)``, or allow
    ///   more time.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `cancelled`, `att` with
    ///   the device's error, or a code of pairing.
    public func read(timeout: Duration? = .seconds(10)) async throws(BluetoothError) -> [UInt8] {
        let id = record.id
        return try await peripheral.perform("read \(description)", timeout: timeout, service: service.uuid) {
            link, operation in
            link.read(id, timeout: timeout) { operation.complete($0.map(\.array)) }
        }
    }

    /// Writes the value.
    ///
    /// With response, the call returns when the device has acknowledged, and values of up to 512 bytes are split where
    /// needed. Without response, it returns when the radio has taken the packet: a fast writer is slowed down, and
    /// nothing is lost on the way to the radio.
    /// - Parameters:
    ///   - value: the bytes to write.
    ///   - type: by default the type that the characteristic offers, with response if it offers both.
    ///   - timeout: the limit of the whole call; nil for none.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the characteristic does not offer `type`,
    ///   `invalidArgument` if the value is longer than ``Peripheral/maximumWriteLength(for:)``, `notConnected`,
    ///   `disconnected`, `timeout`, `cancelled`, `att` with the device's error, or a code of pairing.
    public func write(
        _ value: some Sequence<UInt8>, type: WriteType? = nil, timeout: Duration? = .seconds(10)
    ) async throws(BluetoothError) {
        let (id, bytes) = (record.id, Array(value))
        switch try checked(type, length: bytes.count) {
        case .withResponse:
            try await peripheral.perform("write \(description)", timeout: timeout, service: service.uuid) {
                link, operation in
                link.write(bytes, to: id, timeout: timeout, completion: operation.complete)
            }
        case .withoutResponse:
            try await peripheral.perform(
                "write without response \(description)", timeout: timeout, service: service.uuid
            ) {
                link, operation in
                link.writeWithoutResponse(bytes, to: id, timeout: timeout, completion: operation.complete)
            }
        }
    }

    private func checked(_ type: WriteType?, length: Int) throws(BluetoothError) -> WriteType {
        var offered: [WriteType] = []
        if properties.contains(.write) { offered.append(.withResponse) }
        if properties.contains(.writeWithoutResponse) { offered.append(.withoutResponse) }
        guard let chosen = type ?? offered.first, offered.contains(chosen) else {
            throw BluetoothError(
                .unsupported, operation: "write \(description) of \(peripheral.store.label)",
                reason: type == .withoutResponse
                    ? "it does not support writing without response"
                    : type == .withResponse ? "it does not support writing with response" : "it is not writable",
                advice: "its properties are "
                    + (properties.names.isEmpty ? "empty" : properties.names.joined(separator: ", "))
            )
        }
        let limit = peripheral.maximumWriteLength(for: chosen)
        guard length <= limit else {
            throw BluetoothError(
                .invalidArgument, operation: "write \(description) of \(peripheral.store.label)",
                reason: "\(length) bytes exceed the maximum of \(limit)"
                    + (chosen == .withoutResponse ? " in one write without response" : ""))
        }
        return chosen
    }
}

extension Characteristic: Hashable, CustomStringConvertible {
    /// Returns true if both are the same attribute of the same peripheral.
    public static func == (left: Characteristic, right: Characteristic) -> Bool {
        left.record == right.record && left.peripheral == right.peripheral
    }

    /// Hashes the attribute.
    public func hash(into hasher: inout Hasher) { hasher.combine(record) }

    /// UUID and name: "2A19 Battery Level".
    public var description: String { name.map { "\(uuid) \($0)" } ?? uuid.description }
}

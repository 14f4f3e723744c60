import CoreBluetooth
import HaraldDevices

/// A characteristic of a `CBPeripheral` with the type of its value. Results are delivered to the peripheral's delegate.
public struct PeripheralAttribute<Value: GATTValue> {
    /// The peripheral.
    public let peripheral: CBPeripheral
    let service: BluetoothUUID
    let uuid: BluetoothUUID

    /// The discovered characteristic; nil before discovery and if the device does not have it.
    public var characteristic: CBCharacteristic? {
        peripheral.service(service)?.characteristics?.first { $0.uuid.declared == uuid }
    }

    /// Returns true if `other` is this characteristic.
    public func isSame(as other: CBCharacteristic) -> Bool {
        other.uuid.declared == uuid && other.service?.uuid.declared == service
    }

    /// Decodes the value of `other`; nil if it is another characteristic or has no value yet.
    /// - Throws: ``ValueError`` that names the invalid field.
    public func value(of other: CBCharacteristic) throws(ValueError) -> Value? {
        guard isSame(as: other), let data = other.value else { return nil }
        return try Value(bytes: data)
    }

    /// Requests the value.
    /// - Throws: ``PeripheralDriverError/notDiscovered(_:)`` if the characteristic was not discovered.
    public func read() throws(PeripheralDriverError) { peripheral.readValue(for: try discovered()) }

    /// Enables or disables notifications or indications.
    /// - Throws: ``PeripheralDriverError/notDiscovered(_:)`` if the characteristic was not discovered.
    public func setNotify(_ isOn: Bool) throws(PeripheralDriverError) {
        peripheral.setNotifyValue(isOn, for: try discovered())
    }

    /// Writes a value, with a response if the characteristic supports it.
    /// - Throws: ``PeripheralDriverError/value(_:)`` if the value cannot be encoded,
    ///   ``PeripheralDriverError/notDiscovered(_:)`` if the characteristic was not discovered.
    public func write(_ value: Value) throws(PeripheralDriverError) { try write(bytes: encoded(value)) }

    func write(bytes: [UInt8]) throws(PeripheralDriverError) {
        let characteristic = try discovered()
        peripheral.writeValue(Data(bytes), for: characteristic, type: type(of: characteristic))
    }

    private func type(of characteristic: CBCharacteristic) -> CBCharacteristicWriteType {
        characteristic.properties.contains(.write) ? .withResponse : .withoutResponse
    }

    private func discovered() throws(PeripheralDriverError) -> CBCharacteristic {
        guard let characteristic else { throw .notDiscovered(uuid) }
        return characteristic
    }
}

extension PeripheralAttribute<SerialBytes> {
    /// Writes a frame, split into as many writes as it needs. Without responses, data that is written while
    /// `canSendWriteWithoutResponse` is false can be lost.
    /// - Throws: ``PeripheralDriverError/notDiscovered(_:)`` if the characteristic was not discovered,
    ///   ``PeripheralDriverError/value(_:)`` if the payload is too long.
    public func write(
        _ format: FrameFormat, header: [UInt8] = [], payload: [UInt8] = []
    ) throws(PeripheralDriverError) {
        // A part fits into one packet, with or without a response.
        let size = max(1, peripheral.maximumWriteValueLength(for: .withoutResponse))
        let frame: [UInt8]
        do throws(ValueError) { frame = try format.checkedFrame(header: header, payload: payload) } catch {
            throw .value(error)
        }
        var rest = frame[...]
        while !rest.isEmpty {
            try write(bytes: Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
    }
}

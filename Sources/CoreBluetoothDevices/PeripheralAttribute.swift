import CoreBluetooth
import HaraldDevices

/// A characteristic of a peripheral, with the type of its value. What is asked for is answered to the peripheral's
/// delegate.
public struct PeripheralAttribute<Value: GATTValue> {
    /// The device.
    public let peripheral: CBPeripheral
    let service: BluetoothUUID
    let uuid: BluetoothUUID

    /// The characteristic; nil before it is discovered, and where the device does not have it.
    public var characteristic: CBCharacteristic? {
        peripheral.service(service)?.characteristics?.first { $0.uuid.declared == uuid }
    }

    /// Whether a characteristic of the delegate's is this one.
    public func isSame(as other: CBCharacteristic) -> Bool {
        other.uuid.declared == uuid && other.service?.uuid.declared == service
    }

    /// The value of a characteristic of the delegate's; nil where that is another characteristic, or has no value yet.
    /// - Throws: ``ValueError`` that names the field which is wrong.
    public func value(of other: CBCharacteristic) throws(ValueError) -> Value? {
        guard isSame(as: other), let data = other.value else { return nil }
        return try Value(bytes: data)
    }

    /// Asks for the value.
    public func read() throws(PeripheralDriverError) { peripheral.readValue(for: try discovered()) }

    /// Turns on or off what the device sends by itself.
    public func setNotify(_ isOn: Bool) throws(PeripheralDriverError) {
        peripheral.setNotifyValue(isOn, for: try discovered())
    }

    /// Writes a value: with a response where the characteristic has one.
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
    /// Writes a frame, in as many writes as it needs. A device that gives no responses can lose what is written while
    /// `canSendWriteWithoutResponse` is false.
    public func write(
        _ format: FrameFormat, header: [UInt8] = [], payload: [UInt8] = []
    ) throws(PeripheralDriverError) {
        // A part fits in one packet, with a response or without.
        let size = max(1, peripheral.maximumWriteValueLength(for: .withoutResponse))
        var rest = format.frame(header: header, payload: payload)[...]
        while !rest.isEmpty {
            try write(bytes: Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
    }
}

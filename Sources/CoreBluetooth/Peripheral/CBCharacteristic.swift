import BluetoothBackend
import BluetoothModel
import Foundation

/// A characteristic of a remote or of a local device.
open class CBCharacteristic: CBAttribute {
    /// The attribute of the value on its link; nil for a local characteristic.
    let attribute: AttributeID?
    private weak var owner: CBService?
    private var ownProperties: CBCharacteristicProperties
    private var ownValue: Data?
    private var ownDescriptors: [CBDescriptor]?
    private var notifies = false

    init(
        type: CBUUID, properties: CBCharacteristicProperties, value: Data? = nil, attribute: AttributeID? = nil,
        service: CBService? = nil
    ) {
        ownProperties = properties
        ownValue = value
        self.attribute = attribute
        owner = service
        super.init(type: type)
    }

    /// The service that contains the characteristic.
    open var service: CBService? { PropertyLock.read { owner } }
    /// The operations that the characteristic offers.
    open var properties: CBCharacteristicProperties { PropertyLock.read { ownProperties } }
    /// The value that was last read, notified or indicated.
    open var value: Data? { PropertyLock.read { ownValue } }
    /// The discovered descriptors; nil before a discovery.
    open var descriptors: [CBDescriptor]? { PropertyLock.read { ownDescriptors } }
    /// True while the value is broadcast; always false on Linux.
    @available(*, deprecated, message: "broadcasts cannot be requested")
    open var isBroadcasted: Bool { false }
    /// True while the device notifies or indicates the value.
    open var isNotifying: Bool { PropertyLock.read { notifies } }

    func setService(_ service: CBService?) { PropertyLock.replace(service) { owner = $0 } }
    func setProperties(_ properties: CBCharacteristicProperties) {
        PropertyLock.replace(properties) { swap(&ownProperties, &$0) }
    }
    func setValue(_ value: Data?) { PropertyLock.replace(value, of: self) { swap(&ownValue, &$0) } }
    func setDescriptors(_ descriptors: [CBDescriptor]?) {
        PropertyLock.replace(descriptors, of: self) { swap(&ownDescriptors, &$0) }
    }
    func setNotifying(_ isNotifying: Bool) { PropertyLock.replace(isNotifying, of: self) { swap(&notifies, &$0) } }

    /// The UUID, the properties, the length of the value and the notification state.
    open override var description: String {
        let length = value.map { "\($0.count) bytes" } ?? "(null)"
        return "<\(Swift.type(of: self)): UUID = \(uuid), properties = 0x\(String(properties.rawValue, radix: 16)), "
            + "value = \(length), notifying = \(isNotifying ? "YES" : "NO")>"
    }
}

import BluetoothBackend
import Foundation

/// A characteristic of a device, or of one's own.
open class CBCharacteristic: CBAttribute {
    /// Names the value on its link; nil for one of one's own.
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

    /// The service that it belongs to.
    open var service: CBService? { PropertyLock.read { owner } }
    /// What one may do with it.
    open var properties: CBCharacteristicProperties { PropertyLock.read { ownProperties } }
    /// The value that was read or sent last.
    open var value: Data? { PropertyLock.read { ownValue } }
    /// The descriptors, as far as they were discovered.
    open var descriptors: [CBDescriptor]? { PropertyLock.read { ownDescriptors } }
    /// Whether the value is being broadcast; never on Linux.
    @available(*, deprecated, message: "there is no way to ask for broadcasts")
    open var isBroadcasted: Bool { false }
    /// Whether the device sends the value when it changes.
    open var isNotifying: Bool { PropertyLock.read { notifies } }

    func setService(_ service: CBService?) { PropertyLock.replace(service) { owner = $0 } }
    func setProperties(_ properties: CBCharacteristicProperties) {
        PropertyLock.replace(properties) { swap(&ownProperties, &$0) }
    }
    func setValue(_ value: Data?) { PropertyLock.replace(value) { swap(&ownValue, &$0) } }
    func setDescriptors(_ descriptors: [CBDescriptor]?) {
        PropertyLock.replace(descriptors) { swap(&ownDescriptors, &$0) }
    }
    func setNotifying(_ isNotifying: Bool) { PropertyLock.replace(isNotifying) { swap(&notifies, &$0) } }

    /// What it is and what is known of it.
    open override var description: String {
        let length = value.map { "\($0.count) bytes" } ?? "(null)"
        return "<\(Swift.type(of: self)): UUID = \(uuid), properties = 0x\(String(properties.rawValue, radix: 16)), "
            + "value = \(length), notifying = \(isNotifying ? "YES" : "NO")>"
    }
}

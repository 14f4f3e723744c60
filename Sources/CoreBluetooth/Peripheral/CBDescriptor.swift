import BluetoothBackend
import BluetoothModel
import Foundation

/// A descriptor of a characteristic.
open class CBDescriptor: CBAttribute {
    /// The attribute on its link; nil for a local descriptor.
    let attribute: AttributeID?
    private weak var owner: CBCharacteristic?
    private var ownValue: Any?

    init(type: CBUUID, value: Any? = nil, attribute: AttributeID? = nil, characteristic: CBCharacteristic? = nil) {
        self.attribute = attribute
        owner = characteristic
        ownValue = value
        super.init(type: type)
    }

    /// The characteristic that contains the descriptor.
    open var characteristic: CBCharacteristic? { PropertyLock.read { owner } }
    /// The value: an `NSNumber` for extended properties and configurations, a `String` for a user description, a `Data`
    /// for everything else.
    open var value: Any? { PropertyLock.read { ownValue } }

    func setCharacteristic(_ characteristic: CBCharacteristic?) { PropertyLock.replace(characteristic) { owner = $0 } }
    func setValue(_ value: Any?) { PropertyLock.replace(value, of: self) { swap(&ownValue, &$0) } }

    /// Returns the value with the type that belongs to the descriptor's UUID.
    static func typed(_ data: Data, of type: CBUUID) -> Any {
        switch type.model.shortValue {
        case 0x2900, 0x2902, 0x2903:
            NSNumber(value: data.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) })
        case 0x2901: String(decoding: data, as: UTF8.self)
        default: data
        }
    }

    /// The UUID and the value.
    open override var description: String {
        "<\(Swift.type(of: self)): UUID = \(uuid), value = \(value.map { "\($0)" } ?? "(null)")>"
    }
}

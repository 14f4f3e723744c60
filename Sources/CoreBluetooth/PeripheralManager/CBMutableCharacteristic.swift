import BluetoothBackend
import Foundation

/// A characteristic of one's own.
open class CBMutableCharacteristic: CBCharacteristic {
    private var ownPermissions: CBAttributePermissions
    private var centrals: [CBCentral]?
    private var place: AttributeID?

    /// A characteristic. With a value it can only be read, and the value stays; without one the delegate is asked.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        ownPermissions = permissions
        super.init(type: UUID, properties: properties, value: value)
    }

    /// What centrals may do with the value.
    open var permissions: CBAttributePermissions {
        get { PropertyLock.read { ownPermissions } }
        set { PropertyLock.replace(newValue) { swap(&ownPermissions, &$0) } }
    }

    /// Who wants to hear of the value.
    open var subscribedCentrals: [CBCentral]? { PropertyLock.read { centrals } }

    /// What one may do with it.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { setProperties(newValue) }
    }

    /// The value; nil where the delegate is asked.
    open override var value: Data? {
        get { super.value }
        set { setValue(newValue) }
    }

    /// The descriptors.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            setDescriptors(newValue)
            for descriptor in newValue ?? [] { descriptor.setCharacteristic(self) }
        }
    }

    func setSubscribed(_ new: [CBCentral]?) { PropertyLock.replace(new) { swap(&centrals, &$0) } }

    /// Where it was published; nil where it is not.
    var placed: AttributeID? {
        get { PropertyLock.read { place } }
        set { PropertyLock.replace(newValue) { swap(&place, &$0) } }
    }
}

/// A descriptor of one's own: a user description with a `String`, or any other with a `Data`.
open class CBMutableDescriptor: CBDescriptor {
    /// A descriptor with its value.
    public init(type UUID: CBUUID, value: Any?) { super.init(type: UUID, value: value) }
}

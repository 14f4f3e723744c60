import BluetoothBackend
import BluetoothModel
import Foundation

/// A characteristic of the local device.
open class CBMutableCharacteristic: CBCharacteristic {
    private var ownPermissions: CBAttributePermissions
    private var centrals: [CBCentral]?
    private var place: AttributeID?

    /// Creates a characteristic. With a value it is read-only and the value is constant; without one the delegate
    /// answers requests.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        ownPermissions = permissions
        super.init(type: UUID, properties: properties, value: value)
    }

    /// The permissions of centrals on the value.
    open var permissions: CBAttributePermissions {
        get { PropertyLock.read { ownPermissions } }
        set { PropertyLock.replace(newValue) { swap(&ownPermissions, &$0) } }
    }

    /// The centrals that have subscribed to the value.
    open var subscribedCentrals: [CBCentral]? { PropertyLock.read { centrals } }

    /// The operations that the characteristic offers.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { setProperties(newValue) }
    }

    /// The value; nil if the delegate answers requests.
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

    func setSubscribed(_ new: [CBCentral]?) { PropertyLock.replace(new, of: self) { swap(&centrals, &$0) } }

    /// The attribute under which it is published; nil if it is not.
    var placed: AttributeID? {
        get { PropertyLock.read { place } }
        set { PropertyLock.replace(newValue) { swap(&place, &$0) } }
    }
}

/// A descriptor of the local device: a user description with a `String`, or any other with a `Data`.
open class CBMutableDescriptor: CBDescriptor {
    /// Creates a descriptor with its value.
    public init(type UUID: CBUUID, value: Any?) { super.init(type: UUID, value: value) }
}

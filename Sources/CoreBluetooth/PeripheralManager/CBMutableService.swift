import BluetoothBackend
import BluetoothModel
import Foundation

/// A service of the local device.
open class CBMutableService: CBService {
    private var place: AttributeID?
    private var kept = false

    /// Creates a service without characteristics.
    public init(type UUID: CBUUID, primary isPrimary: Bool) { super.init(type: UUID, isPrimary: isPrimary) }

    /// The included services, which have to be published before this one.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set { setIncludedServices(newValue) }
    }

    /// The characteristics.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set {
            for old in super.characteristics ?? [] { old.setService(nil) }
            setCharacteristics(newValue)
            for new in newValue ?? [] { new.setService(self) }
        }
    }

    /// True if the service is still published only because the adapter was powered off, not reset.
    var isKept: Bool {
        get { PropertyLock.read { kept } }
        set { PropertyLock.replace(newValue) { swap(&kept, &$0) } }
    }

    /// The attribute under which it is published; nil if it is not.
    var placed: AttributeID? {
        get { PropertyLock.read { place } }
        set { PropertyLock.replace(newValue) { swap(&place, &$0) } }
    }
}

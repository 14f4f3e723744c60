import BluetoothBackend
import Foundation

/// A service of one's own.
open class CBMutableService: CBService {
    private var place: AttributeID?
    private var kept = false

    /// A service, empty as yet.
    public init(type UUID: CBUUID, primary isPrimary: Bool) { super.init(type: UUID, isPrimary: isPrimary) }

    /// The services that it includes, which have to be published before it is.
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

    /// Whether it is published still only because the radio was switched off, not reset.
    var isKept: Bool {
        get { PropertyLock.read { kept } }
        set { PropertyLock.replace(newValue) { swap(&kept, &$0) } }
    }

    /// Where it was published; nil where it is not.
    var placed: AttributeID? {
        get { PropertyLock.read { place } }
        set { PropertyLock.replace(newValue) { swap(&place, &$0) } }
    }
}

import BluetoothBackend
import BluetoothModel
import Foundation

/// A service of a remote or of a local device.
open class CBService: CBAttribute {
    private let primary: Bool
    /// The attribute of the service on its link; nil for a local service.
    let attribute: AttributeID?
    private weak var owner: CBPeripheral?
    private var ownIncluded: [CBService]?
    private var ownCharacteristics: [CBCharacteristic]?
    private var isVoid = false

    init(type: CBUUID, isPrimary: Bool, attribute: AttributeID? = nil, peripheral: CBPeripheral? = nil) {
        primary = isPrimary
        self.attribute = attribute
        owner = peripheral
        super.init(type: type)
    }

    /// The device; nil for a local service, and when the device was released.
    open var peripheral: CBPeripheral? { PropertyLock.read { owner } }
    /// True for a primary service, false for a secondary one.
    open var isPrimary: Bool { primary }
    /// The discovered included services; nil before a discovery.
    open var includedServices: [CBService]? { PropertyLock.read { ownIncluded } }
    /// The discovered characteristics; nil before a discovery.
    open var characteristics: [CBCharacteristic]? { PropertyLock.read { ownCharacteristics } }

    func setIncludedServices(_ services: [CBService]?) {
        PropertyLock.replace(services, of: self) { swap(&ownIncluded, &$0) }
    }

    func setCharacteristics(_ characteristics: [CBCharacteristic]?) {
        PropertyLock.replace(characteristics, of: self) { swap(&ownCharacteristics, &$0) }
    }

    /// True while the service is valid on the device.
    var isValid: Bool { PropertyLock.read { !isVoid } }

    /// Invalidates the service after the link ended or the device changed its services: none of its values is notified
    /// any more.
    func invalidate() {
        PropertyLock.replace(true) { swap(&isVoid, &$0) }
        for characteristic in characteristics ?? [] { characteristic.setNotifying(false) }
    }

    /// The kind and the UUID of the service: primary or secondary.
    open override var description: String {
        "<\(Swift.type(of: self)): isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
    }
}

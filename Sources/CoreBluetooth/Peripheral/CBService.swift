import BluetoothBackend
import Foundation

/// A service of a device, or of one's own.
open class CBService: CBAttribute {
    private let primary: Bool
    /// Names the service on its link; nil for one of one's own.
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

    /// The device; nil for a service of one's own, and when the device is gone.
    open var peripheral: CBPeripheral? { PropertyLock.read { owner } }
    /// Whether it is primary.
    open var isPrimary: Bool { primary }
    /// The services that it includes, as far as they were discovered.
    open var includedServices: [CBService]? { PropertyLock.read { ownIncluded } }
    /// The characteristics, as far as they were discovered.
    open var characteristics: [CBCharacteristic]? { PropertyLock.read { ownCharacteristics } }

    func setIncludedServices(_ services: [CBService]?) {
        PropertyLock.replace(services) { swap(&ownIncluded, &$0) }
    }

    func setCharacteristics(_ characteristics: [CBCharacteristic]?) {
        PropertyLock.replace(characteristics) { swap(&ownCharacteristics, &$0) }
    }

    /// Whether it still stands for something on the device.
    var isValid: Bool { PropertyLock.read { !isVoid } }

    /// The link ended, or the device changed its services: none of its values is sent any more.
    func invalidate() {
        PropertyLock.replace(true) { swap(&isVoid, &$0) }
        for characteristic in characteristics ?? [] { characteristic.setNotifying(false) }
    }

    /// What it is and how much is known of it.
    open override var description: String {
        "<\(Swift.type(of: self)): isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
    }
}

import BluetoothModel
import Foundation

/// A central that is connected to a device of one's own.
open class CBCentral: CBPeer {
    let id: PeripheralID
    private let engine: PeripheralEngine

    init(_ id: PeripheralID, engine: PeripheralEngine) {
        self.id = id
        self.engine = engine
        super.init(id)
    }

    /// The most octets of one notification or indication to this central.
    open var maximumUpdateValueLength: Int { engine.maximumUpdateLength(for: id) }
}

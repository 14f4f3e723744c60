import BluetoothModel
import Foundation

/// A central that is connected to the local device.
open class CBCentral: CBPeer {
    let id: PeripheralID
    /// Weak, because the engine holds the objects of its centrals, also after its manager was released.
    private weak let engine: PeripheralEngine?

    init(_ id: PeripheralID, engine: PeripheralEngine) {
        self.id = id
        self.engine = engine
        super.init(id)
    }

    /// The maximum length of one notification or indication to this central, in octets.
    open var maximumUpdateValueLength: Int { engine?.maximumUpdateLength(for: id) ?? 20 }
}

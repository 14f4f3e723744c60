import BluetoothHCI
import BluetoothModel

/// The scan parameters of a host (Core 6.0, Vol 4, Part E, 7.8.10 and 7.8.64).
struct ScanParameters {
    var ownAddressType: UInt8 = 0
    /// Bit 0: only devices in the accept list; bit 1: also directed advertising to unresolved private addresses.
    var filterPolicy: UInt8 = 0
    /// The primary PHYs to scan on, as bits.
    var physicalLayers = PHY.le1M.bit
    /// The PHYs of these on which scanning is active.
    var activeLayers: UInt8 = 0
    /// True if extended advertising is received too.
    var hearsExtended = false

    var usesAcceptList: Bool { filterPolicy & 1 != 0 }
    var hearsUnresolvedDirected: Bool { filterPolicy & 2 != 0 }

    /// Creates the default parameters.
    init() {}

    /// Reads the parameters of LE Set Scan Parameters; nil if they are invalid.
    init?(legacy reader: inout ByteReader) {
        guard let type = reader.uint8(), let interval = reader.uint16(), let window = reader.uint16(),
            let own = reader.uint8(), let policy = reader.uint8(),
            type <= 1, own <= 3, policy <= 3, (4...0x4000).contains(interval), (4...interval).contains(window)
        else { return nil }
        ownAddressType = own
        filterPolicy = policy
        activeLayers = type == 1 ? PHY.le1M.bit : 0
    }

    /// Reads the parameters of LE Set Extended Scan Parameters; nil if they are invalid.
    init?(extended reader: inout ByteReader, layers: UInt8) {
        guard let own = reader.uint8(), let policy = reader.uint8(), let phys = reader.uint8(),
            own <= 3, policy <= 3, phys != 0, phys & ~(PHY.le1M.bit | PHY.leCoded.bit) == 0, phys & ~layers == 0
        else { return nil }
        ownAddressType = own
        filterPolicy = policy
        physicalLayers = phys
        hearsExtended = true
        for layer in [PHY.le1M, .leCoded] where phys & layer.bit != 0 {
            guard let type = reader.uint8(), let interval = reader.uint16(), let window = reader.uint16(),
                type <= 1, interval >= 4, window >= 4, window <= interval
            else { return nil }
            if type == 1 { activeLayers |= layer.bit }
        }
        guard reader.isAtEnd else { return nil }
    }
}

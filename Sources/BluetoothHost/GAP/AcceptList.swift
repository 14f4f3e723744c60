import BluetoothHCI
import BluetoothModel

/// The entries of the controller's filter accept list (Core 6.0, Vol 4, Part E, 7.8.15 to 7.8.17).
struct AcceptList {
    /// A change of one entry.
    enum Edit: Equatable {
        case add(BluetoothAddress)
        case remove(BluetoothAddress)

        var opcode: HCIOpcode {
            switch self {
            case .add: .leAddDeviceToAcceptList
            case .remove: .leRemoveDeviceFromAcceptList
            }
        }

        func write(to writer: inout ByteWriter) {
            switch self {
            case .add(let address), .remove(let address):
                writer.uint8(address.kind.rawValue)
                address.write(to: &writer)
            }
        }
    }

    /// True after the controller refused an entry; the list is not used from then on.
    var isRefused = false
    private var entries: Set<BluetoothAddress> = []

    /// Returns the next change towards a list of exactly these devices; nil if the list matches already.
    func nextEdit(towards addresses: [BluetoothAddress]) -> Edit? {
        if let surplus = entries.first(where: { !addresses.contains($0) }) { return .remove(surplus) }
        return addresses.first { !entries.contains($0) }.map(Edit.add)
    }

    /// Records that the controller made or refused a change.
    mutating func ended(_ edit: Edit, isDone: Bool) {
        switch edit {
        // The entry is not in the list, even if the controller refused to remove it.
        case .remove(let address): entries.remove(address)
        case .add(let address):
            if isDone { entries.insert(address) } else { isRefused = true }
        }
    }
}

import BluetoothHCI
import BluetoothModel

/// What the controller's filter accept list holds (Core 6.0, Vol 4, Part E, 7.8.15 to 7.8.17).
struct AcceptList {
    /// One change.
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

    /// The controller refused an entry: the list is of no use.
    var isRefused = false
    private var entries: Set<BluetoothAddress> = []

    /// The next change on the way to a list of exactly these devices; nil where it is that.
    func nextEdit(towards addresses: [BluetoothAddress]) -> Edit? {
        if let surplus = entries.first(where: { !addresses.contains($0) }) { return .remove(surplus) }
        return addresses.first { !entries.contains($0) }.map(Edit.add)
    }

    /// The controller made, or refused, a change.
    mutating func ended(_ edit: Edit, isDone: Bool) {
        switch edit {
        // What cannot be removed is not there.
        case .remove(let address): entries.remove(address)
        case .add(let address):
            if isDone { entries.insert(address) } else { isRefused = true }
        }
    }
}

import BluetoothModel

extension Initiator {
    /// The target of one initiation.
    enum Plan: Equatable {
        case direct(BluetoothAddress)
        /// A bonded device was seen with a private address.
        case behind(BluetoothAddress, identity: BluetoothAddress)
        case list([BluetoothAddress])

        func covers(_ address: BluetoothAddress) -> Bool {
            switch self {
            case .direct(let one), .behind(_, identity: let one): one == address
            case .list(let all): all.contains(address)
            }
        }

        /// The address to initiate to; nil for the accept list.
        var peer: BluetoothAddress? {
            switch self {
            case .direct(let address), .behind(let address, identity: _): address
            case .list: nil
            }
        }
    }
}

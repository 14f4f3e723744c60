import BluetoothModel

/// Devices that a controller listens to where a filter policy says so (Core 6.0, Vol 6, Part B, 4.3.1).
struct AcceptList {
    private let capacity: Int
    private var addresses: Set<BluetoothAddress> = []
    private var acceptsAnonymous = false

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { addresses.count + (acceptsAnonymous ? 1 : 0) }

    func contains(_ address: BluetoothAddress) -> Bool { addresses.contains(address) }

    /// Whether advertisers that do not say who they are are let through.
    var containsAnonymous: Bool { acceptsAnonymous }

    /// False where the list is full. The device `nil` stands for all anonymous ones.
    mutating func insert(_ address: BluetoothAddress?) -> Bool {
        if let address, addresses.contains(address) { return true }
        if address == nil, acceptsAnonymous { return true }
        guard count < capacity else { return false }
        if let address { addresses.insert(address) } else { acceptsAnonymous = true }
        return true
    }

    mutating func remove(_ address: BluetoothAddress?) {
        if let address { addresses.remove(address) } else { acceptsAnonymous = false }
    }

    mutating func removeAll() {
        addresses.removeAll()
        acceptsAnonymous = false
    }
}

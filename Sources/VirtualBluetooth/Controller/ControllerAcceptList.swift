import BluetoothModel

/// The filter accept list (Core 6.0, Vol 6, Part B, 4.3.1).
struct ControllerAcceptList {
    private let capacity: Int
    private var addresses: Set<BluetoothAddress> = []
    private var acceptsAnonymous = false

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { addresses.count + (acceptsAnonymous ? 1 : 0) }

    func contains(_ address: BluetoothAddress) -> Bool { addresses.contains(address) }

    /// True if anonymous advertisers are accepted.
    var containsAnonymous: Bool { acceptsAnonymous }

    /// Adds a device, or all anonymous advertisers for nil. Returns false if the list is full.
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

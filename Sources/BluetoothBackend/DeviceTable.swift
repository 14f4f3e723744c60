import BluetoothModel

/// What names a device in a ``DeviceTable``.
public protocol DeviceKey: Hashable, Sendable {
    /// Bits that differ between most devices.
    var lowBits: UInt64 { get }
}

extension BluetoothAddress: DeviceKey {
    /// The address, whose low bits are chosen at random or counted up by a manufacturer.
    @inlinable
    public var lowBits: UInt64 { value }
}

extension PeripheralID: DeviceKey {
    /// The half that carries an address where there is one.
    @inlinable
    public var lowBits: UInt64 { low }
}

/// Devices by what names them, looked up with every advertisement.
///
/// Beside the dictionary there are places for the low bits of a key: most lookups find the device there that they found the
/// time before, with no hashing. Those whose keys share a place have the dictionary.
public struct DeviceTable<Key: DeviceKey, Device: AnyObject> {
    @usableFromInline private(set) var devices: [Key: Device] = [:]
    /// A power of two, and at least twice as many as devices; none while there were only few, for places take memory.
    @usableFromInline private(set) var places: [(key: Key, device: Device)?] = []
    private static var few: Int { 16 }

    /// No devices.
    public init() {}

    /// How many there are.
    public var count: Int { devices.count }
    /// All of them, in no order.
    public var all: some Collection<Device> { devices.values }

    /// The device with this key.
    @inlinable
    public subscript(key: Key) -> Device? {
        mutating get {
            guard !places.isEmpty else { return devices[key] }
            let place = place(of: key)
            if let found = places[place], found.key == key { return found.device }
            return find(key, andPutAt: place)
        }
    }

    @inlinable
    func place(of key: Key) -> Int { Int(truncatingIfNeeded: key.lowBits) & (places.count - 1) }

    @usableFromInline
    mutating func find(_ key: Key, andPutAt place: Int) -> Device? {
        guard let device = devices[key] else { return nil }
        places[place] = (key, device)
        return device
    }

    /// Adds a device, or replaces the one with its key.
    public mutating func insert(_ device: Device, for key: Key) {
        devices[key] = device
        if places.isEmpty, devices.count < Self.few { return }
        // The others get their places when they are looked up.
        if places.count < 2 * devices.count {
            places = Array(repeating: nil, count: max(4 * Self.few, 2 * places.count))
        }
        places[place(of: key)] = (key, device)
    }

    /// Forgets the others.
    public mutating func keep(where isKept: (Device) -> Bool) {
        devices = devices.filter { isKept($0.value) }
        places = Array(repeating: nil, count: places.count)
    }
}

extension DeviceTable: Sendable where Device: Sendable {}

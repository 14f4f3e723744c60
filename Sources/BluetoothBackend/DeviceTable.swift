import BluetoothModel

/// The key of a device in a ``DeviceTable``.
public protocol DeviceKey: Hashable, Sendable {
    /// Bits that differ between most devices.
    var lowBits: UInt64 { get }
}

extension BluetoothAddress: DeviceKey {
    /// The address, whose low bits are random or assigned in sequence by the manufacturer.
    @inlinable
    public var lowBits: UInt64 { value }
}

extension PeripheralID: DeviceKey {
    /// The low half of the identifier, which contains the address where there is one.
    @inlinable
    public var lowBits: UInt64 { low }
}

/// A table of devices by key, looked up for every advertisement.
///
/// A direct-mapped cache, indexed by the low bits of a key, avoids hashing for most lookups. Devices whose keys share a
/// place in the cache are found in the dictionary.
public struct DeviceTable<Key: DeviceKey, Device: AnyObject> {
    @usableFromInline private(set) var devices: [Key: Device] = [:]
    /// The cache; empty until there are 16 devices, to save memory. Its size is a power of two, and at least twice the
    /// number of devices.
    @usableFromInline private(set) var places: [(key: Key, device: Device)?] = []
    private static var few: Int { 16 }

    /// Creates an empty table.
    public init() {}

    /// The number of devices.
    public var count: Int { devices.count }
    /// All devices, in unspecified order.
    public var all: some Collection<Device> { devices.values }

    /// The device with this key; nil if there is none.
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
        // After the cache has grown, the other devices enter it at their next lookup.
        if places.count < 2 * devices.count {
            places = Array(repeating: nil, count: max(4 * Self.few, 2 * places.count))
        }
        places[place(of: key)] = (key, device)
    }

    /// Removes all devices except those that satisfy `isKept`.
    public mutating func keep(where isKept: (Device) -> Bool) {
        devices = devices.filter { isKept($0.value) }
        places = Array(repeating: nil, count: places.count)
    }
}

extension DeviceTable: Sendable where Device: Sendable {}

import BluetoothBackend
import BluetoothModel

/// Values of the devices heard most recently, for a bounded number of devices: anyone can advertise any number of
/// addresses.
struct RecentDevices<Value> {
    private let capacity: Int
    private var recent: [PeripheralID: Value] = [:]
    /// The values not used since the tables were swapped.
    private var older: [PeripheralID: Value] = [:]

    /// - Parameter capacity: between this number of devices and twice as many are remembered.
    init(capacity: Int = 4096) { self.capacity = max(1, capacity) }

    /// The number of remembered devices.
    var count: Int { recent.count + older.count { recent[$0.key] == nil } }

    subscript(_ id: PeripheralID) -> Value? { recent[id] ?? older[id] }

    /// Changes the value of a device, which is `initial` for one that is not remembered.
    mutating func change<Result>(
        _ id: PeripheralID, initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
    ) -> Result {
        if recent[id] == nil, recent.count >= capacity {
            swap(&recent, &older)
            recent.removeAll(keepingCapacity: true)
        }
        return body(&recent[id, default: older[id] ?? initial()])
    }

    mutating func forget(_ id: PeripheralID) {
        recent[id] = nil
        older[id] = nil
    }

    mutating func removeAll() { self = RecentDevices(capacity: capacity) }
}

/// The services that a device advertised. A device that always advertises other ones has only the last ones.
struct AdvertisedServices {
    private static let limit = 256
    private(set) var all: Set<BluetoothUUID> = []

    /// Adds services; returns true if any of them is new.
    @discardableResult
    mutating func add(_ services: some Collection<BluetoothUUID>) -> Bool {
        guard !services.allSatisfy(all.contains) else { return false }
        if all.count >= Self.limit { all = [] }
        all.formUnion(services)
        return true
    }
}

/// The reported content of a device's advertisements, so that it is reported again only for new content.
struct ReportedAdvertisement {
    /// One bit for each type of data: 0 to 255.
    private var types: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var services = AdvertisedServices()
    private var isEmpty = true

    /// Adds the content of an advertisement; returns true if any of it is new.
    mutating func add(_ advertisement: AdvertisingData) -> Bool {
        let old = types
        for structure in advertisement.structures {
            let bit: UInt64 = 1 << UInt64(structure.type.rawValue & 63)
            switch structure.type.rawValue >> 6 {
            case 0: types.0 |= bit
            case 1: types.1 |= bit
            case 2: types.2 |= bit
            default: types.3 |= bit
            }
        }
        defer { isEmpty = false }
        let hasNewServices = services.add(advertisement.serviceUUIDs)
        return isEmpty || types != old || hasNewServices
    }
}

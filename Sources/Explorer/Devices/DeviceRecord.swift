import BluetoothRuntime
import Foundation
import Harald
import HaraldDevices

/// The model's record of a discovered device.
struct DeviceRecord {
    /// The maximum number of advertisements in the history.
    static let historyLimit = 200
    /// The maximum number of signal strengths in the history: two and a half minutes at four per second.
    static let rssiLimit = 600
    /// The minimum time between two recorded signal strengths.
    private static let rssiPause = Duration.milliseconds(250)

    let peripheral: Peripheral
    /// The index of the device in the order of discovery.
    let order: Int
    let firstSeen: Date
    var lastSeen: Date
    var lastHeard: RadioInstant
    var isFavourite: Bool
    private(set) var name: String?
    private(set) var rssi: Int?
    private(set) var isConnectable: Bool
    private(set) var advertisement: AdvertisingData
    private(set) var count = 0
    private(set) var history = RingBuffer<HeardAdvertisement>(limit: historyLimit)
    private(set) var rssiHistory = RingBuffer<RSSISample>(limit: rssiLimit)
    private var smoother = RSSISmoother()
    private var interval = IntervalEstimator()
    private var lastSample: RadioInstant?
    private var changes: [StructureKey: Date] = [:]
    private var hasScanResponse = false
    private var beacons: [String: Beacon] = [:]
    // Results of table lookups, updated when the advertisement changes.
    private var serviceNames: [String] = []
    private var company: String?
    private var sensorTag: SensorTag.Model?

    /// Identifies a structure by its type and its index among those of the same type.
    private struct StructureKey: Hashable {
        var type: ADType
        var number: Int
    }

    init(_ found: ScanResult, order: Int, isFavourite: Bool, at date: Date, _ time: RadioInstant) {
        peripheral = found.peripheral
        self.order = order
        self.isFavourite = isFavourite
        (firstSeen, lastSeen, lastHeard) = (date, date, time)
        isConnectable = found.isConnectable
        advertisement = found.advertisement
        describe()
        note(found, at: date, time)
    }

    /// Records an advertisement.
    mutating func note(_ found: ScanResult, at date: Date, _ time: RadioInstant) {
        count += 1
        (lastSeen, lastHeard) = (date, time)
        isConnectable = found.isConnectable
        if let name = found.name, name != self.name {
            self.name = name
            sensorTag = SensorTag.model(named: name)
        }
        interval.note(time)
        if found.advertisement != advertisement {
            // The content of the first scan response is not a change.
            take(found.advertisement, at: date, isFirstResponse: found.isScanResponse && !hasScanResponse)
        }
        if found.isScanResponse { hasScanResponse = true }
        history.append(HeardAdvertisement(time: date, rssi: found.rssi, data: found.advertisement))
        guard let rssi = found.rssi else { return }
        self.rssi = rssi
        smoother.add(rssi)
        if let lastSample, time - lastSample < Self.rssiPause { return }
        lastSample = time
        rssiHistory.append(RSSISample(time: date, rssi: rssi))
    }

    /// Records a signal strength that was read over the link.
    mutating func note(rssi: Int, at date: Date) {
        self.rssi = rssi
        rssiHistory.append(RSSISample(time: date, rssi: rssi))
    }

    /// Marks a gap in scanning.
    mutating func interrupt() { interval.interrupt() }

    /// Sets the name that was read over the link, if there is none yet.
    mutating func learn(name: String?) {
        guard let name, self.name == nil else { return }
        self.name = name
        sensorTag = SensorTag.model(named: name)
    }

    private mutating func take(_ data: AdvertisingData, at date: Date, isFirstResponse: Bool) {
        let before = Dictionary(Self.keyed(advertisement), uniquingKeysWith: { first, _ in first })
        for (key, bytes) in Self.keyed(data) where before[key] != bytes {
            if before[key] != nil || !isFirstResponse { changes[key] = date }
        }
        advertisement = data
        describe()
    }

    private static func keyed(_ data: AdvertisingData) -> [(StructureKey, [UInt8])] {
        var numbers: [ADType: Int] = [:]
        return data.structures.map { structure in
            let number = numbers[structure.type, default: 0]
            numbers[structure.type] = number + 1
            return (StructureKey(type: structure.type, number: number), structure.data)
        }
    }

    private mutating func describe() {
        serviceNames = advertisement.serviceUUIDs.map { AssignedNumbers.serviceName($0) ?? $0.description }
        company = advertisement.manufacturerData.first.map { $0.company.name ?? "company \($0.company)" }
        for beacon in Beacon.beacons(in: advertisement) { beacons[beacon.kind] = beacon }
    }

    /// The device as a list entry.
    func device(connection: ConnectionPhase) -> ExplorerDevice {
        ExplorerDevice(
            id: peripheral.id, name: name, address: peripheral.address, rssi: rssi,
            distance: smoother.distance(of: advertisement), interval: interval.interval, firstSeen: firstSeen,
            lastSeen: lastSeen, isConnectable: isConnectable, advertisement: advertisement, advertisementCount: count,
            beacons: beacons.values.sorted { $0.kind < $1.kind }, serviceNames: serviceNames, company: company,
            isFavourite: isFavourite, connection: connection, sensorTag: sensorTag)
    }

    /// The fields of the latest advertisement, each with the time of its last change.
    var fields: [HeardField] {
        var numbers: [ADType: Int] = [:]
        return advertisement.fields.map { field in
            guard let type = field.type else { return HeardField(field: field, changed: nil) }
            let number = numbers[type, default: 0]
            numbers[type] = number + 1
            return HeardField(field: field, changed: changes[StructureKey(type: type, number: number)])
        }
    }
}

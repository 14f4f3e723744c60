import BluetoothProfiles
import BluetoothRuntime
import Foundation
import Harald
import HaraldDevices

/// The model's record of a discovered device.
struct DeviceRecord {
    /// The maximum number of packets in the history.
    static let historyLimit = 200
    /// The maximum number of signal strengths in the history: two and a half minutes at four per second.
    static let rssiLimit = 600
    /// The minimum time between two recorded signal strengths.
    private static let rssiPause = Duration.milliseconds(250)

    let peripheral: Peripheral
    /// The name that the user gave the device.
    private let identity: String?
    /// The index of the device in the order of discovery.
    let order: Int
    let firstSeen: Date
    var lastSeen: Date
    var lastHeard: RadioInstant
    var isFavourite: Bool
    var alias: String?
    private(set) var name: String?
    private(set) var rssi: Int?
    private(set) var isConnectable: Bool
    private(set) var advertisement: AdvertisingData
    private(set) var count = 0
    private(set) var responseCount = 0
    private(set) var history = RingBuffer<HeardPacket>(limit: historyLimit)
    /// The latest packet of each kind.
    private(set) var packets: [AdvertisingPart: [UInt8]] = [:]
    private(set) var rssiHistory = RingBuffer<RSSISample>(limit: rssiLimit)
    private var smoother = RSSISmoother()
    private var interval = IntervalEstimator()
    private var lastSample: RadioInstant?
    private var changes: [StructureKey: Date] = [:]
    private var values: [AdvertisedValue] = []
    // Results of table lookups, updated when the advertisement changes.
    private var serviceNames: [String] = []
    private var company: String?
    private var sensorTag: SensorTag.Model?
    private var kind = DeviceKind.device

    /// Identifies a structure by its packet, its type, and its index among those of the same type.
    private struct StructureKey: Hashable {
        var part: AdvertisingPart
        var type: ADType
        var number: Int
    }

    init(_ found: ScanResult, order: Int, isFavourite: Bool, alias: String?, at date: Date, _ time: RadioInstant) {
        peripheral = found.peripheral
        identity = AdvertisedReader.shared.name(of: found.peripheral.address)
        self.order = order
        self.isFavourite = isFavourite
        self.alias = alias
        (firstSeen, lastSeen, lastHeard) = (date, date, time)
        isConnectable = found.isConnectable
        advertisement = found.advertisement
        values.update(with: AdvertisedReader.shared.values(of: found))
        describe()
        note(found, at: date, time)
    }

    /// Records an advertisement or a scan response.
    mutating func note(_ found: ScanResult, at date: Date, _ time: RadioInstant) {
        let part: AdvertisingPart =
            found.packet == nil ? .merged : found.isScanResponse ? .scanResponse : .advertisement
        if part == .scanResponse {
            responseCount += 1
        } else {
            count += 1
            interval.note(time)
        }
        (lastSeen, lastHeard) = (date, time)
        isConnectable = found.isConnectable
        if let name = identity ?? found.name, name != self.name {
            self.name = name
            sensorTag = SensorTag.model(named: name)
            describe()
        }
        let packet = found.packet ?? found.advertisement.encoded
        if packets[part] != packet {
            noteChanges(from: packets[part], to: packet, part, at: date)
            packets[part] = packet
        }
        if found.advertisement != advertisement {
            values.update(with: AdvertisedReader.shared.values(of: found))
            advertisement = found.advertisement
            describe()
        }
        history.append(HeardPacket(time: date, rssi: found.rssi, part: part, bytes: packet))
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

    /// Records the structures that differ from those of the packet before; the first packet changes nothing.
    private mutating func noteChanges(from before: [UInt8]?, to packet: [UInt8], _ part: AdvertisingPart, at date: Date)
    {
        guard let before else { return }
        let old = Dictionary(Self.keyed(before, part), uniquingKeysWith: { first, _ in first })
        for (key, bytes) in Self.keyed(packet, part) where old[key] != bytes { changes[key] = date }
    }

    private static func keyed(_ packet: [UInt8], _ part: AdvertisingPart) -> [(StructureKey, [UInt8])] {
        var numbers: [ADType: Int] = [:]
        return AdvertisingData(parsing: packet).structures.map { structure in
            let number = numbers[structure.type, default: 0]
            numbers[structure.type] = number + 1
            return (StructureKey(part: part, type: structure.type, number: number), structure.data)
        }
    }

    private mutating func describe() {
        serviceNames = advertisement.serviceUUIDs.map { AssignedNumbers.serviceName($0) ?? $0.description }
        company = advertisement.manufacturerData.first.map { $0.company.name ?? "company \($0.company)" }
        kind = DeviceKind(advertisement, values: values, isSensorTag: sensorTag != nil)
    }

    /// The device as a list entry.
    func device(connection: ConnectionPhase) -> ExplorerDevice {
        ExplorerDevice(
            id: peripheral.id, name: name, alias: alias, kind: kind, address: peripheral.address, rssi: rssi,
            distance: smoother.distance(of: advertisement), interval: interval.interval, firstSeen: firstSeen,
            lastSeen: lastSeen, isConnectable: isConnectable, advertisement: advertisement, advertisementCount: count,
            scanResponseCount: responseCount, values: values, serviceNames: serviceNames, company: company,
            isFavourite: isFavourite, connection: connection, sensorTag: sensorTag)
    }

    /// The fields of the latest packets, each with the time of its last change.
    var fields: [HeardField] {
        AdvertisingPart.allCases.flatMap { part -> [HeardField] in
            guard let packet = packets[part] else { return [] }
            var numbers: [ADType: Int] = [:]
            return AdvertisingData(parsing: packet).fields.map { field in
                guard let type = field.type else { return HeardField(part: part, field: field, changed: nil) }
                let number = numbers[type, default: 0]
                numbers[type] = number + 1
                let key = StructureKey(part: part, type: type, number: number)
                return HeardField(part: part, field: field, changed: changes[key])
            }
        }
    }
}

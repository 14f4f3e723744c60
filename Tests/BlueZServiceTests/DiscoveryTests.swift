import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus
import Testing

@testable import BlueZService

/// Filters, clients and advertised properties, without an adapter.
@Suite struct DiscoveryTests {
    private func report(
        _ structures: [AdvertisingData.Structure] = [], rssi: Int = -50, name: String? = nil, services: [UInt16] = [],
        txPower: Int8? = nil, isDiscoverable: Bool = true
    ) -> ScanReport {
        var data = AdvertisingData(structures: structures)
        if isDiscoverable { data.flags = .standard }
        if let name { data.setLocalName(name, isComplete: true) }
        if !services.isEmpty { data.serviceUUIDs = services.map { BluetoothUUID($0) } }
        data.txPower = txPower
        let address = BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .random)
        return ScanReport(
            peripheral: PeripheralID(address), address: address, knownName: nil, advertisement: data, rssi: rssi,
            isConnectable: true, time: .start)
    }

    private func filter(_ entries: [String: BusValue]) throws -> DiscoveryFilter {
        try #require(try DiscoveryFilter(entries))
    }

    @Test(arguments: [
        ["UUIDs": BusValue.strings(["what"])], ["UUIDs": .string("180d")], ["RSSI": .int16(-128)],
        ["RSSI": .int32(-60)],
        ["RSSI": .int16(-60), "Pathloss": .uint16(50)], ["Pathloss": .uint16(138)], ["Pathloss": .int16(50)],
        ["Transport": .string("wired")], ["DuplicateData": .string("yes")], ["Pattern": .bool(true)],
        ["Unknown": .bool(true)],
    ])
    func wrongFiltersAreInvalid(_ entries: [String: BusValue]) {
        let error = #expect(throws: BusError.self) { try DiscoveryFilter(entries) }
        #expect(error?.name == "org.bluez.Error.InvalidArguments")
    }

    @Test func filtersSelectDevices() throws {
        #expect(try DiscoveryFilter([:]) == nil)
        let heartRate = try filter(["UUIDs": .strings(["180d"])])
        #expect(heartRate.matches(report(services: [0x180D])))
        #expect(!heartRate.matches(report(services: [0x180F])))
        let near = try filter(["RSSI": .int16(-60)])
        #expect(near.matches(report(rssi: -60)) && !near.matches(report(rssi: -61)))
        let path = try filter(["Pathloss": .uint16(60)])
        #expect(path.matches(report(rssi: -60, txPower: 0)))
        #expect(!path.matches(report(rssi: -61, txPower: 0)) && !path.matches(report()))
        #expect(try !filter(["Transport": .string("bredr")]).matches(report()))
        let pattern = try filter(["Pattern": .string("Pol")])
        #expect(pattern.matchesPattern(report(name: "Polar")) == true)
        #expect(pattern.matchesPattern(report(name: "Other")) == false)
        #expect(try filter(["Pattern": .string("C0:FF")]).matchesPattern(report()) == true)
    }

    /// With a filter, each advertisement announces its RSSI; without one, only a change by 8 dB.
    @Test func everyRSSIIsAnnouncedToFilters() {
        var properties = AdvertisedProperties()
        #expect(properties.hear(report(rssi: -50), rssiDelta: 8, repeats: false).contains("RSSI"))
        #expect(!properties.hear(report(rssi: -57), rssiDelta: 8, repeats: false).contains("RSSI"))
        #expect(properties.hear(report(rssi: -50), rssiDelta: 0, repeats: false) == ["RSSI"])
        #expect(properties.hear(report(rssi: -58), rssiDelta: 8, repeats: false) == ["RSSI"])
    }

    @Test func eachClientHasItsOwnDiscovery() throws {
        var clients = DiscoveryClients()
        try clients.start("a")
        #expect(throws: BusError.busy) { try clients.start("a") }
        try clients.start("b")
        try clients.stop("a")
        #expect(throws: BusError.self) { try clients.stop("a") }
        #expect(clients.isDiscovering)
        clients.remove("b")
        #expect(!clients.isDiscovering)
    }

    @Test func aDeviceIsWantedIfOneClientWantsIt() throws {
        var clients = DiscoveryClients()
        clients.setFilter(try filter(["UUIDs": .strings(["180d"])]), of: "a")
        try clients.start("a")
        let (strap, other) = (report(services: [0x180D], isDiscoverable: false), report(isDiscoverable: false))
        #expect(clients.wants(strap) && !clients.wants(other))
        clients.setFilter(try filter(["RSSI": .int16(-55)]), of: "b")
        #expect(!clients.wants(other))
        try clients.start("b")
        #expect(clients.wants(other))
        // The filter of a client remains after its discovery.
        try clients.stop("b")
        #expect(!clients.wants(other))
        try clients.start("b")
        #expect(clients.wants(other))
    }

    @Test func withoutAFilterDevicesHaveToBeDiscoverable() throws {
        var clients = DiscoveryClients()
        try clients.start("a")
        #expect(clients.wants(report()) && !clients.wants(report(isDiscoverable: false)))
    }

    @Test func advertisementsChangeProperties() {
        var properties = AdvertisedProperties()
        let first = properties.hear(
            report(name: "Strap", services: [0x180D], txPower: 4), rssiDelta: 8, repeats: false)
        #expect(Set(first) == ["RSSI", "TxPower", "Name", "Alias", "UUIDs", "AdvertisingFlags"])
        #expect(properties.hear(report(rssi: -57, name: "Strap"), rssiDelta: 8, repeats: false) == [])
        #expect(properties.hear(report(rssi: -58, name: "Strap"), rssiDelta: 8, repeats: false) == ["RSSI"])
        #expect(properties.hear(report(rssi: -59, name: "Strap"), rssiDelta: 0, repeats: false) == ["RSSI"])
        #expect(properties.rssi == -59 && properties.name == "Strap")
        #expect(properties.discoveryEnded() == ["RSSI", "TxPower"])
        #expect(properties.discoveryEnded() == [])
    }

    @Test func aDeviceThatAlwaysAdvertisesOthersKeepsAFew() {
        var properties = AdvertisedProperties()
        for number in 0..<UInt16(10 * AdvertisedProperties.limit) {
            let (low, high) = (UInt8(truncatingIfNeeded: number), UInt8(number >> 8))
            let structures: [AdvertisingData.Structure] = [
                .init(type: .completeServiceUUIDs16, data: [low, high]),
                .init(type: .manufacturerSpecificData, data: [low, high, 1]),
                .init(type: .serviceData16, data: [low, high, 1]),
            ]
            let changes = properties.hear(report(structures), rssiDelta: 8, repeats: false)
            #expect(Set(changes).isSuperset(of: ["UUIDs", "ManufacturerData", "ServiceData"]))
            #expect(properties.services.last == BluetoothUUID(number) && properties.manufacturerData[number] == [1])
        }
        #expect(properties.services.count == AdvertisedProperties.limit)
        #expect(properties.manufacturerData.count <= AdvertisedProperties.limit)
        #expect(properties.serviceData.count <= AdvertisedProperties.limit)
    }

    @Test func dataIsRepeatedOnRequest() {
        var properties = AdvertisedProperties()
        let report = report([.init(type: .manufacturerSpecificData, data: [0x4C, 0, 1])])
        #expect(properties.hear(report, rssiDelta: 8, repeats: false).contains("ManufacturerData"))
        #expect(properties.hear(report, rssiDelta: 8, repeats: false) == [])
        #expect(properties.hear(report, rssiDelta: 8, repeats: true) == ["ManufacturerData"])
        #expect(properties.manufacturerData == [0x4C: [1]])
    }
}

import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus
import Testing

@testable import BlueZService

/// The advertisements of clients, without an adapter.
@Suite struct AdvertisementTests {
    private func request(
        _ properties: [String: BusValue], isDiscoverable: Bool = false, isLimited: Bool? = nil
    ) throws -> AdvertisingRequest {
        try AdvertisementDefinition(properties).request(
            name: "adapter", adapterIsDiscoverable: isDiscoverable, isLimited: isLimited)
    }

    private func bytes(_ entries: [BusValue: [UInt8]], key: String) -> BusValue {
        .dictionary(entries.mapValues { .variant(.bytes($0)) }, key: key, value: "v")
    }

    @Test func propertiesBecomeStructures() throws {
        let request = try request([
            "Type": .string("peripheral"), "ServiceUUIDs": .strings(["180d"]), "LocalName": .string("Strap"),
            "ManufacturerData": bytes([.uint16(0x59): [1, 2]], key: "q"),
            "ServiceData": bytes([.string("180f"): [9]], key: "s"), "Data": bytes([.byte(0x26): [7]], key: "y"),
            "Appearance": .uint16(833), "Discoverable": .bool(true), "MinInterval": .uint32(200),
            "MaxInterval": .uint32(300),
        ])
        #expect(request.isConnectable && request.interval == .milliseconds(200))
        #expect(request.data.flags == .standard && request.data.serviceUUIDs == [0x180D])
        #expect(request.data.manufacturerData(of: CompanyIdentifier(rawValue: 0x59)) == [1, 2])
        #expect(request.data.serviceData == [0x180F: [9]] && request.data.appearance?.rawValue == 833)
        #expect(request.data.structures.contains(.init(type: .transportDiscovery, data: [7])))
        // `bluetoothd` places the name in the scan response.
        #expect(request.scanResponse?.localName == "Strap" && request.data.localName == nil)
    }

    @Test func theAdapterDecidesWhereTheAdvertisementDoesNot() throws {
        let peripheral: [String: BusValue] = ["Type": .string("peripheral"), "Includes": .strings(["local-name"])]
        #expect(try request(peripheral).data.flags == nil)
        #expect(try request(peripheral, isDiscoverable: true).data.flags == .standard)
        #expect(try request(peripheral).scanResponse?.localName == "adapter")
        #expect(try request(["Type": .string("broadcast")], isDiscoverable: true).data.isEmpty)
        let hidden = peripheral.merging(["Discoverable": .bool(false)]) { $1 }
        #expect(try request(hidden, isDiscoverable: true).data.flags == .classicNotSupported)
    }

    @Test func theLimitedModeEnds() throws {
        let limited: [String: BusValue] = [
            "Type": .string("peripheral"), "Discoverable": .bool(true), "DiscoverableTimeout": .uint16(3),
        ]
        #expect(try AdvertisementDefinition(limited).discoverableTimeout == .seconds(3))
        #expect(try request(limited, isLimited: true).data.flags == [.limitedDiscoverable, .classicNotSupported])
        #expect(try request(limited, isLimited: false).data.flags == nil)
    }

    /// Data for more than one legacy packet is left to the backend as a whole.
    @Test func longDataHasNoScanResponse() throws {
        let zeros = [UInt8](repeating: 0, count: 27)
        let request = try request([
            "Type": .string("peripheral"), "LocalName": .string("Strap"),
            "ManufacturerData": bytes([.uint16(0x59): zeros, .uint16(0x5A): zeros], key: "q"),
        ])
        #expect(request.scanResponse == nil && request.data.localName == "Strap")
    }

    @Test(arguments: [
        ["Type": BusValue.string("other")], ["Type": .uint16(1)], ["ServiceUUIDs": .strings(["what"])],
        ["ServiceUUIDs": .string("180d")], ["Type": .string("broadcast"), "Discoverable": .bool(true)],
        ["Includes": .strings(["local-name"]), "LocalName": .string("a")], ["Appearance": .int16(1)],
        ["Includes": .strings(["appearance"]), "Appearance": .uint16(1)], ["MinInterval": .uint32(100)],
        ["MinInterval": .uint32(19), "MaxInterval": .uint32(100)], ["TxPower": .int16(21)],
        ["Data": .dictionary([.byte(9): .variant(.bytes([65]))], key: "y", value: "v")],
        ["ManufacturerData": .dictionary([.uint16(1): .variant(.string("a"))], key: "q", value: "v")],
        [
            "ManufacturerData": .dictionary(
                [.uint16(1): .variant(.bytes(.init(repeating: 0, count: 28)))], key: "q", value: "v")
        ],
        ["SecondaryChannel": .string("3M")], ["Timeout": .string("1")],
        [
            "Type": .string("peripheral"), "Discoverable": .bool(true), "DiscoverableTimeout": .uint16(9),
            "Timeout": .uint16(8),
        ],
    ])
    func wrongPropertiesAreRefused(_ properties: [String: BusValue]) {
        #expect(throws: BusError.failed("Failed to parse advertisement.")) { try AdvertisementDefinition(properties) }
    }
}

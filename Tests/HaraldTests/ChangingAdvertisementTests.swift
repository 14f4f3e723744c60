import Harald
import TestSupport
import Testing
import VirtualTransport

/// Devices whose advertisement changes while a scan runs: a filter sees every advertisement, not only the first.
@Suite(.closesRigs, .timeLimit(.minutes(1))) struct ChangingAdvertisementTests {
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case name, service, company, condition, connectable

        var testDescription: String { rawValue }

        var filter: ScanFilter {
            switch self {
            case .name: ScanFilter(namePrefix: "Later")
            case .service: ScanFilter(services: ["1810"])
            case .company: ScanFilter(manufacturer: CompanyIdentifier(rawValue: 0x1234))
            case .condition: ScanFilter(condition: { $0.advertisement.serviceData["181A"] == [7] })
            case .connectable: ScanFilter(condition: { !$0.isConnectable })
            }
        }

        /// The advertisement that the filter shows.
        var data: AdvertisingData {
            switch self {
            case .name: AdvertisingData(localName: "Later")
            case .service: AdvertisingData(localName: "Bench", serviceUUIDs: ["1810"])
            case .company:
                AdvertisingData(
                    localName: "Bench",
                    manufacturerData: [ManufacturerData(company: CompanyIdentifier(rawValue: 0x1234), data: [1])])
            case .condition: AdvertisingData(localName: "Bench", serviceData: ["181A": [7]])
            case .connectable: AdvertisingData(localName: "Bench")
            }
        }
    }

    @Test(arguments: RigStack.centrals, Change.allCases)
    func aFilterFindsADeviceThatChanges(_ stack: RigStack, _ change: Change) async throws {
        let rig = try await Rig(stack)
        let scan = rig.central.scan(filter: change.filter)
        let found = Task { () -> [ScanResult] in
            var found: [ScanResult] = []
            for try await result in scan {
                found.append(result)
                if found.count == 1 { return found }
            }
            return found
        }
        // The first advertisement was received and hidden.
        while scan.hiddenCount == 0 { try await Task.pause() }
        await rig.device.stopAdvertising()
        try await rig.device.advertise(change.data, connectable: change != .connectable)
        #expect(try await found.value.count == 1)
        #expect(scan.hiddenCount == 0)
    }

    /// A device that is shown once is not shown again when it changes.
    @Test(arguments: RigStack.centrals) func aDeviceIsShownOnce(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let shown = Locked<[String?]>([])
        let scan = rig.central.scan(filter: ScanFilter(namePrefix: "B"))
        let running = Task { for try await found in scan { shown.with { $0.append(found.advertisement.localName) } } }
        while shown.value.isEmpty { try await Task.pause() }
        await rig.device.stopAdvertising()
        try await rig.device.advertise(AdvertisingData(localName: "Begun"))
        // A scan that joins receives the changed advertisement, and so has the first one.
        let other = rig.central.scan(filter: ScanFilter(namePrefix: "Begun"))
        for try await _ in other { break }
        #expect(shown.value == ["Bench"])
        running.cancel()
    }
}

import BluetoothModel
import TestSupport
import Testing

@Suite(.blocksThread) struct AdvertisingDataBuildingTests {
    @Test func structuresThatFitAreInTheAdvertisingPacket() throws {
        let data = AdvertisingData(localName: "Polar H7", serviceUUIDs: [0x180D, 0x180F], flags: .standard)
        let payload = try data.split()
        #expect(payload.advertisingData == AdvertisingDataParsingTests.strap && payload.scanResponse.isEmpty)
        #expect(try data.encoded(limit: 31) == AdvertisingDataParsingTests.strap)
    }

    @Test func furtherStructuresAreInTheScanResponse() throws {
        let data = AdvertisingData(
            localName: "A name of 24 characters.", serviceUUIDs: [BluetoothUUIDTests.uart], flags: .standard,
            txPower: 4)
        let payload = try data.split()
        let advertising = AdvertisingData(parsing: payload.advertisingData)
        let response = AdvertisingData(parsing: payload.scanResponse)
        #expect(advertising.structures.map(\.type) == [.flags, .completeServiceUUIDs128, .txPowerLevel])
        #expect(response.structures.map(\.type) == [.completeLocalName])
        #expect(advertising.merging(scanResponse: response).localName == "A name of 24 characters.")
    }

    @Test func theOnlyPossibleDistributionIsFound() throws {
        // 3 bytes of flags leave 28 = 16 + 12; one after the other, 15 + 12 would go first and 16 + 17 not fit.
        func structure(_ length: Int) -> AdvertisingData.Structure {
            .init(type: .manufacturerSpecificData, data: Array(repeating: UInt8(length), count: length - 2))
        }
        var data = AdvertisingData(flags: .standard)
        for length in [14, 17, 16, 12] { data.append(structure(length)) }
        let payload = try data.split()
        #expect(payload.advertisingData.count == 31 && payload.scanResponse.count == 31)
        #expect(AdvertisingData(parsing: payload.advertisingData).structures.map(\.encodedLength) == [3, 16, 12])
        #expect(AdvertisingData(parsing: payload.scanResponse).structures.map(\.encodedLength) == [14, 17])
    }

    @Test func flagsAreNeverInTheScanResponse() throws {
        var data = AdvertisingData(structures: [.init(type: .uri, data: Array(repeating: 1, count: 29))])
        data.append(.init(type: .flags, data: [6]))
        let payload = try data.split()
        #expect(payload.advertisingData == [0x02, 0x01, 0x06] && payload.scanResponse.count == 31)
        #expect(throws: AdvertisingDataError.self) { try data.split(advertisingLimit: 0, scanResponseLimit: 62) }
    }

    @Test func aNameIsShortenedIfPermitted() throws {
        let data = AdvertisingData(
            localName: "Kürbiskernbrötchenverkäufer", serviceUUIDs: [0x180D], flags: .standard)
        let bytes = try data.encoded(limit: 31, shortensName: true)
        let shortened = AdvertisingData(parsing: bytes)
        #expect(shortened.localName == "Kürbiskernbrötchenve" && !shortened.isNameComplete)
        #expect(bytes.count == 31 && shortened.serviceUUIDs == [0x180D])
        let error = #expect(throws: AdvertisingDataError.self) { try data.encoded(limit: 31) }
        let text = try #require(error?.description)
        #expect(text.contains("Complete Local Name Kürbiskernbrötchenverkäufer (32 bytes)"))
        #expect(text.contains("requires 39 bytes") && text.contains("31 are available;"))
    }

    @Test func charactersAreNeverSplit() throws {
        let family = "👩‍👩‍👧‍👦"
        let data = AdvertisingData(localName: "A" + family)
        #expect(AdvertisingData(parsing: try data.encoded(limit: 20, shortensName: true)).localName == "A")
        #expect(throws: AdvertisingDataError.self) {
            try AdvertisingData(localName: family).encoded(limit: 20, shortensName: true)
        }
    }

    @Test func theErrorNamesTheStructureThatDoesNotFit() throws {
        let data = AdvertisingData(
            localName: "N", serviceUUIDs: [BluetoothUUIDTests.uart], flags: .standard,
            serviceData: [0x180F: Array(repeating: 1, count: 30)])
        let error = #expect(throws: AdvertisingDataError.self) { try data.split() }
        guard case .doesNotFit(let structures, let needed, 31, 31) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(structures.map(\.type) == [.serviceData16] && needed == 3 + 18 + 3 + 34)
        #expect(error?.description.contains("Battery Service (180F)") == true)
    }

    @Test func extendedAdvertisingHoldsMoreData() throws {
        let data = AdvertisingData(
            localName: String(repeating: "n", count: 248), flags: .standard,
            manufacturerData: (0..<5).map { .init(company: .unassigned, data: Array(repeating: $0, count: 250)) })
        #expect(try data.encoded(limit: 1650).count == data.encodedLength)
        #expect(throws: AdvertisingDataError.self) { try data.encoded(limit: 251) }
    }

    @Test func aStructureAbove254BytesIsAnError() throws {
        let large = AdvertisingData.Structure(type: .manufacturerSpecificData, data: Array(repeating: 0, count: 255))
        var data = AdvertisingData(flags: .standard)
        data.append(large)
        #expect(data.structures.count == 2 && data.manufacturerData.count == 1 && data.encodedLength == 3 + 257)
        #expect(data.encoded == [0x02, 0x01, 0x06])
        #expect(throws: AdvertisingDataError.structureTooLong(large)) { try data.encoded(limit: 1650) }
        let named = AdvertisingData(localName: String(repeating: "x", count: 300))
        #expect(throws: AdvertisingDataError.self) { try named.encoded(limit: 1650) }
        let shortened = AdvertisingData(parsing: try named.encoded(limit: 1650, shortensName: true))
        #expect(shortened.localName?.count == 254 && !shortened.isNameComplete)
    }

    @Test func everyDistributionKeepsAllStructures() throws {
        var random = FuzzRandom()
        for _ in 0..<2000 {
            var data = AdvertisingData()
            if Bool.random(using: &random) { data.flags = .standard }
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let length = Int.random(in: 0...14, using: &random)
                let type = UInt8.random(in: 0x0D...0x40, using: &random)
                data.append(
                    .init(
                        type: ADType(rawValue: type),
                        data: (0..<length).map { _ in .random(in: 0...255, using: &random) }))
            }
            do {
                let payload = try data.split()
                #expect(payload.advertisingData.count <= 31 && payload.scanResponse.count <= 31)
                let parts =
                    AdvertisingData(parsing: payload.advertisingData).structures
                    + AdvertisingData(parsing: payload.scanResponse).structures
                #expect(parts.count == data.structures.count && Set(parts) == Set(data.structures))
            } catch {
                #expect(!isPossible(data.structures), "\(data.structures.map(\.encodedLength))")
            }
        }
    }

    /// By trying every distribution.
    private func isPossible(_ structures: [AdvertisingData.Structure]) -> Bool {
        (0..<1 << structures.count).contains { choice in
            var lengths = [0, 0]
            for (index, structure) in structures.enumerated() {
                let inResponse = choice & 1 << index != 0
                if inResponse && structure.type == .flags { return false }
                lengths[inResponse ? 1 : 0] += structure.encodedLength
            }
            return lengths[0] <= 31 && lengths[1] <= 31
        }
    }
}

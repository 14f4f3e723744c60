import BluetoothModel
import Testing

@testable import BluetoothHost

/// The layout of the database, its hash, and the effects of a change.
@Suite struct DatabaseTests {
    /// The example of the specification (Core 6.0, Vol 3, Part G, Appendix B).
    @Test func theHashIsThatOfTheSpecification() throws {
        var table = AttributeTable()
        func add(_ service: GATTServiceDefinition) throws {
            var placement = ServicePlacement(table)
            _ = try placement.place(service)
            try table.insert(placement.group)
        }
        func characteristic(
            _ uuid: BluetoothUUID, _ properties: CharacteristicProperties,
            _ descriptors: [GATTDescriptorDefinition] = []
        ) -> GATTCharacteristicDefinition {
            GATTCharacteristicDefinition(
                uuid: uuid, properties: properties, value: .kept([0x77]), descriptors: descriptors)
        }
        try add(
            GATTServiceDefinition(
                uuid: "1800",
                characteristics: [characteristic("2A00", [.read, .write]), characteristic("2A01", .read)]))
        try add(
            GATTServiceDefinition(
                uuid: "1801",
                characteristics: [
                    characteristic("2A05", .indicate), characteristic("2B29", [.read, .write]),
                    characteristic("2B2A", .read),
                ]))
        // The battery service comes first here: it is included by the one at the lower handle.
        try add(
            GATTServiceDefinition(
                uuid: "180F", isPrimary: false, characteristics: [characteristic("2A19", .read)], handle: 0x14))
        let glucose = GATTServiceDefinition(
            uuid: "1808", includes: [0x14],
            characteristics: [
                characteristic(
                    "2A18", [.read, .indicate, .extendedProperties],
                    [
                        GATTDescriptorDefinition(uuid: "2902", value: .kept([])),
                        GATTDescriptorDefinition(uuid: "2900", value: .kept([0, 0])),
                    ])
            ], handle: 0x0E)
        try add(glucose)
        let input = """
            0100 0028 0018 0200 0328 0A0300002A 0400 0328 020500012A 0600 0028 0118 0700 0328 200800052A 0900 0229
            0A00 0328 0A0B00292B 0C00 0328 020D002A2B 0E00 0028 0818 0F00 0228 14001600 0F18 1000 0328 A21100182A
            1200 0229 1300 0029 0000 1400 0128 0F18 1500 0328 021600192A
            """
        #expect(table.hashInput == octets(input))
        #expect(DatabaseHash.digest(table.hashInput).hexText() == "F1CA2D48ECF58BAC8A8830BBB9FBA990")
    }

    @Test func theHashIsReadWithTheLeastSignificantOctetFirst() {
        let server = GATTServer()
        let side = OneSide(role: .peripheral, server: server)
        let reversed = [UInt8](server.databaseHash.reversed()).hexText()
        #expect(side.answer(to: "08 0100 FFFF 2A2B") == "09120F00" + reversed)
        #expect(side.answer(to: "0A 0F00") == "0B" + reversed)
    }

    @Test func handlesAreConsecutiveOrAsDefined() throws {
        let server = GATTServer()
        let first = try server.add(
            GATTServiceDefinition(
                uuid: "FFF0",
                characteristics: [
                    GATTCharacteristicDefinition(uuid: "FFF1", properties: .notify, value: .dynamic),
                    GATTCharacteristicDefinition(
                        uuid: "FFF2", properties: .read, value: .dynamic,
                        descriptors: [GATTDescriptorDefinition(uuid: "2901", value: .kept([]), handle: 0x28)],
                        handle: 0x25),
                ], handle: 0x20))
        #expect(first.range == 0x20...0x28)
        #expect(first.characteristics[0].declarationHandle == 0x21)
        #expect(first.characteristics[0].configurationHandle == 0x23)
        #expect(first.characteristics[1].declarationHandle == 0x24)
        #expect(first.characteristics[1].descriptorHandles == [0x28])
        let second = try server.add(GATTServiceDefinition(uuid: "FFE0", characteristics: []))
        #expect(second.range == 0x29...0x29)
    }

    @Test(arguments: [0x08, 0x21, 0x1F])
    func collidingHandlesAreRefused(_ handle: Int) throws {
        let server = GATTServer()
        let one = GATTCharacteristicDefinition(uuid: "FFF1", properties: .read, value: .dynamic)
        _ = try server.add(GATTServiceDefinition(uuid: "FFF0", characteristics: [one], handle: 0x20))
        let before = server.databaseHash
        #expect(throws: RadioError.self) {
            try server.add(
                GATTServiceDefinition(uuid: "FFE0", characteristics: [one], handle: UInt16(handle)))
        }
        #expect(server.databaseHash == before)
    }

    @Test func handlesThatGoBackwardsAndMissingServicesAreRefused() {
        let server = GATTServer()
        let late = GATTCharacteristicDefinition(uuid: "FFF1", properties: .read, value: .dynamic, handle: 0x40)
        let early = GATTCharacteristicDefinition(uuid: "FFF2", properties: .read, value: .dynamic, handle: 0x30)
        let zero = GATTCharacteristicDefinition(uuid: "FFF2", properties: .read, value: .dynamic, handle: 0)
        for bad in [
            GATTServiceDefinition(uuid: "FFF0", characteristics: [late, early], handle: 0x20),
            GATTServiceDefinition(uuid: "FFF0", characteristics: [zero]),
            GATTServiceDefinition(uuid: "FFF0", characteristics: [], handle: 0),
            GATTServiceDefinition(uuid: "FFF0", includes: [0x99], characteristics: []),
            GATTServiceDefinition(uuid: "FFF0", characteristics: [late], handle: 0xFFFF),
            GATTServiceDefinition(uuid: "1800", characteristics: []),
        ] {
            #expect(throws: RadioError.self) { try server.add(bad) }
        }
    }

    @Test func theGenericServicesHaveTheRequestedHandles() {
        let server = GATTServer(GATTServerConfiguration(gapHandle: 0x100, gattHandle: 0x200))
        let side = OneSide(role: .peripheral, server: server)
        #expect(side.answer(to: "10 0100 FFFF 0028") == "11060001060100180002090" + "20118")
    }

    // MARK: Changes

    private let extra = GATTServiceDefinition(
        uuid: "FFE0",
        characteristics: [GATTCharacteristicDefinition(uuid: "FFE1", properties: .read, value: .kept([5]))])

    @Test func subscribersReceiveServiceChangedOneAfterTheOther() throws {
        let server = GATTServer()
        let side = OneSide(role: .peripheral, server: server)
        let quiet = OneSide(role: .peripheral, server: server)
        #expect(side.answer(to: "12 0B00 0200") == "13")
        let first = try server.add(extra)
        #expect(side.fake.take() == ["1D0A0012001400"])
        // Two changes while the first is unconfirmed become one.
        let second = try server.add(extra)
        server.remove(first.handle)
        #expect(side.fake.take().isEmpty)
        side.link.receive("1E")
        #expect(side.fake.take() == ["1D0A0012001700"])
        side.link.receive("1E")
        #expect(side.fake.take().isEmpty && quiet.fake.take().isEmpty)
        #expect(side.answer(to: "0A 1400") == "010A140001")
        #expect(side.answer(to: "0A 1700") == "0B05")
        server.remove(8)
        #expect(second.range == 0x15...0x17 && side.fake.take().isEmpty)
    }

    @Test func aClientWithRobustCachingReceivesOutOfSyncOnce() throws {
        let server = GATTServer()
        let side = OneSide(role: .peripheral, server: server)
        #expect(side.answer(to: "12 0D00 01") == "13")
        _ = try server.add(extra)
        // Commands are ignored, searches succeed, a request by handle fails with the error.
        #expect(side.answer(to: "10 0100 FFFF 0028").hasPrefix("11"))
        #expect(side.answer(to: "0A 0300") == "010A030012")
        #expect(side.answer(to: "0A 0300").hasPrefix("0B"))
        // The hash reports the change as well.
        _ = try server.add(extra)
        #expect(side.answer(to: "08 0100 FFFF 2A2B").hasPrefix("0912"))
        #expect(side.answer(to: "0A 0300").hasPrefix("0B"))
    }

    @Test func aClientWithoutRobustCachingReceivesNoError() throws {
        let server = GATTServer()
        let side = OneSide(role: .peripheral, server: server)
        _ = try server.add(extra)
        #expect(side.answer(to: "0A 0300").hasPrefix("0B"))
    }

    @Test func noValuesAreSentToAChangeUnawareClient() throws {
        let server = GATTServer()
        let placed = try server.add(
            GATTServiceDefinition(
                uuid: "FFF0",
                characteristics: [GATTCharacteristicDefinition(uuid: "FFF1", properties: .notify, value: .dynamic)]))
        let side = OneSide(role: .peripheral, server: server)
        #expect(side.answer(to: "12 0D00 01") == "13")
        #expect(side.answer(to: "12 1500 0100") == "13")
        #expect(side.answer(to: "12 0B00 0200") == "13")
        _ = try server.add(extra)
        let handle = placed.characteristics[0].valueHandle
        server.send([1], for: handle) { _ in }
        #expect(side.fake.take() == ["1D0A0016001800"])
        side.link.receive("1E")
        server.send([2], for: handle) { _ in }
        #expect(side.fake.take() == ["1B140002"])
    }

    /// A change after the client has read the hash, and before it subscribes to Service Changed, is indicated with the
    /// subscription. Without the indication the client would keep outdated attributes, and receive no values.
    @Test func aChangeBeforeTheSubscriptionIsIndicatedAfterIt() throws {
        let server = GATTServer()
        let placed = try server.add(
            GATTServiceDefinition(
                uuid: "FFF0",
                characteristics: [GATTCharacteristicDefinition(uuid: "FFF1", properties: .notify, value: .dynamic)]))
        let side = OneSide(role: .peripheral, server: server)
        #expect(side.answer(to: "12 1500 0100") == "13")
        #expect(side.answer(to: "08 0100 FFFF 2A2B").hasPrefix("0912"))
        _ = try server.add(extra)
        #expect(side.fake.take().isEmpty)
        side.link.receive("12 0B00 0200")
        #expect(side.fake.take().sorted() == ["13", "1D0A0016001800"])
        #expect(side.answer(to: "12 0D00 01") == "13")
        let handle = placed.characteristics[0].valueHandle
        server.send([1], for: handle) { _ in }
        #expect(side.fake.take().isEmpty)
        side.link.receive("1E")
        server.send([2], for: handle) { _ in }
        #expect(side.fake.take() == ["1B140002"])
        // A change that was indicated is not indicated again with a further subscription.
        #expect(side.answer(to: "12 0B00 0000") == "13")
        #expect(side.answer(to: "12 0B00 0200") == "13")
    }
}

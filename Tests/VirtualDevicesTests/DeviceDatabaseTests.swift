import Harald
import Testing
import VirtualTransport

@testable import VirtualDevices

/// Databases that device files describe down to the handle.
@Suite(.timeLimit(.minutes(2))) struct DeviceDatabaseTests {
    private static let whole = """
        name: Gap Name
        genericServices: false
        advertise: {name: On Air}
        services:
          - uuid: 180D
            handle: 0x0100
            endHandle: 0x0140
            includes: [lamp, 180A, 1801]
            characteristics:
              - {uuid: 2A37, properties: [notify], cccd: false, value: {u8: 1}}
              - {uuid: 2A38, properties: [read], cccd: true, handle: 0x0120, value: {u8: 2}}
              - uuid: 2A39
                properties: [indicate]
                descriptors:
                  - {uuid: 2901, value: {text: Point}}
                  - {uuid: 2902, handle: 0x0130}
          - uuid: 1801
            handle: 0x0020
            characteristics:
              - {uuid: 2A05, properties: [read, indicate], value: {hex: "0100FFFF"}}
          - uuid: 1800
            handle: 0x0001
            characteristics:
              - {uuid: 2A00, properties: [read]}
              - {uuid: 2A01, properties: [read], value: {u16: 0x0341}}
              - {uuid: 2A04, properties: [read], value: {hex: "0600060000006400"}}
          - {uuid: 180A, primary: false, handle: 0x0200}
          - {uuid: FFF0, name: first, handle: 0x0210}
          - {uuid: FFF0, name: lamp, primary: false, handle: 0x0220, characteristics: [
              {uuid: FFF1, properties: [read], value: {u8: 7}}]}
        """

    @Test func theDatabaseIsAsDescribedInTheFile() async throws {
        let file = try DeviceFile(yaml: Self.whole)
        let radio = VirtualRadio()
        let device = try await VirtualDevice(file, on: radio.adapter(named: "device"))
        let central = try await Central(adapter: radio.adapter(named: "central"))
        var found: Peripheral?
        for try await discovery in central.scan() where discovery.name == "On Air" {
            found = discovery.peripheral
            break
        }
        let peripheral = try #require(found)
        try await peripheral.connect()
        let services = try await peripheral.discoverAll()
        #expect(services.map(\.uuid) == ["1800", "1801", "180D", "FFF0"])
        #expect(services.map(\.handle.rawValue) == [0x0001, 0x0020, 0x0100, 0x0210])
        let rate = try #require(services.first { $0.uuid == "180D" })
        #expect(rate.includedServices.map(\.uuid) == ["FFF0", "180A", "1801"])
        #expect(rate.includedServices.map(\.handle.rawValue) == [0x0220, 0x0200, 0x0020])
        #expect(rate.includedServices.map(\.isPrimary) == [false, false, true])
        #expect(rate.characteristics.map(\.valueHandle.rawValue) == [0x0105, 0x0120, 0x0123])
        let descriptors = rate.characteristics.map { $0.descriptors.map(\.uuid) }
        #expect(descriptors == [[], ["2902"], ["2901", "2902"]])
        #expect(rate.characteristics.last?.descriptors.last?.handle.rawValue == 0x0130)
        // The contents of a secondary service are discovered through the service that includes it.
        #expect(try await rate.includedServices[0].characteristics.first?.read() == [7])
        #expect(services[0].characteristics.map(\.uuid) == ["2A00", "2A01", "2A04"])
        #expect(try await services[0]["2A00"]?.read() == Array("Gap Name".utf8))
        #expect(try await services[0]["2A01"]?.read() == [0x41, 0x03])
        #expect(try await services[1]["2A05"]?.read() == [1, 0, 0xFF, 0xFF])
        await peripheral.disconnect()
        await central.close()
        await device.close()
    }

    /// A descriptor with the type of a characteristic declaration: its value handle is in another service.
    static let faulty = """
        name: Faulty
        services:
          - uuid: 180F
            handle: 0x0020
            characteristics:
              - uuid: 2A19
                properties: [read]
                value: {u8: 85}
                descriptors: [{uuid: 2803, value: {hex: "02 31 00 38 2A"}}]
          - uuid: 180A
            handle: 0x0030
            characteristics: [{uuid: 2A29, properties: [read], value: {text: Maker}}]
        """

    @Test func aDeviceWithAnInvalidDatabaseStaysUsable() async throws {
        let radio = VirtualRadio()
        let device = try await VirtualDevice(
            DeviceFile(yaml: Self.faulty), on: radio.adapter(named: "device"))
        let central = try await Central(adapter: radio.adapter(named: "central"))
        var found: Peripheral?
        for try await discovery in central.scan() where discovery.name == "Faulty" {
            found = discovery.peripheral
            break
        }
        let peripheral = try #require(found)
        // The second connection uses the stored database, including its fault.
        for _ in 1...2 {
            try await peripheral.connect()
            let services = try await peripheral.discoverAll()
            #expect(services.map(\.uuid) == ["1800", "1801", "180F", "180A"])
            #expect(services[2].characteristics.map(\.uuid) == ["2A19"])
            #expect(try await services[2]["2A19"]?.read() == [85])
            #expect(try await services[3]["2A29"]?.read() == Array("Maker".utf8))
            #expect(peripheral.skippedAttributes.map(\.kind) == [.characteristic])
            #expect(peripheral.skippedAttributes.map(\.attribute.rawValue) == [0x0023])
            #expect(peripheral.skippedAttributeCount == 1)
            await peripheral.disconnect()
        }
        await central.close()
        await device.close()
    }

    @Test func missingGenericServicesAreAdded() throws {
        let file = try DeviceFile(
            yaml: """
                name: X
                services:
                  - {uuid: 180F}
                  - uuid: 1800
                    characteristics: [{uuid: 2A00, properties: [read]}]
                """)
        #expect(file.localServices.map(\.uuid) == ["180F", "1800"])
        #expect(file.addsGenericServices)
        #expect(file.localServices[1].characteristics.first?.value == Array("X".utf8))
    }

    @Test(
        arguments: [
            // Handles.
            ("services:\n  - {uuid: 180F, handle: 3}", 3, 26, "overlap the service 1800 at 1 to 7"),
            ("services:\n  - {uuid: 180F, handle: 0x20}\n  - {uuid: 180A, handle: 0x20}", 4, 26, "180F at 32 to 32"),
            (
                "services:\n  - {uuid: 180F, handle: 0x20, endHandle: 0x30}\n  - {uuid: 180A, handle: 0x30}", 4, 26,
                "overlap"
            ),
            (
                "services:\n  - uuid: 180F\n    endHandle: 0x11\n    characteristics:\n"
                    + "      - {uuid: 2A19, properties: [read], handle: 0x20}", 4, 16, "before its last attribute"
            ),
            (
                "services:\n  - uuid: 180F\n    handle: 0x30\n    characteristics:\n"
                    + "      - {uuid: 2A19, properties: [read], handle: 0x20}", 6, 50, "must be above 48"
            ),
            (
                "services:\n  - uuid: 180F\n    characteristics:\n      - uuid: 2A19\n        properties: [read]\n"
                    + "        descriptors: [{uuid: 2901, value: {text: a}, handle: 2}]", 7, 62, "must be above 20"
            ),
            ("services:\n  - {uuid: 180F, handle: 0xFFFF}\n  - {uuid: 180A}", 4, 5, "attribute handles are in use"),
            ("services:\n  - {uuid: 1800, handle: 0xFFF0, endHandle: 0xFFFF}", 3, 26, "attribute handles are in use"),
            // Services.
            ("services:\n  - {uuid: 1800}\n  - {uuid: 1800}", 4, 12, "this is the second"),
            ("services:\n  - {uuid: FFF0}\n  - {uuid: FFF0}\n  - {uuid: 180F, includes: FFF0}", 5, 28, "a 'name'"),
            ("services:\n  - {uuid: FFF0, name: lamp}\n  - {uuid: 180F, includes: lam}", 4, 28, "did you mean 'lamp'"),
            ("services:\n  - {uuid: FFF0, name: a}\n  - {uuid: FFF1, name: a}", 4, 24, "twice"),
            // Client configurations.
            (
                "services:\n  - uuid: FFF0\n    characteristics:\n      - uuid: FFF1\n        properties: [notify]\n"
                    + "        cccd: false\n        descriptors: [{uuid: 2902}]", 8, 23, "cccd: false"
            ),
            (
                "services:\n  - uuid: FFF0\n    characteristics:\n      - uuid: FFF1\n        properties: [notify]\n"
                    + "        descriptors: [{uuid: 2902, value: {u16: 1}}]", 7, 36, "takes no 'value'"
            ),
            // The advertised data.
            ("advertise:\n  name: \(String(repeating: "n", count: 63))", 3, 9, "62"),
            ("advertise:\n  raw: \"020106 1EFF0102\"", 3, 8, "at byte 3 is incomplete"),
            ("advertise:\n  scanResponse: \"0509\"", 3, 17, "is incomplete"),
            ("advertise:\n  scanResponse: \"\(String(repeating: "00", count: 32))\"", 3, 17, "at most 31 bytes"),
            (
                "advertise:\n  services: [180D]\n"
                    + "  serviceData: {service: FEAA, data: {hex: \"\(String(repeating: "00", count: 60))\"}}", 3, 3,
                "too long"
            ),
            // Values.
            (
                "services:\n  - uuid: FFF0\n    characteristics:\n      - uuid: FFF1\n        properties: [read]\n"
                    + "        descriptors: [{uuid: 2901, value: {text: \"\(String(repeating: "n", count: 513))\"}}]",
                7,
                43, "512"
            ),
        ] as [(String, Int, Int, String)])
    func errorsNameTheirLineAndColumn(_ yaml: String, _ line: Int, _ column: Int, _ part: String) {
        let error = #expect(throws: DeviceFileError.self) { try DeviceFile(yaml: "name: X\n" + yaml) }
        #expect(error?.message.contains(part) == true, "\(String(describing: error))")
        #expect(error?.line == line, "\(String(describing: error))")
        #expect(error?.column == column, "\(String(describing: error))")
    }

    @Test func filesThatCouldNotRunAreRefused() {
        let services = (0..<2000).map { _ in "  - {uuid: FFF0}\n" }.joined()
        let many = #expect(throws: DeviceFileError.self) { try DeviceFile(yaml: "name: X\nservices:\n" + services) }
        #expect(many?.line == 1003 && many?.column == 5)
        let emoji = String(repeating: "\u{1F600}", count: 62)
        let long = #expect(throws: DeviceFileError.self) { try DeviceFile(yaml: "name: \(emoji)") }
        #expect(long?.line == 1 && long?.column == 7)
        let scene = #expect(throws: DeviceFileError.self) {
            try SceneFile(yaml: "devices:\n  - {device: polar-h7, name: \(emoji)}")
        }
        #expect(scene?.line == 2 && scene?.column == 30)
    }

    @Test(
        arguments: [
            // A name that is truncated between two characters, and a list of services of which some are omitted.
            "name: \(String(repeating: "\u{1F600}", count: 15))",
            "name: X\nservices:\n" + (0..<20).map { "  - {uuid: FF\(10 + $0)}\n" }.joined(),
            "name: X\nservices:\n"
                + (1...3).map { "  - {uuid: 6E40000\($0)-B5A3-F393-E0A9-E50E24DCCA9E}\n" }.joined(),
            "name: A long name that does not fit\nadvertise: {services: [180D], scanResponse: \"03030A18\"}",
        ])
    func acceptedFilesCanBeAdvertised(_ yaml: String) async throws {
        let file = try DeviceFile(yaml: yaml)
        let radio = VirtualRadio()
        let device = try await VirtualDevice(file, on: radio.adapter(named: "device"))
        let central = try await Central(adapter: radio.adapter(named: "central"))
        for try await discovery in central.scan() {
            let data = discovery.advertisement
            #expect(data.encoded.count <= 31 + 31)
            #expect(data.localName.map { file.name.hasPrefix($0) } == true)
            break
        }
        await central.close()
        await device.close()
    }
}

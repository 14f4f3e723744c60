import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct ExtendedAdvertisingTests {
    /// Parameters of a set that advertises every 100 ms.
    static func parameters(
        _ handle: String, _ properties: String, own: String = "00", peer: String = "00 000000000000",
        primary: String = "01", secondary: String = "01", sid: String = "03", notify: String = "00"
    ) -> String {
        "\(handle) \(properties) A00000 A00000 07 \(own) \(peer) 00 7F \(primary) 00 \(secondary) \(sid) \(notify)"
    }

    static func scan(_ host: TestHost, active: Bool, filter: String = "00", duration: String = "0000 0000") {
        host.command(.leSetExtendedScanParameters, "00 00 01 \(active ? "01" : "00") 1000 1000")
        host.command(.leSetExtendedScanEnable, "01 \(filter) \(duration)")
    }

    /// The head of an extended report up to the length of the data.
    static func report(
        _ type: String, address: String = "00 020000414802", phys: String = "01 01 03", power: String = "7F",
        target: String = "00 000000000000"
    ) -> String {
        "3E 0D 01 \(type) \(address) \(phys) \(power) CE 0000 \(target)".without
    }

    @Test func legacyPacketsInExtendedReports() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            #expect(host.command(.leSetExtendedAdvertisingParameters, Self.parameters("00", "1300")) == "0000")
            #expect(host.command(.leSetExtendedAdvertisingData, "00 03 01 03 020106") == "00")
            #expect(host.command(.leSetExtendedScanResponseData, "00 03 01 02 01FF") == "00")
            #expect(host.command(.leSetExtendedAdvertisingEnable, "01 01 00 0000 00") == "00")
            Self.scan(stage.hosts[0], active: true)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(
                stage.hosts[0].takeEvents() == [
                    Self.report("1300", phys: "01 00 FF") + "03020106",
                    Self.report("1B00", phys: "01 00 FF") + "0201FF",
                ])
        }
    }

    @Test func legacyScannersReceiveLegacyPacketsOnly() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("00", "1000"))
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("01", "0000"))
            host.command(.leSetExtendedAdvertisingEnable, "01 02 00 0000 00 01 0000 00")
            stage.hosts[0].command(.leSetScanEnable, "0100")
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["3E 02 01 03 00 020000414802 00 CE".without])
        }
    }

    @Test func longDataInParts() async {
        let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("05", "4000", secondary: "02"))
            let parts = [("01", data[0..<251]), ("00", data[251..<502]), ("02", data[502..<600])]
            for (operation, part) in parts {
                let length = [UInt8(part.count)].hexText()
                #expect(
                    host.command(.leSetExtendedAdvertisingData, "05 \(operation) 00 \(length) \(part.hexText())")
                        == "00")
                if operation == "01" {
                    #expect(host.command(.leSetExtendedAdvertisingEnable, "01 01 05 0000 00") == "0C")
                }
            }
            #expect(host.command(.leSetExtendedAdvertisingEnable, "01 01 05 0000 00") == "00")
            Self.scan(stage.hosts[0], active: false)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            let head = { (type: String) in Self.report(type, phys: "01 02 03", power: "00") }
            #expect(
                stage.hosts[0].takeEvents() == [
                    head("2000") + "E5" + data[0..<229].hexText(), head("2000") + "E5" + data[229..<458].hexText(),
                    head("0000") + "8E" + data[458..<600].hexText(),
                ])
        }
    }

    @Test func scannableSetsRespondWithTheirData() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("00", "0200", notify: "01"))
            #expect(host.command(.leSetExtendedAdvertisingData, "00 03 01 01 AA") == "12")
            #expect(host.command(.leSetExtendedAdvertisingEnable, "01 01 00 0000 00") == "0C")
            #expect(host.command(.leSetExtendedScanResponseData, "00 03 01 02 01FF") == "00")
            #expect(host.command(.leSetExtendedAdvertisingEnable, "01 01 00 0000 00") == "00")
            Self.scan(stage.hosts[0], active: true)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == [Self.report("0200") + "00", Self.report("0A00") + "0201FF"])
            // The scan request, from the first host.
            #expect(stage.hosts[1].takeEvents() == ["3E 13 00 00 010000414802".without])
        }
    }

    @Test func anonymousAndDirected() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("00", "2000"))
            host.command(
                .leSetExtendedAdvertisingParameters,
                Self.parameters("01", "0500", peer: "00 \(stage.hosts[0].address)", sid: "04"))
            host.command(.leSetExtendedAdvertisingEnable, "01 02 00 0000 00 01 0000 00")
            Self.scan(stage.hosts[0], active: true)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(
                stage.hosts[0].takeEvents() == [
                    Self.report("0000", address: "FF 000000000000") + "00",
                    Self.report("0500", phys: "01 01 04", target: "00 010000414802") + "00",
                ])
        }
    }

    @Test func ownRandomAddresses() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            #expect(host.command(.leSetAdvertisingSetRandomAddress, "00 0102030405C6") == "42")
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("00", "0100", own: "01"))
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("01", "0000", own: "01"))
            #expect(host.command(.leSetExtendedAdvertisingEnable, "01 01 00 0000 00") == "12")
            #expect(host.command(.leSetAdvertisingSetRandomAddress, "00 0102030405C6") == "00")
            #expect(host.command(.leSetAdvertisingSetRandomAddress, "01 0202030405C6") == "00")
            #expect(host.command(.leSetExtendedAdvertisingEnable, "01 02 00 0000 00 01 0000 00") == "00")
            // Only a non-connectable set changes its address while it advertises.
            #expect(host.command(.leSetAdvertisingSetRandomAddress, "00 0302030405C6") == "0C")
            #expect(host.command(.leSetAdvertisingSetRandomAddress, "01 0302030405C6") == "00")
            Self.scan(stage.hosts[0], active: false)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(
                stage.hosts[0].takeEvents() == [
                    Self.report("0100", address: "01 0102030405C6") + "00",
                    Self.report("0000", address: "01 0302030405C6") + "00",
                ])
        }
    }

    @Test func durationAndEventLimit() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("00", "0000"))
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("01", "0000"))
            // One second, and three events.
            host.command(.leSetExtendedAdvertisingEnable, "01 02 00 6400 00 01 0000 03")
        }
        await theatre.advance(.milliseconds(400))
        await theatre.run { #expect($0.hosts[1].takeEvents() == ["3E 12 43 01 0000 03".without]) }
        await theatre.advance(.milliseconds(599))
        await theatre.run { #expect($0.hosts[1].takeEvents() == []) }
        await theatre.advance(.milliseconds(1))
        await theatre.run { stage in
            let events = stage.hosts[1].takeEvents()
            #expect(events.count == 1)
            #expect(events[0].hasPrefix("3E 12 3C 00 0000".without))
            #expect(!stage.hosts[1].controller.isAdvertising)
        }
    }

    @Test func refusals() async {
        var configuration = VirtualControllerConfiguration()
        configuration.advertisingSetCount = 2
        configuration.advertisingDataLength = 300
        await Theatre(hosts: 1, configuration: configuration).run { stage in
            let host = stage.hosts[0]
            let set = { host.command(.leSetExtendedAdvertisingParameters, $0) }
            // Properties that the specification does not allow.
            for properties in ["0300", "1100", "0800", "2100", "8000", "0001"] {
                #expect(set(Self.parameters("00", properties)) == "1200")
            }
            #expect(set(Self.parameters("F0", "0000")) == "1200")
            #expect(set(Self.parameters("00", "0000", primary: "02")) == "1200")
            #expect(set(Self.parameters("00", "0000", secondary: "04")) == "1200")
            #expect(set(Self.parameters("00", "0000", sid: "10")) == "1200")
            #expect(set(Self.parameters("00", "1300", primary: "03")) == "1200")
            #expect(set(Self.parameters("00", "1300")) == "0000")
            #expect(set(Self.parameters("07", "0100")) == "0000")
            #expect(set(Self.parameters("08", "0100")) == "0700")
            let data = { host.command(.leSetExtendedAdvertisingData, $0) }
            #expect(data("09 03 01 00") == "42")
            #expect(data("00 01 01 01 AA") == "12")
            #expect(data("00 03 01 20" + String(repeating: "00", count: 32)) == "12")
            #expect(data("00 05 01 00") == "12")
            #expect(data("00 03 01 02 AA") == "12")
            #expect(data("07 00 01 01 AA") == "0C")
            #expect(data("07 04 01 00") == "12")
            let long = "FB" + String(repeating: "55", count: 251)
            #expect(data("07 01 01" + long) == "00")
            #expect(data("07 02 01" + long) == "07")
            // Data longer than one packet, which a connectable set does not support.
            #expect(data("07 03 01" + long) == "00")
            let enable = { host.command(.leSetExtendedAdvertisingEnable, $0) }
            #expect(enable("01 01 07 0000 00") == "45")
            #expect(data("07 03 01 00") == "00")
            #expect(enable("01 00") == "12")
            #expect(enable("01 01 09 0000 00") == "42")
            #expect(enable("01 02 00 0000 00 00 0000 00") == "12")
            #expect(enable("01 01 00 0000") == "12")
            #expect(enable("01 02 00 0000 00 07 0000 00") == "00")
            #expect(set(Self.parameters("00", "1300")) == "0C00")
            #expect(data("07 01 01 01 AA") == "0C")
            #expect(host.command(.leRemoveAdvertisingSet, "00") == "0C")
            #expect(host.command(.leClearAdvertisingSets) == "0C")
            #expect(enable("00 01 07 0000 00") == "00")
            #expect(host.command(.leRemoveAdvertisingSet, "07") == "00")
            #expect(host.command(.leRemoveAdvertisingSet, "07") == "42")
            #expect(enable("00 00") == "00")
            #expect(host.command(.leClearAdvertisingSets) == "00")
        }
    }

    @Test func newDataIsReportedAgain() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            host.command(.leSetExtendedAdvertisingParameters, Self.parameters("00", "0000"))
            host.command(.leSetExtendedAdvertisingData, "00 03 01 01 AA")
            host.command(.leSetExtendedAdvertisingEnable, "01 01 00 0000 00")
            Self.scan(stage.hosts[0], active: false, filter: "01")
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == [Self.report("0000") + "01AA"])
            stage.hosts[1].command(.leSetExtendedAdvertisingData, "00 03 01 01 BB")
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == [Self.report("0000") + "01BB"])
            // The same data as something new.
            #expect(stage.hosts[1].command(.leSetExtendedAdvertisingData, "00 04 01 00") == "00")
        }
        await theatre.advance(.seconds(1))
        await theatre.run { #expect($0.hosts[0].takeEvents() == [Self.report("0000") + "01BB"]) }
    }

    @Test func scanDurationAndPeriod() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[1].advertise()
            Self.scan(stage.hosts[0], active: false, filter: "01", duration: "3200 0000")
        }
        await theatre.advance(.milliseconds(500))
        await theatre.run { stage in
            let events = stage.hosts[0].takeEvents()
            #expect(events.count == 2)
            #expect(events.last == "3E11")
            #expect(!stage.hosts[0].controller.isScanning)
            // 500 ms every 1.28 s, once per period.
            #expect(stage.hosts[0].command(.leSetExtendedScanEnable, "01 02 3200 0100") == "00")
        }
        await theatre.advance(.milliseconds(1280 * 3 - 1))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents().count == 3)
            #expect(stage.hosts[0].command(.leSetExtendedScanEnable, "01 02 3200 0000") == "12")
            #expect(stage.hosts[0].command(.leSetExtendedScanEnable, "01 00 8000 0100") == "12")
            #expect(stage.hosts[0].command(.leSetExtendedScanEnable, "00 00 0000 0000") == "00")
            #expect(stage.hosts[0].command(.leSetExtendedScanParameters, "00 00 02 00 1000 1000") == "12")
            #expect(stage.hosts[0].command(.leSetExtendedScanParameters, "00 00 05 00 1000 1000") == "12")
        }
    }

    @Test func codedAdvertisersAreReceivedOnTheCodedPHY() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[1].command(
                .leSetExtendedAdvertisingParameters, Self.parameters("00", "0000", primary: "03", secondary: "03"))
            stage.hosts[1].command(.leSetExtendedAdvertisingEnable, "01 01 00 0000 00")
            Self.scan(stage.hosts[0], active: false)
        }
        await theatre.advance(.milliseconds(200))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == [])
            stage.hosts[0].command(.leSetExtendedScanEnable, "00 00 0000 0000")
            #expect(stage.hosts[0].command(.leSetExtendedScanParameters, "00 00 04 00 1000 1000") == "00")
            stage.hosts[0].command(.leSetExtendedScanEnable, "01 00 0000 0000")
        }
        await theatre.advance(.milliseconds(111))
        await theatre.run { #expect($0.hosts[0].takeEvents().first == Self.report("0000", phys: "03 03 03") + "00") }
    }
}

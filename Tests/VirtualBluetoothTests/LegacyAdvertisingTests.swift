import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct LegacyAdvertisingTests {
    /// Starts scanning on the first host: passive or active, with or without duplicates.
    private static func scan(_ host: TestHost, active: Bool, filters: Bool = false, policy: String = "00") {
        host.command(.leSetScanParameters, "\(active ? "01" : "00") 1000 1000 00 \(policy)")
        host.command(.leSetScanEnable, "01\(filters ? "01" : "00")")
    }

    @Test func passiveAndActive() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[1].advertise("020106")
            stage.hosts[1].command(.leSetScanResponseData, "03 02FF55" + String(repeating: "00", count: 28))
            Self.scan(stage.hosts[0], active: false)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["3E 02 01 00 00 020000414802 03 020106 CE".without])
            stage.hosts[0].command(.leSetScanEnable, "0000")
            Self.scan(stage.hosts[0], active: true)
        }
        await theatre.advance(.milliseconds(111))
        await theatre.run { stage in
            #expect(
                stage.hosts[0].takeEvents() == [
                    "3E 02 01 00 00 020000414802 03 020106 CE".without,
                    "3E 02 01 04 00 020000414802 03 02FF55 CE".without,
                ])
        }
    }

    @Test func intervalWithDelay() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[1].advertise()
            Self.scan(stage.hosts[0], active: false)
        }
        await theatre.advance(.seconds(10))
        // 100 ms and a delay of 0 to 10 ms.
        let count = await theatre.run { $0.hosts[0].take().count }
        #expect((91...101).contains(count), "\(count)")
    }

    @Test func duplicatesAreReportedOnce() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[1].advertise()
            Self.scan(stage.hosts[0], active: true, filters: true)
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].take().count == 2)
            // Enabling again begins anew.
            stage.hosts[0].command(.leSetScanEnable, "0101")
        }
        await theatre.advance(.seconds(1))
        await theatre.run { #expect($0.hosts[0].take().count == 2) }
    }

    /// The advertising type, the report type of a passive scan, and the presence of a scan response.
    @Test(arguments: [("00", "00", true), ("02", "02", true), ("03", "03", false)])
    func types(type: String, reported: String, answers: Bool) async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            #expect(host.command(.leSetAdvertisingParameters, "A000 A000 \(type) 00 00 000000000000 07 00") == "00")
            #expect(host.command(.leSetAdvertisingEnable, "01") == "00")
            Self.scan(stage.hosts[0], active: true)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            var expected = ["3E 02 01 \(reported) 00 020000414802 00 CE".without]
            if answers { expected.append("3E 02 01 04 00 020000414802 00 CE".without) }
            #expect(stage.hosts[0].takeEvents() == expected)
        }
    }

    @Test func directedAdvertisingIsReceivedByItsTargetOnly() async {
        let theatre = Theatre(hosts: 3)
        await theatre.run { stage in
            let target = stage.hosts[0].address
            stage.hosts[1].command(.leSetAdvertisingParameters, "A000 A000 04 00 00 \(target) 07 00")
            stage.hosts[1].command(.leSetAdvertisingEnable, "01")
            Self.scan(stage.hosts[0], active: true)
            Self.scan(stage.hosts[2], active: true)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["3E 02 01 01 00 020000414802 00 CE".without])
            #expect(stage.hosts[2].takeEvents() == [])
        }
    }

    @Test func directedAtAPrivateAddress() async {
        let theatre = Theatre(hosts: 3)
        await theatre.run { stage in
            stage.hosts[1].command(.leSetAdvertisingParameters, "A000 A000 04 00 01 112233445566 07 00")
            stage.hosts[1].command(.leSetAdvertisingEnable, "01")
            Self.scan(stage.hosts[0], active: false, policy: "02")
            Self.scan(stage.hosts[2], active: false)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["3E 0B 01 01 00 020000414802 01 112233445566 CE".without])
            #expect(stage.hosts[2].takeEvents() == [])
        }
    }

    @Test func highDutyCycleEndsAfter1280Milliseconds() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let target = stage.hosts[0].address
            stage.hosts[1].command(.leSetAdvertisingParameters, "0000 0000 01 00 00 \(target) 07 00")
            #expect(stage.hosts[1].command(.leSetAdvertisingEnable, "01") == "00")
            Self.scan(stage.hosts[0], active: false)
        }
        await theatre.advance(.milliseconds(1279))
        await theatre.run { stage in
            #expect(stage.hosts[1].take() == [])
            #expect(stage.hosts[0].take().count > 300)
        }
        await theatre.advance(.milliseconds(2))
        await theatre.run { stage in
            // Enhanced connection complete: advertising timeout.
            let events = stage.hosts[1].takeEvents()
            #expect(events.count == 1)
            #expect(events[0].hasPrefix("3E 0A 3C 0000 01".without))
            #expect(!stage.hosts[1].controller.isAdvertising)
        }
    }

    @Test func acceptListPolicies() async {
        let theatre = Theatre(hosts: 3)
        await theatre.run { stage in
            stage.hosts[1].advertise()
            stage.hosts[2].advertise()
            stage.hosts[0].command(.leAddDeviceToAcceptList, "00 \(stage.hosts[2].address)")
            Self.scan(stage.hosts[0], active: false, policy: "01")
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["3E 02 01 00 00 030000414802 03 020106 CE".without])
            // An advertiser that answers scan requests from its accept list alone.
            stage.hosts[2].command(.leSetAdvertisingEnable, "00")
            stage.hosts[2].command(.leSetAdvertisingParameters, "A000 A000 00 00 00 000000000000 07 01")
            stage.hosts[2].command(.leSetAdvertisingEnable, "01")
            stage.hosts[0].command(.leSetScanEnable, "0000")
            Self.scan(stage.hosts[0], active: true, policy: "01")
        }
        await theatre.advance(.zero)
        await theatre.run { #expect($0.hosts[0].take().count == 1) }
    }

    @Test func randomAddressFirst() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            host.command(.leSetAdvertisingParameters, "A000 A000 00 01 00 000000000000 07 00")
            #expect(host.command(.leSetAdvertisingEnable, "01") == "12")
            #expect(host.command(.leSetScanParameters, "00 1000 1000 01 00") == "00")
            #expect(host.command(.leSetScanEnable, "0100") == "12")
            #expect(host.command(.leSetRandomAddress, "0102030405C6") == "00")
            #expect(host.command(.leSetAdvertisingEnable, "01") == "00")
            #expect(host.command(.leSetRandomAddress, "0202030405C6") == "0C")
            Self.scan(stage.hosts[0], active: false)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["3E 02 01 00 01 0102030405C6 00 CE".without])
        }
    }

    @Test func wrongParameters() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            let wrong = [
                "1F00 A000 00 00 00 000000000000 07 00", "A000 9F00 00 00 00 000000000000 07 00",
                "A000 0140 00 00 00 000000000000 07 00", "A000 A000 05 00 00 000000000000 07 00",
                "A000 A000 00 04 00 000000000000 07 00", "A000 A000 00 00 02 000000000000 07 00",
                "A000 A000 00 00 00 000000000000 00 00", "A000 A000 00 00 00 000000000000 07 04",
            ]
            for parameters in wrong { #expect(host.command(.leSetAdvertisingParameters, parameters) == "12") }
            #expect(host.command(.leSetAdvertisingData, "20" + String(repeating: "00", count: 31)) == "12")
            #expect(host.command(.leSetAdvertisingData, "05 0000") == "12")
            #expect(host.command(.leSetAdvertisingEnable, "02") == "12")
            for scan in ["02 1000 1000 00 00", "00 0300 0300 00 00", "00 1000 1100 00 00", "00 1000 1000 00 04"] {
                #expect(host.command(.leSetScanParameters, scan) == "12")
            }
            host.advertise()
            #expect(host.command(.leSetAdvertisingParameters, "A000 A000 00 00 00 000000000000 07 00") == "0C")
            host.command(.leSetScanEnable, "0100")
            #expect(host.command(.leSetScanParameters, "00 1000 1000 00 00") == "0C")
            #expect(host.command(.leReadAdvertisingChannelTxPower) == "0000")
        }
    }

    @Test func legacyAndExtendedCommandsCannotBeMixed() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            // Commands that only read do not select a mode.
            host.command(.leReadNumberOfSupportedAdvertisingSets)
            host.command(.leReadMaximumAdvertisingDataLength)
            host.command(.leReadAdvertisingChannelTxPower)
            #expect(host.command(.leSetScanEnable, "0000") == "00")
            #expect(host.command(.leSetExtendedScanEnable, "00 00 0000 0000") == "0C")
            #expect(host.command(.leClearAdvertisingSets) == "0C")
            #expect(
                host.command(.leExtendedCreateConnection, String(repeating: "00", count: 26)) == "[0C]")
            host.start()
            #expect(host.command(.leClearAdvertisingSets) == "00")
            #expect(host.command(.leSetAdvertisingEnable, "00") == "0C")
            #expect(host.command(.leCreateConnection, String(repeating: "00", count: 25)) == "[0C]")
        }
    }

    @Test func strengthFollowsPosition() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[1].advertise("")
            Self.scan(stage.hosts[0], active: false)
            stage.hosts[1].controller.position = AirPosition(x: 6, y: 8)
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            // 10 m: 25 dB less than at 1 m, which is -50 dBm.
            #expect(stage.hosts[0].takeEvents() == ["3E 02 01 00 00 020000414802 00 B5".without])
            stage.hosts[1].controller.position = nil
        }
        await theatre.advance(.milliseconds(111))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents().last == "3E 02 01 00 00 020000414802 00 7F".without)
            stage.hosts[1].controller.position = AirPosition(x: 1000)
        }
        await theatre.advance(.seconds(1))
        await theatre.run { #expect($0.hosts[0].take() == []) }
    }

    @Test func propagation() {
        let air = AirPropagation()
        let here = AirPosition.origin
        #expect(air.strength(of: 20, from: here, to: here) == -30)
        #expect(air.strength(of: 0, from: here, to: AirPosition(x: .infinity)) == -127)
        #expect(air.strength(of: 0, from: here, to: AirPosition(x: .nan)) == -50)
        #expect(air.strength(of: 0, from: nil, to: here) == 127)
        #expect(air.isAudible(127))
        #expect(!air.isAudible(-101))
    }
}

import Foundation
import Harald
import TerminalScreen
import Testing

@testable import Explorer
@testable import HaraldCommand

/// The explorer's keys and display, without a model.
@Suite struct ExploreViewTests {
    private func device(_ number: UInt64, name: String?, rssi: Int?) -> ExplorerDevice {
        ExplorerDevice(
            id: PeripheralID(high: 1, low: number), name: name, kind: .device,
            address: BluetoothAddress(value: 0xC000_0000_0000 + number, kind: .random), rssi: rssi, distance: nil,
            interval: .milliseconds(100), firstSeen: .now, lastSeen: .now, isConnectable: true,
            advertisement: AdvertisingData(localName: name), advertisementCount: 1, scanResponseCount: 0, values: [],
            serviceNames: [],
            company: nil, isFavourite: false, connection: .disconnected, sensorTag: nil)
    }

    private func data(_ devices: [ExplorerDevice] = []) -> ExploreData {
        var data = ExploreData(radio: RadioReport(state: .poweredOn, reason: "", canPowerOn: false))
        data.isScanning = true
        data.devices = devices
        return data
    }

    private func keys(_ text: String) -> [Key] { text.map { $0 == "\r" ? .enter : .character($0) } }

    @Test func rowsKeepTheirPositionsUntilSorted() {
        var view = ExploreView()
        let (a, b, c) = (
            device(1, name: "A", rssi: -80), device(2, name: "B", rssi: -40), device(3, name: "C", rssi: -60)
        )
        #expect(view.place([a, b]).map(\.name) == ["A", "B"])
        #expect(view.selectedDevice == a.id)
        // The model's order changes and a device is added: no row moves, and the new device is last.
        #expect(view.place([c, b, a]).map(\.name) == ["A", "B", "C"])
        _ = view.apply(.down, data([a, b, c]), page: 10)
        #expect(view.selectedDevice == b.id)
        // A device is removed: the selection stays with its device.
        #expect(view.place([c, b]).map(\.name) == ["B", "C"])
        #expect(view.deviceScroll.selected == 0 && view.selectedDevice == b.id)
        _ = view.apply(.character("s"), data([b, c]), page: 10)
        #expect(view.order.key == .name)
        #expect(view.place([a, b, c]).map(\.name) == ["A", "B", "C"] && view.selectedDevice == b.id)
    }

    @Test func filterAppliesWhileItIsTyped() throws {
        var view = ExploreView()
        for key in keys("/polar h7 rssi:-7") { _ = view.apply(key, data(), page: 10) }
        #expect(view.filter.text == "polar h7" && view.filter.minimumRSSI == -7 && view.filter.name == nil)
        for key in keys("0 company:nobody-at-all\r") { _ = view.apply(key, data(), page: 10) }
        #expect(view.prompt == .filter && view.lineNote.contains("no company"))
        #expect(view.filter.minimumRSSI == -70)
        _ = view.apply(.control("w"), data(), page: 10)
        _ = view.apply(.enter, data(), page: 10)
        #expect(view.prompt == nil && view.filterText == "polar h7 rssi:-70 ")
        _ = view.apply(.escape, data(), page: 10)
        #expect(view.filter.isEmpty && view.filterText.isEmpty)
        let all = try DeviceFilter("service:180D company:0x4C data:4C0002?? connectable favourite")
        #expect(all.services == ["180D"] && all.companies == [.apple] && all.isConnectable == true)
        let pattern = try DataPattern("4C 00 02 ??")
        #expect(all.favouritesOnly && all.data == pattern && all.name == nil)
        #expect(try DeviceFilter("kind:Heart").kind == .heart)
        // An incomplete condition hides nothing while it is typed, and is an error afterwards.
        let typed = try DeviceFilter("polar rssi:", isTyped: true)
        #expect(typed.text == "polar" && typed.minimumRSSI == nil)
        for wrong in ["rssi:x", "rssi:99", "rssi:", "what:1", "data:4", "kind:x", "service:no-such-service"] {
            #expect(throws: InputError.self) { try DeviceFilter(wrong) }
        }
    }

    @Test func truncatedHelpScrollsToItsEnd() {
        var (view, data) = (ExploreView(), data())
        view.open(.help)
        data.page = .help
        func picture() -> String {
            ExploreScreen.draw(&view, data, columns: 60, rows: 24, glyphs: .unicode).picture.text
        }
        #expect(picture().contains("Everywhere") && !picture().contains("export as JSON"))
        _ = view.apply(.end, data, page: 20)
        #expect(picture().contains("export as JSON") && !picture().contains("Everywhere"))
        _ = view.apply(.home, data, page: 20)
        #expect(picture().contains("Everywhere"))
    }

    @Test func aDeviceIsConnectedWithReconnection() {
        let one = device(1, name: "A", rssi: -50)
        var view = ExploreView()
        _ = view.place([one])
        #expect(view.apply(.character("C"), data([one]), page: 5) == [.connect(one.id, reconnects: true)])
        #expect(view.page == .device(one.id))
        // The log and the help that a device's page opens are about that device.
        view.open(.log(nil))
        view.open(.help)
        #expect(view.device == one.id)
    }

    @Test func pairingQuestionsReceiveTheKeys() {
        var view = ExploreView()
        func ask(_ question: PairingQuestion) {
            view.note(
                PairingRequest(
                    id: "q", device: PeripheralID(high: 0, low: 1), name: "Lock", question: question,
                    viewer: "terminal",
                    expires: .now.addingTimeInterval(30)))
        }
        ask(.compare(number: 123))
        // The key that quits elsewhere does nothing here, and enter is no consent.
        #expect(view.apply(.character("q"), data(), page: 1).isEmpty && view.apply(.enter, data(), page: 1).isEmpty)
        #expect(view.apply(.character("y"), data(), page: 1) == [.answer("q", .accept)])
        ask(.enterPasskey)
        for key in keys("12345\r") { #expect(view.apply(key, data(), page: 1).isEmpty) }
        #expect(view.apply(.character("6"), data(), page: 1).isEmpty)
        #expect(view.apply(.enter, data(), page: 1) == [.answer("q", .passkey(123_456))])
        ask(.display(passkey: 42))
        #expect(view.apply(.escape, data(), page: 1) == [.answer("q", .refuse)])
        ask(.confirm)
        var over = PairingRequest(
            id: "q", device: PeripheralID(high: 0, low: 1), name: nil, question: .confirm, viewer: "terminal",
            expires: .now)
        over.end = .timeout
        view.note(over)
        #expect(view.question == nil && view.message?.isError == true)
    }

    @Test func aBeaconHasATitleAndIsNotOfferedAConnection() {
        var one = device(1, name: nil, rssi: -50)
        one.isConnectable = false
        var (view, data) = (ExploreView(), data([one]))
        _ = view.place([one])
        view.open(.device(one.id))
        data.detail = DeviceDetail(device: one, fields: [], history: [], rssiHistory: [])
        let text = ExploreScreen.draw(&view, data, columns: 120, rows: 24, glyphs: .unicode).picture.text
        #expect(text.contains("This device is not connectable") && !text.contains("c connect"), "\(text)")
        #expect(text.split(separator: "\n")[1].hasPrefix(one.title), "\(text)")
    }

    @Test(arguments: [(20, 3), (40, 8), (60, 24), (80, 24), (120, 30), (200, 60), (1, 1), (7, 2)])
    func everyPageIsDrawnAtEverySize(_ columns: Int, _ rows: Int) {
        let devices = (1...40).map { device(UInt64($0), name: "Device \($0)", rssi: -40 - $0) }
        for glyphs in [Glyphs.unicode, .ascii] {
            for page in [
                ExploreView.Page.devices, .device(devices[0].id), .attribute(devices[0].id, 3), .log(nil), .help,
            ] {
                var (view, data) = (ExploreView(), data(devices))
                _ = view.place(devices)
                view.open(page)
                data.radio = RadioReport(state: .poweredOff, reason: "the adapter is off", canPowerOn: true)
                let picture = ExploreScreen.draw(&view, data, columns: columns, rows: rows, glyphs: glyphs).picture
                #expect(picture.columns == columns && picture.rows == rows)
                if columns >= 60 {
                    #expect(picture.text.contains("Bluetooth is off: the adapter is off. Switch it on"))
                }
                if columns >= 60, page == .devices { #expect(picture.text.contains("C0:00:00:00:00:01")) }
            }
        }
        var (view, off) = (ExploreView(), data())
        off.radio = RadioReport(state: .poweredOff, reason: "", canPowerOn: true)
        #expect(view.apply(.character("o"), off, page: 1) == [.powerOn])
    }
}

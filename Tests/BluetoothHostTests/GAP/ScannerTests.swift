import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

@Suite struct ScannerTests {
    private static let report = bytes("01 00 01 0900000000C0 03 020106 C4")

    @Test func scansWithLegacyCommands() {
        let fixture = HostFixture.ready()
        var started = 0
        fixture.host.startScan { if case .success = $0 { started += 1 } }
        fixture.settle()
        #expect(fixture.controller.sent == [bytes("01 0B20 07 01 6000 5000 00 00"), bytes("01 0C20 02 01 01")])
        #expect(started == 1)
        fixture.leEvent(.advertisingReport, Self.report)
        #expect(
            fixture.reports == [
                .init(
                    address: address(9, kind: .random), properties: [.connectable, .scannable, .legacy], rssi: -60,
                    data: [2, 1, 6], isTruncated: false)
            ])
        fixture.host.stopScan()
        fixture.leEvent(.advertisingReport, Self.report)
        fixture.settle()
        #expect(fixture.reports.count == 1)
        #expect(fixture.controller.sent.last == bytes("01 0C20 02 00 00"))
        fixture.host.stopScan()
        fixture.settle()
        #expect(fixture.controller.sent.count == 3)
    }

    @Test func scansWithExtendedCommands() {
        let fixture = HostFixture.ready(ScriptedController(features: [.leCoded], extended: true))
        fixture.host.startScan(ScanConfiguration(isActive: false, filtersDuplicates: false, phys: [.le1M, .leCoded]))
        fixture.settle()
        #expect(
            fixture.controller.sent == [
                bytes("01 4120 0D 00 00 05 00 6000 5000 00 6000 5000"), bytes("01 4220 06 01 00 0000 0000"),
            ])
    }

    @Test func aChangeRestartsTheScan() {
        let fixture = HostFixture.ready()
        var ends: [Bool] = []
        fixture.host.startScan { ends.append((try? $0.get()) != nil) }
        fixture.host.startScan(ScanConfiguration(isActive: false)) { ends.append((try? $0.get()) != nil) }
        fixture.settle()
        #expect(ends == [false, true])
        #expect(
            fixture.controller.opcodes == [
                .leSetScanParameters, .leSetScanEnable, .leSetScanEnable, .leSetScanParameters, .leSetScanEnable,
            ])
        #expect(fixture.controller.commands(.leSetScanParameters).last?.first == 0)
    }

    @Test func aRefusalIsReportedOnce() {
        let controller = ScriptedController()
        controller.refusals[.leSetScanEnable] = .commandDisallowed
        let fixture = HostFixture.ready(controller)
        var errors: [RadioError] = []
        fixture.host.startScan { if case .failure(let error) = $0 { errors.append(error) } }
        fixture.settle()
        #expect(errors == [.controller(.commandDisallowed)] && fixture.scanFailures.isEmpty)
        #expect(!fixture.host.isScanning)
        fixture.host.startScan(ScanConfiguration(interval: 1)) {
            if case .failure(let error) = $0 { errors.append(error) }
        }
        #expect(errors.count == 2)
    }

    @Test func aScanEndsWithTheController() {
        let fixture = HostFixture.ready()
        fixture.host.startScan()
        fixture.settle()
        fixture.host.transportClosed(.radio(.unsupported, reason: "unplugged"), now: fixture.host.now)
        #expect(fixture.scanFailures == [.radio(.unsupported, reason: "unplugged")] && !fixture.host.isScanning)
        var errors = 0
        fixture.host.startScan { if case .failure = $0 { errors += 1 } }
        #expect(errors == 1)
    }

    @Test func stoppingInsideAReportStopsTheReports() {
        let fixture = HostFixture.ready()
        fixture.host.startScan(ScanConfiguration(filtersDuplicates: false))
        fixture.settle()
        fixture.onReport = { [unowned fixture] in fixture.host.stopScan() }
        fixture.leEvent(
            .advertisingReport, bytes("02 00 01 0900000000C0 00 C4 00 01 0A00000000C0 00 C4"))
        #expect(fixture.reports.count == 1)
    }

    @Test func duplicatesAreFiltered() {
        let fixture = HostFixture.ready()
        fixture.host.startScan()
        fixture.settle()
        for _ in 0..<3 { fixture.leEvent(.advertisingReport, Self.report) }
        fixture.leEvent(.advertisingReport, bytes("01 04 01 0900000000C0 03 020106 C4"))
        fixture.leEvent(.advertisingReport, bytes("01 00 01 0900000000C0 03 020105 C4"))
        fixture.leEvent(.advertisingReport, bytes("01 00 00 0900000000C0 03 020105 C4"))
        #expect(fixture.reports.count == 4 && fixture.host.counters.duplicateReports == 2)
        fixture.host.startScan()
        fixture.settle()
        fixture.leEvent(.advertisingReport, Self.report)
        #expect(fixture.reports.count == 5)
    }

    @Test func theFilterIsBounded() {
        var filter = DuplicateFilter(capacity: 4)
        func isNew(_ number: UInt64) -> Bool {
            filter.isNew(
                AdvertisingReport(
                    address: BluetoothAddress(value: number, kind: .random), properties: [], rssi: nil, data: .empty))
        }
        for number in 0..<4 { #expect(isNew(UInt64(number))) }
        for number in 0..<4 { #expect(!isNew(UInt64(number))) }
        for number in 4..<8 { #expect(isNew(UInt64(number))) }
        // Received again, it stays; the others are removed.
        #expect(!isNew(0))
        for number in 8..<12 { #expect(isNew(UInt64(number))) }
        #expect(!isNew(0) && isNew(1))
    }

    @Test func legacyReportsOfEveryKind() {
        let fixture = HostFixture.ready()
        fixture.host.startScan(ScanConfiguration(filtersDuplicates: false))
        fixture.settle()
        fixture.leEvent(
            .advertisingReport,
            bytes(
                """
                05 00 00 0900000000C0 00 7F  01 01 0900000000C0 00 14  02 02 0900000000C0 01 AA 81
                03 03 0900000000C0 00 00  04 01 0900000000C0 00 C4
                """))
        #expect(
            fixture.reports.map(\.properties) == [
                [.connectable, .scannable, .legacy], [.connectable, .directed, .legacy], [.scannable, .legacy],
                [.legacy],
                [.scanResponse, .scannable, .legacy],
            ])
        #expect(fixture.reports.map(\.rssi) == [nil, 20, -127, 0, -60])
        #expect(fixture.reports.map(\.address.kind) == [.public, .random, .public, .random, .random])
    }

    @Test func truncatedReportsAreCounted() {
        let fixture = HostFixture.ready()
        fixture.host.startScan(ScanConfiguration(filtersDuplicates: false))
        fixture.settle()
        for length in 0..<Self.report.count {
            fixture.leEvent(.advertisingReport, Array(Self.report[..<length]))
        }
        fixture.leEvent(.advertisingReport, bytes("FF 00 01 0900000000C0 03 020106 C4"))
        #expect(fixture.reports.count == 1)
        #expect(fixture.host.counters.malformedEvents == Self.report.count + 1)
    }

    /// An extended report: event type, last byte of the address, data.
    private func extended(_ type: UInt16, _ last: UInt8, _ data: [UInt8], sid: UInt8 = 1) -> [UInt8] {
        [UInt8(type & 0xFF), UInt8(type >> 8), 1, last, 0, 0, 0, 0, 0xC0, 1, 2, sid, 0x7F, 0xC4, 0, 0, 0]
            + [0, 0, 0, 0, 0, 0] + [UInt8(data.count)] + data
    }

    @Test func fragmentsOfExtendedReportsAreReassembled() {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        fixture.host.startScan(ScanConfiguration(filtersDuplicates: false))
        fixture.settle()
        fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x21, 1, [1, 2]))
        fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x21, 2, [9]))
        fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x01, 3, [7]))
        fixture.leEvent(.extendedAdvertisingReport, [2] + extended(0x21, 1, [3]) + extended(0x01, 1, [4]))
        fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x41, 2, []))
        #expect(fixture.reports.map(\.data) == [[7], [1, 2, 3, 4], [9]])
        #expect(fixture.reports.map(\.isTruncated) == [false, false, true])
        #expect(fixture.reports.allSatisfy { $0.properties == .connectable })
    }

    /// 0xFF, as every number above 0x0F, is no advertising set.
    @Test(arguments: [(UInt8(0), UInt8(0)), (0x0F, 0x0F), (0x10, nil), (0xFF, nil)])
    func aReportHasTheIdentifierOfItsSet(_ sid: UInt8, _ set: UInt8?) {
        let heard = extended(0x01, 1, [], sid: sid).withByteView { view in
            var rest = view
            return AdvertisingReport.extended(&rest)?.0?.sid
        }
        #expect(heard == set)
    }

    @Test func endlessFragmentsAreDropped() {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        fixture.host.startScan(ScanConfiguration(filtersDuplicates: false))
        fixture.settle()
        let piece = [UInt8](repeating: 7, count: 200)
        for _ in 0..<20 { fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x21, 1, piece)) }
        fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x01, 1, piece))
        #expect(fixture.reports.isEmpty && fixture.host.counters.droppedReports > 0)
        fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x01, 1, [1]))
        #expect(fixture.reports.map(\.data) == [[1]])
        // Many that begin and never end.
        for last in 0..<100 { fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x21, UInt8(last), [1])) }
        fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x01, 99, [2]))
        fixture.leEvent(.extendedAdvertisingReport, [1] + extended(0x01, 0, [2]))
        #expect(fixture.reports.map(\.data) == [[1], [1, 2], [2]])
    }

    @Test func anonymousReportsAreCounted() {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        fixture.host.startScan()
        fixture.settle()
        var report = extended(0x00, 1, [1])
        report[2] = 0xFF
        fixture.leEvent(.extendedAdvertisingReport, [1] + report)
        #expect(fixture.reports.isEmpty && fixture.host.counters.droppedReports == 1)
    }
}

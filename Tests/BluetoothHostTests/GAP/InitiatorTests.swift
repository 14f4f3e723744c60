import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

@Suite struct InitiatorTests {
    /// The results of a test's attempts, by the last byte of the address.
    private final class Results {
        var links: [UInt8: LELink] = [:]
        var errors: [UInt8: [RadioError]] = [:]

        func connect(_ fixture: HostFixture, _ last: UInt8) -> PendingConnection {
            let pending = fixture.host.connect(to: address(last)) { [unowned self] result in
                switch result {
                case .success(let link): links[last] = link
                case .failure(let error): errors[last, default: []].append(error)
                }
            }
            fixture.settle()
            return pending
        }
    }

    private let cancelled: UInt8 = 0x02

    @Test func connectsToOneDeviceDirectly() throws {
        let fixture = HostFixture.ready()
        let results = Results()
        _ = results.connect(fixture, 9)
        #expect(
            fixture.controller.sent == [
                bytes("01 0D20 19 6000 6000 00 00 0900000000C0 00 0C00 1800 0000 F401 0000 0000")
            ])
        fixture.connected(handle: 0x40, role: 0, peer: 9)
        let link = try #require(results.links[9])
        #expect(link.role == .central && link.peerAddress == address(9) && link.handle == 0x40)
        #expect(link.parameters == ConnectionParameters(intervalUnits: 24, latency: 0, timeoutUnits: 500))
        #expect(fixture.links == [link] && fixture.host.link(to: address(9)) == link)
        // The host requests longer packets by itself.
        #expect(fixture.controller.commands(.leSetDataLength) == [bytes("4000 FB00 4808")])
        _ = results.connect(fixture, 9)
        #expect(results.errors[9] == [.controller(.connectionAlreadyExists)])
    }

    @Test func connectsWithTheExtendedCommand() {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        _ = Results().connect(fixture, 9)
        #expect(
            fixture.controller.sent == [
                bytes("01 4320 1A 00 00 00 0900000000C0 01 6000 6000 0C00 1800 0000 F401 0000 0000")
            ])
    }

    @Test func acceptsTheEnhancedConnectionEvent() throws {
        let fixture = HostFixture.ready()
        let results = Results()
        _ = results.connect(fixture, 9)
        fixture.leEvent(
            .enhancedConnectionComplete,
            bytes("00 4000 00 02 0900000000C0 000000000000 000000000000 1800 0000 F401 00"))
        #expect(try #require(results.links[9]).peerAddress == address(9))
    }

    @Test func severalConnectionsUseTheAcceptList() throws {
        let fixture = HostFixture.ready()
        let results = Results()
        _ = results.connect(fixture, 1)
        _ = results.connect(fixture, 2)
        // The first initiation has to end before the list can be edited.
        #expect(fixture.controller.opcodes == [.leCreateConnection, .leCreateConnectionCancel])
        fixture.controller.forget()
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        #expect(
            fixture.controller.sent == [
                bytes("01 1120 07 00 0100000000C0"), bytes("01 1120 07 00 0200000000C0"),
                bytes("01 0D20 19 6000 6000 01 00 000000000000 00 0C00 1800 0000 F401 0000 0000"),
            ])
        fixture.controller.forget()
        // The second device is connected; the initiator continues to wait for the first.
        fixture.connected(handle: 2, role: 0, peer: 2)
        #expect(results.links[2] != nil && results.links[1] == nil && results.errors.isEmpty)
        #expect(fixture.controller.commands(.leCreateConnection).count == 1)
        #expect(fixture.controller.commands(.leCreateConnection).first?[4...5] == [0, 0])
        fixture.connected(handle: 1, role: 0, peer: 1)
        #expect(results.links[1] != nil)
    }

    @Test func moreDevicesThanTheAcceptListHoldsAreScannedFor() throws {
        let fixture = HostFixture.ready()
        let results = Results()
        for last in 1...4 { _ = results.connect(fixture, UInt8(last)) }
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        // Four do not fit into three: a passive scan for every report.
        #expect(fixture.controller.sent.contains(bytes("01 0B20 07 00 6000 5000 00 00")))
        #expect(fixture.controller.sent.contains(bytes("01 0C20 02 01 00")))
        fixture.controller.forget()
        fixture.leEvent(.advertisingReport, bytes("01 00 00 0900000000C0 00 C4"))
        fixture.leEvent(.advertisingReport, bytes("01 03 00 0300000000C0 00 C4"))
        #expect(fixture.controller.sent.isEmpty)
        fixture.leEvent(.advertisingReport, bytes("01 00 00 0300000000C0 00 C4"))
        #expect(
            fixture.controller.commands(.leCreateConnection).first.map { Array($0[5...11]) } == bytes("00 0300000000C0")
        )
        fixture.connected(handle: 3, role: 0, peer: 3)
        #expect(results.links[3] != nil && fixture.reports.isEmpty)
        // The other three fit.
        #expect(fixture.controller.commands(.leAddDeviceToAcceptList).map { $0[1] } == [1, 2, 4])
        #expect(fixture.controller.opcodes.last == .leCreateConnection)
    }

    @Test func aDeviceThatDoesNotRespondDelaysOthersOnlyBriefly() {
        var configuration = HostConfiguration()
        configuration.usesAcceptList = false
        let fixture = HostFixture.ready(ScriptedController(), configuration)
        let results = Results()
        _ = results.connect(fixture, 1)
        _ = results.connect(fixture, 2)
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        fixture.leEvent(.advertisingReport, bytes("01 00 00 0100000000C0 00 C4"))
        fixture.controller.forget()
        fixture.advance(by: .seconds(3))
        #expect(fixture.controller.opcodes.contains(.leCreateConnectionCancel))
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        fixture.leEvent(.advertisingReport, bytes("01 00 00 0200000000C0 00 C4"))
        fixture.connected(handle: 2, role: 0, peer: 2)
        #expect(results.links[2] != nil && results.errors.isEmpty)
    }

    @Test func aRefusedAcceptListIsNotUsedAgain() {
        let controller = ScriptedController()
        controller.refusals[.leAddDeviceToAcceptList] = .memoryCapacityExceeded
        let fixture = HostFixture.ready(controller)
        let results = Results()
        _ = results.connect(fixture, 1)
        _ = results.connect(fixture, 2)
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        #expect(fixture.controller.opcodes.last == .leSetScanEnable)
        #expect(results.errors.isEmpty)
    }

    @Test func cancellationEndsWithTheControllersEvent() {
        let fixture = HostFixture.ready()
        let results = Results()
        let pending = results.connect(fixture, 9)
        pending.cancel()
        pending.cancel()
        fixture.settle()
        #expect(fixture.controller.opcodes == [.leCreateConnection, .leCreateConnectionCancel])
        #expect(results.errors.isEmpty)
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        #expect(results.errors[9] == [.cancelled])
        #expect(fixture.host.initiator.isOff)
    }

    @Test func aLinkEstablishedDuringCancellationIsDisconnected() {
        let fixture = HostFixture.ready()
        let results = Results()
        results.connect(fixture, 9).cancel()
        fixture.connected(handle: 0x40, role: 0, peer: 9)
        #expect(fixture.controller.commands(.disconnect) == [[0x40, 0, 0x13]])
        #expect(results.errors.isEmpty && fixture.links.isEmpty)
        #expect(fixture.host.counters.unwantedConnections == 1)
        fixture.disconnected(handle: 0x40, reason: 0x16)
        #expect(results.errors[9] == [.cancelled] && fixture.endings.isEmpty)
    }

    @Test func eachRejectedLinkHasADeadlineOfItsOwn() {
        let fixture = HostFixture.ready()
        let results = Results()
        results.connect(fixture, 8).cancel()
        fixture.connected(handle: 0x40, role: 0, peer: 8)
        fixture.advance(by: .seconds(20))
        results.connect(fixture, 9).cancel()
        fixture.connected(handle: 0x41, role: 0, peer: 9)
        fixture.advance(by: .seconds(15))
        #expect(results.errors == [8: [.cancelled]])
        fixture.disconnected(handle: 0x40, reason: 0x08)
        #expect(results.errors == [8: [.cancelled]])
        fixture.advance(by: .seconds(20))
        #expect(results.errors == [8: [.cancelled], 9: [.cancelled]])
    }

    @Test func aMissingCancellationEventTimesOut() {
        let controller = ScriptedController()
        controller.refusals[.leCreateConnectionCancel] = .commandDisallowed
        let fixture = HostFixture.ready(controller)
        let results = Results()
        results.connect(fixture, 9).cancel()
        fixture.settle()
        _ = results.connect(fixture, 8)
        controller.forget()
        #expect(results.errors.isEmpty)
        fixture.advance(by: .seconds(2))
        #expect(results.errors[9] == [.cancelled])
        // The next device does not wait for the event either.
        #expect(controller.opcodes == [.leCreateConnection])
    }

    @Test func cancellingOneConnectionKeepsTheOthersPending() {
        let fixture = HostFixture.ready()
        let results = Results()
        let first = results.connect(fixture, 1)
        _ = results.connect(fixture, 2)
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        first.cancel()
        fixture.settle()
        fixture.controller.forget()
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        #expect(results.errors[1] == [.cancelled] && results.errors[2] == nil)
        #expect(
            fixture.controller.commands(.leCreateConnection).first.map { Array($0[5...11]) } == bytes("00 0200000000C0")
        )
        // One that was never initiated to is cancelled at once.
        let third = results.connect(fixture, 3)
        third.cancel()
        #expect(results.errors[3] == [.cancelled])
    }

    @Test func twoConnectsToOneDeviceShareALink() {
        let fixture = HostFixture.ready()
        var links: [LELink] = []
        var errors: [RadioError] = []
        var pending: [PendingConnection] = []
        for _ in 0..<3 {
            pending.append(
                fixture.host.connect(to: address(9)) {
                    switch $0 {
                    case .success(let link): links.append(link)
                    case .failure(let error): errors.append(error)
                    }
                })
        }
        fixture.settle()
        pending[0].cancel()
        #expect(errors == [.cancelled])
        fixture.connected(handle: 1, role: 0, peer: 9)
        #expect(links.count == 2 && Set(links).count == 1)
        #expect(fixture.controller.commands(.leCreateConnection).count == 1)
    }

    @Test func failuresReachTheCaller() {
        let fixture = HostFixture.ready()
        let results = Results()
        _ = results.connect(fixture, 9)
        fixture.connected(handle: 0, role: 0, peer: 9, status: 0x3E)
        #expect(results.errors[9] == [.disconnected(.failedToEstablish)])
        fixture.controller.refusals[.leCreateConnection] = .connectionLimitExceeded
        _ = results.connect(fixture, 8)
        #expect(results.errors[8] == [.controller(.connectionLimitExceeded)])
        var invalid: RadioError?
        let request = ConnectionParametersRequest(intervalUnits: 1...2, timeoutUnits: 500)
        fixture.host.connect(to: address(7), parameters: request) {
            if case .failure(let error) = $0 { invalid = error }
        }
        guard case .invalidArgument = invalid else {
            Issue.record("\(invalid)")
            return
        }
    }

    @Test func aRepeatedlyFailingAcceptListIsNotRetriedForever() {
        let fixture = HostFixture.ready()
        let results = Results()
        _ = results.connect(fixture, 1)
        _ = results.connect(fixture, 2)
        for _ in 0..<20 { fixture.connected(handle: 0, role: 0, peer: 0, status: 0x0D) }
        #expect(results.errors[1] == [.disconnected(.limitedResources)] && results.errors[2]?.count == 1)
    }

    @Test func anUnexpectedLinkIsDisconnected() {
        let fixture = HostFixture.ready()
        fixture.connected(handle: 5, role: 0, peer: 9)
        #expect(fixture.links.isEmpty && fixture.controller.commands(.disconnect) == [[5, 0, 0x13]])
        fixture.connected(handle: 6, role: 1, peer: 9)
        #expect(fixture.links.isEmpty && fixture.controller.commands(.disconnect).last == [6, 0, 0x13])
    }

    @Test func scanningAndInitiatingAlternateIfTheControllerRequiresIt() {
        let controller = ScriptedController()
        let fixture = HostFixture.ready(controller)
        let results = Results()
        fixture.host.startScan()
        fixture.settle()
        controller.refusals[.leCreateConnection] = .commandDisallowed
        _ = results.connect(fixture, 9)
        controller.refusals = [:]
        // The user's scan continues. When it receives the device, the host initiates the connection while the scan
        // pauses.
        #expect(fixture.host.isScanning && results.errors.isEmpty)
        controller.forget()
        fixture.leEvent(.advertisingReport, bytes("01 00 00 0900000000C0 00 C4"))
        #expect(fixture.reports.count == 1)
        #expect(controller.opcodes == [.leSetScanEnable, .leCreateConnection])
        controller.forget()
        fixture.connected(handle: 1, role: 0, peer: 9)
        #expect(results.links[9] != nil)
        #expect(controller.opcodes.contains(.leSetScanEnable) && fixture.scanFailures.isEmpty)
    }

    @Test func aScanRefusedDuringInitiationIsStartedLater() {
        let controller = ScriptedController()
        let fixture = HostFixture.ready(controller)
        let results = Results()
        _ = results.connect(fixture, 9)
        controller.refusals[.leSetScanEnable] = .commandDisallowed
        fixture.host.startScan()
        controller.refusals = [.leSetScanEnable: .commandDisallowed]
        fixture.settle()
        controller.refusals = [:]
        #expect(controller.opcodes.last == .leCreateConnectionCancel)
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        #expect(controller.opcodes.suffix(2) == [.leSetScanParameters, .leSetScanEnable])
        #expect(fixture.scanFailures.isEmpty && results.errors.isEmpty)
        fixture.leEvent(.advertisingReport, bytes("01 00 00 0900000000C0 00 C4"))
        fixture.connected(handle: 1, role: 0, peer: 9)
        #expect(results.links[9] != nil)
    }

    @Test func differentParametersOnOneAcceptListAreAppliedAfterwards() {
        let fixture = HostFixture.ready()
        let slow = ConnectionParametersRequest(intervalUnits: 80...80, latency: 2, timeoutUnits: 600)
        _ = Results().connect(fixture, 1)
        fixture.host.connect(to: address(2), parameters: slow) { _ in }
        fixture.settle()
        fixture.connected(handle: 0, role: 0, peer: 0, status: cancelled)
        fixture.connected(handle: 2, role: 0, peer: 2)
        #expect(fixture.controller.commands(.leConnectionUpdate) == [bytes("0200 5000 5000 0200 5802 0000 0000")])
    }

    @Test func connectingWithoutAControllerFailsImmediately() {
        let fixture = HostFixture()
        var errors: [RadioError] = []
        let pending = fixture.host.connect(to: address(9)) { if case .failure(let error) = $0 { errors.append(error) } }
        #expect(errors.count == 1 && !pending.isPending)
    }
}

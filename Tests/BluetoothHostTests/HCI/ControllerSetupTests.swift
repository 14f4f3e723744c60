import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

@Suite struct ControllerSetupTests {
    @Test func readsTheFeaturesOfTheController() throws {
        let fixture = HostFixture()
        fixture.host.start(now: .start)
        #expect(fixture.controller.sent == [bytes("01 030C 00")])
        fixture.settle()
        #expect(fixture.states == [.starting, .ready])
        let info = try #require(fixture.host.controller)
        #expect(info.publicAddress == BluetoothAddress("06:05:04:03:02:01"))
        #expect(info.aclPacketLength == 27 && info.aclPacketCount == 4)
        #expect(info.acceptListSize == 3)
        #expect(info.maximumTransmitOctets == 251 && info.maximumTransmitTime == 2120)
        #expect(!info.usesExtendedAdvertising && info.advertisingSetCount == 1)
        #expect(fixture.host.ownAddress == info.publicAddress)
        // The mask has LE Meta, and only the subevents of the supported features.
        #expect(fixture.controller.commands(.setEventMask) == [bytes("90 88 00 02 00 80 00 20")])
        #expect(fixture.controller.commands(.leSetEventMask) == [bytes("5F 00 00 00 00 00 00 00")])
        #expect(fixture.controller.commands(.leWriteSuggestedDefaultDataLength) == [bytes("FB00 4808")])
    }

    /// Bit 37: BR/EDR not supported (Core 6.0, Vol 2, Part C, 3.3).
    @Test(arguments: [(UInt8(0x60), false), (0x40, true)])
    func detectsBluetoothClassic(_ features: UInt8, _ isClassic: Bool) throws {
        let controller = ScriptedController()
        controller.replies[.readLocalSupportedFeatures] = [0, 0, 0, 0, 0, features, 0, 0, 0]
        let fixture = HostFixture.ready(controller)
        #expect(fixture.host.controller?.speaksClassic == isClassic)
    }

    @Test func usesExtendedCommandsIfAllAreSupported() throws {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        let info = try #require(fixture.host.controller)
        #expect(info.usesExtendedAdvertising)
        #expect(info.advertisingSetCount == 2 && info.maximumAdvertisingDataLength == 1650)

        let mixed = ScriptedController(features: [.extendedAdvertising], commands: [.leSetExtendedScanEnable])
        #expect(HostFixture.ready(mixed).host.controller?.usesExtendedAdvertising == false)

        var configuration = HostConfiguration()
        configuration.usesExtendedAdvertising = false
        let forbidden = HostFixture.ready(ScriptedController(extended: true), configuration)
        #expect(forbidden.host.controller?.usesExtendedAdvertising == false)
    }

    @Test func sharesTheBuffersOfClassicBluetooth() throws {
        let controller = ScriptedController()
        controller.replies[.leReadBufferSize] = [0, 0, 0, 0]
        controller.replies[.readBufferSize] = bytes("00 FD03 40 0800 0000")
        let info = try #require(HostFixture.ready(controller).host.controller)
        #expect(info.aclPacketLength == 1021 && info.aclPacketCount == 8)

        // No buffers, or too short ones: 27 octets are the minimum (Core 6.0, Vol 4, Part E, 7.8.2).
        for reply in ["00 0000 40 0000 0000", "00 FD03 40 0000 0000", "00 1A00 40 0800 0000"] {
            controller.replies[.readBufferSize] = bytes(reply)
            let fixture = HostFixture(controller)
            fixture.host.start(now: .start)
            fixture.settle()
            guard case .failed(.radio(.unsupported, _)) = fixture.host.state else {
                Issue.record("\(reply): \(fixture.host.state)")
                return
            }
        }
    }

    @Test func omitsUnsupportedCommands() {
        let controller = ScriptedController()
        for opcode: HCIOpcode in [
            .readLocalVersion, .readLocalSupportedCommands, .readLocalSupportedFeatures, .leReadLocalSupportedFeatures,
            .setEventMask, .leReadAcceptListSize, .leRand, .leReadMaximumDataLength, .readBDADDR,
        ] { controller.refusals[opcode] = .unknownCommand }
        let fixture = HostFixture.ready(controller)
        #expect(fixture.host.state == .ready)
        // Without LE Rand, the host uses its own random numbers.
        #expect(fixture.host.ownAddress?.randomKind == .staticAddress)
    }

    @Test(arguments: [HCIOpcode.reset, .leSetEventMask]) func failsWithoutRequiredCommands(_ opcode: HCIOpcode) {
        let controller = ScriptedController()
        controller.refusals[opcode] = .unknownCommand
        let fixture = HostFixture(controller)
        fixture.host.start(now: .start)
        fixture.settle()
        #expect(fixture.host.state.radioState == .unsupported)
    }

    @Test func refusesAControllerWithoutLowEnergy() {
        let controller = ScriptedController()
        controller.replies[.readLocalSupportedFeatures] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
        let fixture = HostFixture(controller)
        fixture.host.start(now: .start)
        fixture.settle()
        #expect(fixture.host.state.radioState == .unsupported)
    }

    @Test func createsAnAddressIfTheControllerHasNone() {
        let controller = ScriptedController()
        controller.replies[.readBDADDR] = [0, 0, 0, 0, 0, 0, 0]
        let fixture = HostFixture(controller)
        fixture.host.start(now: .start)
        fixture.settle()
        let made = BluetoothAddress("C6:05:04:03:02:01", kind: .random)
        #expect(fixture.host.ownAddress == made)
        #expect(controller.commands(.leSetRandomAddress) == [[1, 2, 3, 4, 5, 0xC6]])
    }

    @Test func anUnresponsiveControllerTimesOut() {
        let controller = ScriptedController()
        controller.isDead = true
        let fixture = HostFixture(controller)
        fixture.host.start(now: .start)
        fixture.advance(by: .milliseconds(4999))
        #expect(fixture.host.state == .starting)
        fixture.advance(by: .milliseconds(1))
        #expect(fixture.host.state.radioState == .unsupported)
        controller.isDead = false
        fixture.host.start(now: fixture.host.now)
        fixture.settle()
        #expect(fixture.host.state == .ready)
    }

    @Test func ignoresEventsFromBeforeTheReset() {
        let fixture = HostFixture()
        fixture.host.start(now: .start)
        fixture.leEvent(.advertisingReport, bytes("01 00 00 010203040506 00 C4"))
        fixture.connected(handle: 1, role: 0, peer: 9)
        fixture.settle()
        #expect(fixture.host.state == .ready && fixture.links.isEmpty && fixture.reports.isEmpty)
        #expect(fixture.host.counters.ignoredEvents >= 1)
    }

    @Test func hardwareErrorsRestartTheControllerALimitedNumberOfTimes() {
        let fixture = HostFixture.ready()
        let link = fixture.makeLink(handle: 1, peer: 9)
        #expect(link != nil)
        for _ in 0..<3 { fixture.event(.hardwareError, [0x42]) }
        #expect(fixture.host.state == .ready)
        #expect(fixture.endings.count == 1)
        #expect(fixture.states.filter { $0 == .restarting(hardwareError: 0x42) }.count == 3)
        fixture.event(.hardwareError, [0x42])
        #expect(fixture.host.state.radioState == .poweredOff)
    }

    @Test func stoppingAndALostTransportEndEveryOperationOnce() {
        let unplugged = RadioError.radio(.unsupported, reason: "unplugged")
        for closes in [false, true] {
            let fixture = HostFixture.ready()
            var results: [Result<LELink, RadioError>] = []
            let link = fixture.makeLink(handle: 1, peer: 9)
            let probe = ChannelProbe()
            link?.l2cap.securityChannel = probe
            fixture.host.connect(to: address(1)) { results.append($0) }
            fixture.settle()
            if closes {
                fixture.host.transportClosed(unplugged, now: fixture.host.now)
            } else {
                fixture.host.stop(now: fixture.host.now)
            }
            #expect(results.count == 1 && probe.ended.count == 1 && fixture.endings.count == 1)
            #expect(fixture.host.state == (closes ? .failed(unplugged) : .stopped))
            if closes { #expect(throws: unplugged) { try results.first?.get() } }
            #expect(fixture.host.allLinks.isEmpty)
            #expect(closes || fixture.controller.sent.last == bytes("01 030C 00"))
        }
    }
}

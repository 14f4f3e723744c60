import BluetoothRuntime
import Harald
import TestSupport
import Testing
import VirtualTransport

@testable import VirtualBluetooth

/// Scans that receive no reports, or not all.
@Suite(.timeLimit(.minutes(1))) struct QuietScanTests {
    @Test func aScanThatEndsAfterASilenceLeavesTheControllerAlone() async throws {
        let clock = RadioClock.manual()
        let radio = VirtualRadio(clock: clock)
        let central = try await Central(adapter: radio.adapter())
        try await central.waitUntilPoweredOn()
        for _ in 0..<2 {
            let scan = Task { for try await _ in central.scan(duration: .seconds(30)) {} }
            // Until the scan has begun there is no timer that could be missed.
            while await radio.loop.run({ radio.air.value.scanners.isEmpty }) { try await Task.pause() }
            await clock.advance(by: .seconds(40))
            try await scan.value
            await clock.advance(by: .seconds(5))
            #expect(central.state == .poweredOn, "\(central.stateReason)")
        }
        await central.close()
    }

    /// The controller reports a device once while it filters duplicates.
    @Test func aScanThatJoinsARunningOneFindsADeviceThatWasReportedLongBefore() async throws {
        let clock = RadioClock.manual()
        let radio = VirtualRadio(clock: clock)
        let device = try await LocalPeripheral(adapter: radio.adapter(), name: "Early")
        try await device.advertise()
        let central = try await Central(adapter: radio.adapter())
        let isFound = Locked(false)
        let running = Task { for try await _ in central.scan() { isFound.with { $0 = true } } }
        while !isFound.value { await clock.advance(by: .milliseconds(100)) }
        await clock.advance(by: .seconds(20))

        let isOver = Locked(false)
        let joined = Task {
            defer { isOver.with { $0 = true } }
            return try await central.scan(duration: .seconds(5)).first { _ in true }?.peripheral.name
        }
        while !isOver.value { await clock.advance(by: .milliseconds(100)) }
        #expect(try await joined.value == "Early")
        running.cancel()
        await central.close()
        await device.close()
    }

    /// A device that invites scan requests and does not answer them.
    @Test func aDeviceWithoutAScanResponseIsFound() async throws {
        let radio = VirtualRadio()
        let central = try await Central(adapter: radio.adapter(named: "central"))
        let running = Task { for try await _ in central.scan() {} }
        let found = Task { try await central.scan().first { _ in true } }
        while await radio.loop.run({ radio.air.value.scanners.isEmpty }) { try await Task.pause() }
        await radio.loop.run {
            // LE Advertising Report: ADV_IND of C0:00:00:00:00:09 with the name "Mute", -60 dBm.
            let name: [UInt8] = [5, 9, 0x4D, 0x75, 0x74, 0x65]
            let report: [UInt8] = [2, 1, 0, 0, 9, 0, 0, 0, 0, 0xC0, UInt8(name.count)] + name + [0xC4]
            ([4, 0x3E, UInt8(report.count)] + report).withByteView {
                radio.host(ofAdapterNamed: "central")?.receive($0, now: radio.loop.now)
            }
        }
        #expect(try await found.value?.peripheral.name == "Mute")
        // A scan that joins the running one finds it too, although it is not heard again.
        #expect(try await central.scan().first { _ in true }?.peripheral.name == "Mute")
        running.cancel()
        await central.close()
    }
}

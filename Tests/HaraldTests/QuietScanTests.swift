import BluetoothRuntime
import Harald
import Testing
import VirtualTransport

@testable import VirtualBluetooth

/// Scans that hear nothing.
@Suite(.timeLimit(.minutes(1))) struct QuietScanTests {
    @Test func aScanThatEndsAfterASilenceLeavesTheControllerAlone() async throws {
        let clock = RadioClock.manual()
        let radio = VirtualRadio(clock: clock)
        let central = try await Central(adapter: radio.adapter())
        try await central.waitUntilPoweredOn()
        for _ in 0..<2 {
            let scan = Task { for try await _ in central.scan(duration: .seconds(30)) {} }
            // Until the scan has begun there is no timer that could be missed.
            while await radio.loop.run({ radio.air.value.scanners.isEmpty }) { await Task.yield() }
            await clock.advance(by: .seconds(40))
            try await scan.value
            await clock.advance(by: .seconds(5))
            #expect(central.state == .poweredOn, "\(central.stateReason)")
        }
        await central.close()
    }
}

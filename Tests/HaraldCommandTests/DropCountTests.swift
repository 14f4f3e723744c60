import Explorer
import Harald
import Testing
import VirtualTransport

@testable import HaraldCommand

/// Values that arrive faster than a command consumes them.
@Suite(.timeLimit(.minutes(3))) struct DropCountTests {
    @Test func droppedValuesAreReported() {
        #expect(DropCount.report(0, "value", json: true) == nil && DropCount.report(0, "value", json: false) == nil)
        #expect(DropCount.report(7, "value", json: true) == .object(["dropped": .int(7)]))
        #expect(
            DropCount.report(1, "value", json: false)
                == .message("1 value was dropped: they arrived faster than they were printed"))
        #expect(
            DropCount.report(2, "reading", json: false)
                == .message("2 readings were dropped: they arrived faster than they were printed"))
    }

    /// No value is consumed before all were sent: each is either kept or counted.
    @Test func everyDroppedValueIsCounted() async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "Fast")
        let service = try await device.publish(
            ServiceDefinition("FFE0", [CharacteristicDefinition("FFE1", .notify)]))
        try await device.advertise()
        let central = try await Central(adapter: radio.adapter(named: "central"))
        var found: Peripheral?
        for try await discovery in central.scan() {
            found = discovery.peripheral
            break
        }
        let peripheral = try #require(found)
        try await peripheral.connect()
        let characteristic = try await peripheral.characteristic("FFE1")
        let events = device.events
        let values = MergedValues([characteristic], kind: .any, limit: nil, silence: nil, capacity: 64)
        let published = try #require(service.characteristics.first)
        for try await event in events {
            if case .subscribed = event { break }
        }
        let sent = 2_000
        for number in 0..<sent {
            try await published.update([UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)])
        }
        await device.close()
        var kept = 0
        do { for try await _ in values.stream { kept += 1 } } catch {
            // The end of the link, which is reported after the values.
        }
        #expect(kept <= 2 * 64 && kept > 0)
        #expect(kept + values.dropped == sent, "\(kept) kept, \(values.dropped) dropped")
        await central.close()
    }
}

import Foundation
import Harald
import Testing

@testable import HaraldCommand

@Suite("Former clocks of devices") struct ClockHistoryTests {
    @Test func formerClocksOutliveTheProgram() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "clocks-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let clock = ClockOffsets(before: -60, set: (Date(timeIntervalSince1970: 1_790_000_000), 1_790_003_600))
        let history = try ClockHistory(directory: directory)
        try await history.remember(clock, of: ClockOwner(name: "S1"))
        try await history.remember(ClockOffsets(before: nil, set: clock.set), of: ClockOwner(name: "S2"))
        #expect(try await ClockHistory(directory: directory).offsets(of: ClockOwner(name: "S1")) == clock)
        await history.forget(ClockOwner(name: "S1"))
        let later = try ClockHistory(directory: directory)
        #expect(await later.offsets(of: ClockOwner(name: "S1")) == nil)
        let other = try #require(await later.offsets(of: ClockOwner(name: "S2")))
        #expect(other.before == nil && other.set?.to == 1_790_003_600)
    }

    private static func owner(
        serial: String? = "0000", model: String? = "GM", _ address: UInt64, _ kind: BluetoothAddress.Kind = .public
    ) -> ClockOwner {
        var facts = DeviceFacts()
        (facts.serial, facts.model) = (serial, model)
        return ClockOwner(facts, PeripheralID(BluetoothAddress(value: address, kind: kind)))
    }

    @Test("Devices with the same serial number have clocks of their own")
    func equalSerials() async throws {
        let meter = Self.owner(0x5465_0000_0001)
        let clock = ClockOffsets(before: -60, set: (Date(timeIntervalSince1970: 1_790_000_000), 1_790_003_600))
        let history = try ClockHistory()
        try await history.remember(clock, of: meter)
        #expect(await history.offsets(of: meter) == clock)
        for other in [
            Self.owner(model: "BP", 0x5465_0000_0001), Self.owner(0x5465_0000_0002),
            Self.owner(serial: "0001", 0x5465_0000_0001), Self.owner(serial: nil, 0x5465_0000_0001),
        ] {
            #expect(await history.offsets(of: other) == nil, "\(other)")
            await history.forget(other)
        }
        #expect(await history.offsets(of: meter) == clock)
    }

    @Test("A private address, which changes, does not distinguish devices, unless several have the same properties")
    func privateAddress() async throws {
        let clock = ClockOffsets(before: -60, set: (Date(timeIntervalSince1970: 1_790_000_000), 1_790_003_600))
        let (first, second) = (Self.owner(0x4A00_0000_0001, .random), Self.owner(0x4B00_0000_0002, .random))
        let (bonded, other) = (Self.owner(0xC000_0000_0001, .random), Self.owner(0xC000_0000_0002, .random))
        let history = try ClockHistory()
        try await history.remember(clock, of: first)
        #expect(await history.offsets(of: second) == clock)
        // The address is known after pairing, and replaces the entry without it.
        try await history.remember(clock, of: bonded)
        #expect(await history.offsets(of: second) == clock)
        #expect(await history.offsets(of: other) == nil)
        try await history.remember(clock, of: other)
        #expect(await history.offsets(of: second) == nil)
        #expect(await history.offsets(of: bonded) == clock)
    }
}

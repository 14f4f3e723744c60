import Foundation
import Testing

@testable import HaraldCommand

@Suite struct SimulatedAddressTests {
    @Test func anAddressIsDerivedFromTheName() {
        let address = SimulatedAddresses.address(of: "Polar H7 4C1A2B")
        // Permanent: a central that knows a device finds it with the next version too.
        #expect(address.text == "E2:1F:0A:7B:90:CE")
        #expect(address.randomKind == .staticAddress)
        #expect(SimulatedAddresses.address(of: "Polar H7") != address)
        #expect(SimulatedAddresses.address(of: "").randomKind == .staticAddress)
    }

    @Test func addressesOfDevicesAreUnique() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var first: SimulatedAddresses? = SimulatedAddresses(directory: directory.path)
        let second = SimulatedAddresses(directory: directory.path)
        let one = first?.address(for: "Lamp"), two = first?.address(for: "Lamp"), three = second.address(for: "Lamp")
        #expect(Set([one, two, three]).count == 3)
        #expect(one == SimulatedAddresses.address(of: "Lamp"))
        // A removed device releases its address.
        first = nil
        #expect(second.address(for: "Lamp") == one)
    }

    @Test func withoutADirectoryAddressesAreDerivedFromTheName() {
        #expect(
            SimulatedAddresses(directory: "/nonexistent").address(for: "Lamp")
                == SimulatedAddresses.address(of: "Lamp"))
    }
}

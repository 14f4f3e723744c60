import Harald
import Testing

@testable import HaraldCommand

@Suite struct DeviceSelectorTests {
    private let polar = DeviceSelector.Candidate(
        id: PeripheralID(high: 1, low: 1), name: "Polar H7", address: "E6:01:02:03:04:05", rssi: -70)
    private let polarLong = DeviceSelector.Candidate(
        id: PeripheralID(high: 1, low: 2), name: "Polar H7 4C1A2B", address: "E6:01:02:03:04:06", rssi: -50)
    private let scale = DeviceSelector.Candidate(
        id: PeripheralID(high: 1, low: 3), name: "Scale", address: nil, rssi: nil)
    private let nameless = DeviceSelector.Candidate(
        id: PeripheralID(high: 1, low: 4), name: nil, address: nil, rssi: -40)

    private var all: [DeviceSelector.Candidate] { [polar, polarLong, scale, nameless] }

    @Test func wholeNamesTakePrecedenceOverPrefixes() {
        #expect(DeviceSelector("polar h7").choose(among: all, nil) == .success(polar))
        #expect(DeviceSelector("polar h7 4").choose(among: all, nil) == .success(polarLong))
        #expect(DeviceSelector("SCA").choose(among: all, nil) == .success(scale))
    }

    /// A device has its advertised name and the one of 'harald identities'.
    @Test func namesOfTheUserSelectADevice() {
        var named = polar
        named.identity = "Chest strap"
        #expect(DeviceSelector("chest strap").choose(among: [named, polarLong], nil) == .success(named))
        #expect(DeviceSelector("polar h7").choose(among: [named, polarLong], nil) == .success(named))
        #expect(DeviceSelector("CHEST").fit(named) == .begins)
        #expect(named.line.hasPrefix("Chest strap  "))
    }

    @Test func severalMatchingDevicesAreAnErrorThatListsThem() {
        #expect(DeviceSelector("pol").choose(among: all, nil) == .failure(.several([polar, polarLong])))
        #expect(DeviceSelector("x").choose(among: all, nil) == .failure(.none))
        #expect(DeviceSelector("").choose(among: [nameless], nil) == .failure(.none))
    }

    @Test func addressesAndIdentifiersSelectADevice() {
        #expect(DeviceSelector("e6:01:02:03:04:06").choose(among: all, nil) == .success(polarLong))
        #expect(DeviceSelector(nameless.id.description.lowercased()).choose(among: all, nil) == .success(nameless))
    }

    @Test func pickSelectsADevice() {
        #expect(DeviceSelector.any.choose(among: all, .strongest) == .success(nameless))
        #expect(DeviceSelector.any.choose(among: all, .first) == .success(polar))
        #expect(DeviceSelector("polar").choose(among: all, .strongest) == .success(polarLong))
        #expect(DeviceSelector.any.choose(among: all, .only) == .failure(.several(all)))
        #expect(DeviceSelector.any.choose(among: [scale], .only) == .success(scale))
        #expect(DeviceSelector.any.choose(among: [], .first) == .failure(.none))
    }

    @Test func wordsAreSplit() throws {
        let words = ["polar", "180F/2A19", "180A/2A29"]
        let named = try DeviceOptions.parse([])
        #expect(try named.split(words, needing: ["PATH"]).selector == .name("polar"))
        #expect(try named.split(words, needing: ["PATH"]).rest == ["180F/2A19", "180A/2A29"])
        let picked = try DeviceOptions.parse(["--pick", "only"])
        #expect(try picked.split(["180F/2A19"], needing: ["PATH"]).rest == ["180F/2A19"])
        #expect(throws: (any Error).self) { try named.split(["polar"], needing: ["PATH"]) }
        #expect(throws: (any Error).self) { try DeviceOptions.parse(["--pick", "any"]) }
    }
}

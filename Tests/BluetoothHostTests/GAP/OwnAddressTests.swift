import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

@Suite struct OwnAddressTests {
    private let first = BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .random)
    private let second = BluetoothAddress(value: 0xC0FF_EE00_0002, kind: .random)

    @Test func theRandomAddressIsSetBeforeItIsUsed() {
        var configuration = HostConfiguration()
        configuration.ownAddress = .staticRandom(first)
        let fixture = HostFixture(ScriptedController(), configuration)
        fixture.host.start(now: .start)
        fixture.settle()
        #expect(fixture.controller.opcodes.last == .leSetRandomAddress && fixture.host.ownAddress == first)
        fixture.host.startScan()
        fixture.settle()
        #expect(fixture.controller.commands(.leSetScanParameters).first?[5] == 1)
        fixture.host.connect(to: address(9)) { _ in }
        fixture.settle()
        #expect(fixture.controller.commands(.leCreateConnection).first?[12] == 1)
    }

    @Test func aWrongPolicyIsRefused() {
        var configuration = HostConfiguration()
        configuration.ownAddress = .staticRandom(address(1, kind: .public))
        let fixture = HostFixture(ScriptedController(), configuration)
        fixture.host.start(now: .start)
        guard case .failed(.invalidArgument) = fixture.host.state else { return #expect(Bool(false)) }
    }

    @Test func whatBlocksAChangePausesForIt() throws {
        var configuration = HostConfiguration()
        configuration.ownAddress = .staticRandom(first)
        let fixture = HostFixture.ready(ScriptedController(), configuration)
        fixture.host.startScan()
        fixture.host.connect(to: address(9)) { _ in }
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
        set.start(data: []) { _ in }
        fixture.settle()
        fixture.controller.forget()
        var changed: BluetoothAddress?
        fixture.host.setOwnAddress(.staticRandom(second)) { changed = try? $0.get() }
        fixture.settle()
        #expect(!fixture.controller.opcodes.contains(.leSetRandomAddress) && changed == nil)
        fixture.connected(handle: 0, role: 0, peer: 0, status: 2)
        #expect(changed == second)
        let opcodes = fixture.controller.opcodes
        let middle = try #require(opcodes.firstIndex(of: .leSetRandomAddress))
        #expect(Set(opcodes[..<middle]) == [.leSetScanEnable, .leCreateConnectionCancel, .leSetAdvertisingEnable])
        #expect(
            Set(opcodes[middle...]).isSuperset(of: [.leSetScanEnable, .leCreateConnection, .leSetAdvertisingEnable]))
        #expect(set.isAdvertising && fixture.host.isScanning)
    }

    @Test func aRefusedChangeLeavesWhatWas() {
        var configuration = HostConfiguration()
        configuration.ownAddress = .staticRandom(first)
        let controller = ScriptedController()
        let fixture = HostFixture.ready(controller, configuration)
        controller.refusals[.leSetRandomAddress] = .commandDisallowed
        var error: RadioError?
        fixture.host.setOwnAddress(.staticRandom(second)) { if case .failure(let failure) = $0 { error = failure } }
        fixture.settle()
        #expect(error == .controller(.commandDisallowed) && fixture.host.ownAddress == first)
        fixture.host.setOwnAddress(.public) { _ in }
        fixture.settle()
        #expect(fixture.host.ownAddress?.kind == .public)
    }

    @Test func aLegacyIdentityTakesTheRandomAddress() throws {
        let fixture = HostFixture.ready()
        fixture.host.startScan()
        fixture.settle()
        fixture.controller.forget()
        let set = try fixture.host.makeAdvertiser(LocalIdentity(address: .staticRandom(first), server: nil))
        var isOn = false
        set.start(data: []) { isOn = (try? $0.get()) != nil }
        fixture.settle()
        #expect(isOn && fixture.host.isScanning)
        #expect(
            fixture.controller.opcodes.prefix(2) == [.leSetScanEnable, .leSetRandomAddress]
                && fixture.controller.opcodes.contains(.leSetAdvertisingEnable))
        // Scanning goes on with the public address.
        #expect(fixture.controller.commands(.leSetScanParameters).last?[5] == 0)
        fixture.connected(handle: 1, role: 1, peer: 9)
        #expect(fixture.links.first?.ownAddress == first)
    }
}

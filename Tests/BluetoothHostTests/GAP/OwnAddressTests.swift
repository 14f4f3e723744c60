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

    @Test func anInvalidPolicyIsRefused() {
        var configuration = HostConfiguration()
        configuration.ownAddress = .staticRandom(address(1, kind: .public))
        let fixture = HostFixture(ScriptedController(), configuration)
        fixture.host.start(now: .start)
        guard case .failed(.invalidArgument) = fixture.host.state else {
            Issue.record("\(fixture.host.state)")
            return
        }
    }

    @Test func operationsThatBlockAnAddressChangeArePaused() throws {
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
        // Scanning and advertising go on until the initiation has ended.
        #expect(fixture.controller.opcodes == [.leCreateConnectionCancel] && changed == nil)
        fixture.connected(handle: 0, role: 0, peer: 0, status: 2)
        #expect(changed == second)
        let opcodes = fixture.controller.opcodes
        let middle = try #require(opcodes.firstIndex(of: .leSetRandomAddress))
        #expect(Set(opcodes[..<middle]) == [.leSetScanEnable, .leCreateConnectionCancel, .leSetAdvertisingEnable])
        #expect(
            Set(opcodes[middle...]).isSuperset(of: [.leSetScanEnable, .leCreateConnection, .leSetAdvertisingEnable]))
        #expect(set.isAdvertising && fixture.host.isScanning)
    }

    @Test func aScanBeginsWhileAnInitiationEnds() {
        var configuration = HostConfiguration()
        configuration.ownAddress = .staticRandom(first)
        let fixture = HostFixture.ready(ScriptedController(), configuration)
        fixture.host.connect(to: address(9)) { _ in }
        fixture.settle()
        var changed: BluetoothAddress?
        fixture.host.setOwnAddress(.staticRandom(second)) { changed = try? $0.get() }
        fixture.settle()
        fixture.controller.forget()
        fixture.host.startScan()
        fixture.settle()
        #expect(fixture.host.isScanning && changed == nil)
        #expect(fixture.controller.opcodes == [.leSetScanParameters, .leSetScanEnable])
        fixture.connected(handle: 0, role: 0, peer: 0, status: 2)
        #expect(fixture.host.isScanning && changed == second)
    }

    @Test func aRefusedChangeKeepsTheOldAddress() {
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

    @Test func aLegacyIdentityUsesTheRandomAddress() throws {
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
        // Scanning continues with the public address.
        #expect(fixture.controller.commands(.leSetScanParameters).last?[5] == 0)
        fixture.connected(handle: 1, role: 1, peer: 9)
        #expect(fixture.links.first?.ownAddress == first)
    }

    /// A device with an address of its own hides it too, with either kind of commands.
    @Test(arguments: [true, false]) func anIdentityUsesPrivateAddresses(isExtended: Bool) throws {
        let key = SecurityKey.random()
        let fixture = HostFixture.ready(ScriptedController(extended: isExtended))
        let set = try fixture.host.makeAdvertiser(
            LocalIdentity(address: .staticRandom(first), privacy: .init(key: key, each: .seconds(60)), server: nil))
        set.start(data: [2, 1, 6]) { _ in }
        fixture.settle()
        let one = try #require(set.address)
        #expect(one.isResolved(by: key) && set.fixedAddress == first && set.isAdvertising)
        let command = isExtended ? HCIOpcode.leSetAdvertisingSetRandomAddress : .leSetRandomAddress
        #expect(fixture.controller.commands(command).count == 1)
        fixture.advance(by: .seconds(61))
        let other = try #require(set.address)
        #expect(other != one && other.isResolved(by: key) && set.isAdvertising)
        #expect(fixture.controller.commands(command).count == 2)
        // A controller that refuses continues with the old one.
        if !isExtended {
            fixture.controller.refusals[.leSetRandomAddress] = .commandDisallowed
            fixture.advance(by: .seconds(61))
            #expect(set.address == other && set.isAdvertising)
            fixture.controller.refusals = [:]
            fixture.advance(by: .seconds(61))
            #expect(set.address != other && set.isAdvertising)
        }
        let met = try #require(set.address)
        fixture.connected(handle: 1, role: 1, peer: 9)
        // Keys are bound to the address used over the air, bonds to the identity.
        #expect(fixture.links.first?.ownAddress == first && fixture.links.first?.ownAirAddress == met)
        #expect(fixture.links.first?.ownIdentityKey == key)
        set.remove()
        fixture.settle()
        fixture.controller.forget()
        fixture.advance(by: .seconds(300))
        #expect(fixture.controller.commands(command).isEmpty)
        // The removed set has no timer either, although its owner still holds it.
        fixture.disconnected(handle: 1, reason: 0x13)
        #expect(set.isRemoved && fixture.host.nextDeadline == nil)
        #expect(throws: RadioError.self) {
            try fixture.host.makeAdvertiser(
                LocalIdentity(address: .staticRandom(first), privacy: .init(key: key, each: .zero), server: nil))
        }
    }

    @Test func privateAddressesAreRotated() throws {
        let key = SecurityKey.random()
        var configuration = HostConfiguration()
        configuration.ownAddress = .resolvable(key, each: .seconds(60))
        let fixture = HostFixture.ready(ScriptedController(), configuration)
        let one = try #require(fixture.host.ownAddress)
        #expect(one.isResolved(by: key))
        fixture.host.startScan()
        fixture.settle()
        #expect(fixture.controller.commands(.leSetScanParameters).first?[5] == 1)
        fixture.controller.forget()
        fixture.advance(by: .seconds(59))
        #expect(fixture.host.ownAddress == one && fixture.controller.sent.isEmpty)
        fixture.advance(by: .seconds(2))
        let other = try #require(fixture.host.ownAddress)
        #expect(other != one && other.isResolved(by: key) && fixture.host.isScanning)
        // Scanning pauses for the change.
        #expect(fixture.controller.opcodes.first == .leSetScanEnable && fixture.controller.opcodes.count > 2)
        #expect(fixture.controller.commands(.leSetRandomAddress).count == 1)
        // A controller that refuses keeps the old one; the public address is never revealed instead.
        fixture.controller.refusals[.leSetRandomAddress] = .commandDisallowed
        fixture.advance(by: .seconds(61))
        #expect(fixture.host.ownAddress == other)
        fixture.controller.refusals = [:]
        fixture.advance(by: .seconds(61))
        #expect(fixture.host.ownAddress != other && fixture.host.ownAddress?.isResolved(by: key) == true)
        fixture.host.setOwnAddress(.public) { _ in }
        fixture.settle()
        #expect(fixture.host.ownAddress?.kind == .public)
        fixture.controller.forget()
        fixture.advance(by: .seconds(300))
        #expect(fixture.controller.commands(.leSetRandomAddress).isEmpty)
        var error: RadioError?
        fixture.host.setOwnAddress(.resolvable(key, each: .zero)) { if case .failure(let why) = $0 { error = why } }
        guard case .invalidArgument? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// Core 6.0, Vol 4, Part E, 7.8.45: the timeout of resolvable private addresses is 1 s to 1 h.
    @Test(arguments: [
        (Duration.milliseconds(999), false), (.seconds(1), true), (.seconds(3600), true), (.seconds(3601), false),
    ])
    func privateAddressesLastOneSecondToOneHour(_ time: Duration, _ isValid: Bool) {
        #expect((OwnAddressPolicy.resolvable(.random(), each: time).fault == nil) == isValid)
    }
}

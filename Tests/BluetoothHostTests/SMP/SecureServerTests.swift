import BluetoothModel
import Testing

@testable import BluetoothHost

/// The security that a GATT server requires of a link, and the state of a bonded client.
@Suite struct SecureServerTests {
    @Test func signedWritesReachTheServer() throws {
        final class Signer: AttributeSigner {
            func sign(_ packet: [UInt8]) -> [UInt8]? { Array(100..<112) }
            func verify(_ packet: [UInt8], signature: [UInt8]) -> Bool { signature == Array(100..<112) }
        }
        let server = GATTServer()
        let service = try server.add(
            GATTServiceDefinition(
                uuid: "FFF0",
                characteristics: [
                    GATTCharacteristicDefinition(
                        uuid: "FFF1", properties: [.read, .authenticatedSignedWrites], value: .kept([])),
                    GATTCharacteristicDefinition(uuid: "FFF2", properties: [.read, .write], value: .kept([])),
                ]))
        let (signed, plain) = (service.characteristics[0].valueHandle, service.characteristics[1].valueHandle)
        let sides = TwoSides(server: server)
        let signer = Signer()
        let outcome = Outcome<Void>()
        sides.client.signedWrite(signed, [1]) { outcome($0) }
        guard case .security? = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        sides.centralLink.att.signer = signer
        // The server has no key to verify the signature.
        sides.client.signedWrite(signed, [2]) { _ in }
        sides.run()
        #expect(server.value(of: signed) == [] && sides.peripheralLink.faults.count(of: .ignoredCommand) == 1)
        sides.peripheralLink.att.signer = signer
        sides.client.signedWrite(signed, [3]) { _ in }
        sides.client.signedWrite(plain, [3]) { _ in }
        sides.client.writeCommand(signed, [4]) { _ in }
        sides.run()
        #expect(server.value(of: signed) == [3] && server.value(of: plain) == [])
        // On an encrypted link the client sends a plain Write Command instead.
        sides.central.security = LinkSecurity(level: .encrypted, keySize: 16)
        sides.peripheral.security = sides.central.security
        sides.forgetTraffic()
        sides.client.signedWrite(signed, [5]) { _ in }
        sides.run()
        #expect(server.value(of: signed) == [5] && sides.requests.allSatisfy { $0.hasPrefix("52") })
        let long = Outcome<Void>()
        sides.central.security = LinkSecurity()
        sides.client.signedWrite(signed, [UInt8](repeating: 0, count: 9)) { long($0) }
        guard case .invalidArgument? = long.error else {
            Issue.record("\(String(describing: long.error))")
            return
        }
    }

    @Test func notificationsThatRequireEncryptionWaitForIt() throws {
        let server = GATTServer()
        let service = try server.add(
            GATTServiceDefinition(
                uuid: "FFF0",
                characteristics: [
                    GATTCharacteristicDefinition(
                        uuid: "FFF1", properties: [.notify, .notifyEncryptionRequired], value: .kept([])),
                    GATTCharacteristicDefinition(
                        uuid: "FFF2", properties: [.indicate, .indicateEncryptionRequired], value: .kept([])),
                ]))
        let side = OneSide(role: .peripheral, server: server)
        for characteristic in service.characteristics {
            let cccd = [UInt8(try #require(characteristic.configurationHandle)), 0].hexText()
            side.fake.security = LinkSecurity()
            #expect(side.answer(to: "12" + cccd + "0300").hasSuffix("05"))
            side.fake.security = LinkSecurity(isBonded: true)
            #expect(side.answer(to: "12" + cccd + "0100").hasSuffix("0F"))
            side.fake.security = LinkSecurity(level: .encrypted, keySize: 16)
            let kind = characteristic == service.characteristics[0] ? "0100" : "0200"
            #expect(side.answer(to: "12" + cccd + kind) == "13")
        }
        for (characteristic, opcode) in zip(service.characteristics, ["1B", "1D"]) {
            side.fake.security = LinkSecurity()
            server.send([7], for: characteristic.valueHandle) { _ in }
            #expect(side.fake.take().isEmpty)
            side.fake.security = LinkSecurity(level: .encrypted, keySize: 16)
            server.send([7], for: characteristic.valueHandle) { _ in }
            #expect(side.fake.take().map { $0.prefix(2) } == [opcode.prefix(2)])
        }
    }

    @Test func anAttributeMayRequireALongKey() throws {
        var long = GATTCharacteristicDefinition(uuid: "FFF1", properties: [.read, .write], value: .kept([1]))
        long.minimumKeySize = 16
        let server = GATTServer()
        _ = try server.add(GATTServiceDefinition(uuid: "FFF0", characteristics: [long], handle: 0x20))
        let side = OneSide(role: .peripheral, server: server)
        for (security, code) in [
            (LinkSecurity(), "05"), (LinkSecurity(isBonded: true), "0F"),
            (LinkSecurity(level: .encrypted, keySize: 15), "0C"),
            (LinkSecurity(level: .authenticated, keySize: 7), "0C"),
        ] {
            side.fake.security = security
            #expect(side.answer(to: "0A 2200") == "010A2200" + code)
            #expect(side.answer(to: "12 2200 02") == "01122200" + code)
        }
        side.fake.security = LinkSecurity(level: .encrypted, keySize: 16)
        #expect(side.answer(to: "0A 2200") == "0B01" && side.answer(to: "12 2200 02") == "13")
    }

    @Test func aServerRemembersABondedClient() throws {
        let server = GATTServer()
        let definition = GATTServiceDefinition(
            uuid: "FFF0",
            characteristics: [
                GATTCharacteristicDefinition(uuid: "FFF1", properties: [.notify], value: .kept([])),
                GATTCharacteristicDefinition(uuid: "FFF2", properties: [.read], value: .kept([])),
            ])
        let service = try server.add(definition)
        let handle = service.characteristics[0].valueHandle
        let first = OneSide(role: .peripheral, server: server)
        let session = first.link.serverSession
        var changes = 0
        session.onStateChange = { changes += 1 }
        session.setSubscription(.notifications, to: handle)
        session.setSubscription(.indications, to: server.serviceChangedHandle)
        session.clientFeatures = 1
        #expect(changes == 2)
        let state = session.state
        first.link.linkClosed(.disconnected(.remoteUserTerminated))
        #expect(changes == 2 && server.subscribers(of: handle).isEmpty)

        let second = OneSide(role: .peripheral, server: server)
        second.link.serverSession.restore(state)
        #expect(second.link.serverSession.subscription(to: handle) == .notifications)
        #expect(second.link.serverSession.state == state && second.fake.frames.isEmpty)

        // Subscriptions to handles that changed their meaning are not restored, and the client is notified.
        server.remove(service.handle)
        let third = OneSide(role: .peripheral, server: server)
        third.link.serverSession.restore(state)
        #expect(third.link.serverSession.subscription(to: handle).isEmpty)
        #expect(third.link.serverSession.subscription(to: server.serviceChangedHandle) == .indications)
        #expect(third.fake.take().first?.hasPrefix("1D") == true)
        #expect(third.link.serverSession.state.databaseHash.isEmpty)
    }
}

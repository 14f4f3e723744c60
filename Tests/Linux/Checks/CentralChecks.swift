import Foundation
import Harald

/// The central, on any adapter, against the peer that offers the test's service: every operation of the public API.
@MainActor enum CentralChecks {
    /// The peer's name; nil for any with the service.
    static let name = ProcessInfo.processInfo.environment["PEER_NAME"]
    static let patience = Duration.seconds(60)

    static func run() async {
        guard let central = await open(pairing: .justWorks) else { return }
        say("     \(central.adapter.summary); \(central.capabilities.names.joined(separator: " "))")
        guard
            let peer = await Checks.step(
                "scan: the peer is found, with its name and service",
                {
                    try await find(central)
                })
        else { return }
        await Checks.step("a stored identifier finds the same peripheral") {
            let known = await central.peripheral(id: peer.id)
            try Checks.require(known === peer, "\(String(describing: known))")
        }
        await Checks.step("reading without a link is an error") {
            let error = try await Checks.error { _ = try await peer.readRSSI() }
            try Checks.require(error.code == .notConnected, "\(error)")
        }
        await absent(central)
        guard await Checks.step("connect", { try await peer.connect(timeout: patience) }) != nil else { return }
        guard await Checks.step("discover everything", { _ = try await peer.discoverAll(timeout: patience) }) != nil
        else { return }
        await values(peer)
        await streams(peer)
        await limits(central, peer)
        await Checks.step("disconnect") {
            await peer.disconnect()
            try Checks.require(!peer.isConnected, "\(peer.state)")
        }
        await reconnection(central, peer)
        await pairing(central, peer)
        await central.close()
        say("ok   closed")
    }

    static func open(pairing: (any PairingDelegate)? = nil) async -> Central? {
        await Checks.step("open the adapter") {
            let central = try await Central(pairing: pairing, options: .init(storage: .none))
            try await central.waitUntilPoweredOn()
            return central
        }
    }

    static func find(_ central: Central) async throws -> Peripheral {
        for try await found in central.scan(for: [TestService.service], duration: patience)
        where name == nil || found.name == name {
            return found.peripheral
        }
        throw Checks.Failure(description: "'\(name ?? "a peer")' was not found in \(patience)")
    }

    private static func absent(_ central: Central) async {
        guard let address = BluetoothAddress("C0:00:00:00:00:99", kind: .random),
            let nobody = await central.peripheral(address: address)
        else { return }
        await Checks.step("connecting to an absent device ends at its timeout") {
            let error = try await Checks.error { try await nobody.connect(timeout: .seconds(3)) }
            try Checks.require(error.code == .timeout, "\(error)")
        }
        await Checks.step("... and at its cancellation") {
            let task = Task { try await nobody.connect(timeout: nil) }
            for try await state in nobody.states where state == .connecting { break }
            task.cancel()
            let error = try await Checks.error { try await task.value }
            try Checks.require(error.code == .cancelled, "\(error)")
        }
    }

    static func characteristic(_ peer: Peripheral, _ uuid: BluetoothUUID) throws -> Characteristic {
        for service in peer.services where service.uuid == TestService.service {
            if let found = service.characteristics.first(where: { $0.uuid == uuid }) { return found }
        }
        throw Checks.Failure(description: "no characteristic \(uuid)")
    }

    private static func values(_ peer: Peripheral) async {
        await Checks.step("the MTU was exchanged") { try Checks.require(peer.mtu > 100, "\(peer.mtu)") }
        await Checks.step("write and read") {
            let kept = try characteristic(peer, TestService.kept)
            try await kept.write([1, 2, 3], timeout: patience)
            let value = try await kept.read(timeout: patience)
            try Checks.require(value == [1, 2, 3], "\(value)")
        }
        await Checks.step("a long value is written and read completely") {
            let kept = try characteristic(peer, TestService.kept)
            let long = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
            try await kept.write(long, timeout: patience)
            let value = try await kept.read(timeout: patience)
            try Checks.require(value == long, "\(value.count) bytes")
            let other = try await characteristic(peer, TestService.long).read(timeout: patience)
            try Checks.require(other.count == 300, "\(other.count) bytes")
        }
        await Checks.step("a descriptor is read") {
            let descriptors = try characteristic(peer, TestService.kept).descriptors
            guard let description = descriptors.first(where: { $0.uuid == BluetoothUUID(0x2901) }) else {
                throw Checks.Failure(description: "no description among \(descriptors)")
            }
            let text = String(decoding: try await description.read(timeout: patience), as: UTF8.self)
            try Checks.require(text == "kept", text)
        }
        await Checks.step("an error of the device keeps its code") {
            let broken = try characteristic(peer, TestService.broken)
            let error = try await Checks.error { _ = try await broken.read(timeout: patience) }
            try Checks.require(error.code == .att(ATTErrorCode(rawValue: 0x80)), "\(error)")
        }
        await Checks.step("many tasks share one characteristic") {
            let kept = try characteristic(peer, TestService.kept)
            try await kept.write([9], timeout: patience)
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<8 { group.addTask { try await kept.read(timeout: .seconds(60)) } }
                for _ in 0..<4 {
                    group.addTask {
                        try await kept.write([9], timeout: .seconds(60)); return [9]
                    }
                }
                for try await value in group { try Checks.require(value == [9], "\(value)") }
            }
        }
    }

    private static func streams(_ peer: Peripheral) async {
        await Checks.step("notifications: the first is not lost, and the order is preserved") {
            let echo = try characteristic(peer, TestService.echo)
            let command = try characteristic(peer, TestService.command)
            let stream = echo.notifications()
            // The device answers each command at once, so a subscription that came too late would miss the first.
            let values = Task { () throws -> [[UInt8]] in
                var values: [[UInt8]] = []
                for try await value in stream {
                    values.append(value)
                    if values.count == 50 { break }
                }
                return values
            }
            try await subscribed(echo)
            for number in 0..<50 { try await command.write([UInt8(number)], timeout: patience) }
            let got = try await Checks.within(90) { try await values.value }
            try Checks.require(got == (0..<50).map { [UInt8($0)] }, "\(got.count): \(got)")
        }
        await Checks.step("indications arrive and are confirmed") {
            let indicated = try characteristic(peer, TestService.indicated)
            let trigger = try characteristic(peer, TestService.trigger)
            let stream = indicated.notifications()
            let values = Task { () throws -> [[UInt8]] in
                var values: [[UInt8]] = []
                for try await value in stream {
                    values.append(value)
                    if values.count == 3 { break }
                }
                return values
            }
            try await subscribed(indicated)
            try await trigger.write([3], timeout: patience)
            let got = try await Checks.within(90) { try await values.value }
            try Checks.require(got == [[0], [1], [2]], "\(got)")
        }
    }

    /// Waits for a subscription: one requested on the same link before another request has been made when that is
    /// answered.
    private static func subscribed(_ characteristic: Characteristic) async throws {
        _ = try await self.characteristic(characteristic.peripheral, TestService.kept).read(timeout: patience)
        _ = try await self.characteristic(characteristic.peripheral, TestService.kept).read(timeout: patience)
    }

    private static func limits(_ central: Central, _ peer: Peripheral) async {
        if !central.capabilities.contains(.phy) {
            await Checks.step("unsupported operations of the backend are typed errors") {
                let error = try await Checks.error { _ = try await peer.phy() }
                try Checks.require(error.code == .unsupported, "\(error)")
            }
        }
        await Checks.step("a cancelled read ends, and the next one works") {
            let slow = try characteristic(peer, TestService.slow)
            let error = try await Checks.error { _ = try await slow.read(timeout: .milliseconds(200)) }
            try Checks.require(error.code == .timeout, "\(error)")
            _ = try await characteristic(peer, TestService.kept).read(timeout: patience)
        }
        await Checks.step("connected devices are listed") {
            let connected = await central.connectedPeripherals(withServices: [TestService.service])
            try Checks.require(connected.contains(peer), "\(connected)")
        }
    }

    private static func reconnection(_ central: Central, _ peer: Peripheral) async {
        await Checks.step("reconnect by identifier, with the discovered attributes") {
            try await peer.connect(timeout: patience)
            let value = try await characteristic(peer, TestService.kept).read(timeout: patience)
            try Checks.require(value == [9], "\(value)")
        }
    }

    private static func pairing(_ central: Central, _ peer: Peripheral) async {
        await Checks.step("pair") {
            let security = try await peer.pair(timeout: .seconds(90))
            try Checks.require(security.level > .none, "\(security)")
        }
        await Checks.step("a value that requires encryption is read") {
            let value = try await characteristic(peer, TestService.secret).read(timeout: patience)
            try Checks.require(value == Array("secret".utf8), "\(value)")
        }
        await Checks.step("the bond is listed") {
            let bonds = await central.bonds
            try Checks.require(bonds.contains { $0.id == peer.id }, "\(bonds)")
        }
        await Checks.step("the bond is used after a reconnection") {
            await peer.disconnect()
            try await peer.connect(timeout: patience)
            _ = try await characteristic(peer, TestService.secret).read(timeout: patience)
        }
        await Checks.step("the bond is deleted") {
            let forgotten = await peer.forgetBond()
            try Checks.require(forgotten, "there was no bond")
        }
    }
}

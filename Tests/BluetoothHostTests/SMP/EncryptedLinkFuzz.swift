#if canImport(VirtualBluetooth)
import BluetoothModel
import VirtualBluetooth

@testable import BluetoothHost
@testable import VirtualBluetooth

/// Two hosts on the virtual air with a link that is or should be encrypted. One receives random packets of the other.
/// An eavesdropper must never receive a protected value.
final class EncryptedLinkFuzz {
    /// Protected values, one for each operation, and one public value.
    static let read: [UInt8] = Array("READ SECRET 0001".utf8), notified = Array("NOTE SECRET 0002".utf8),
        written = Array("SENT SECRET 0003".utf8), open = Array("OPEN VALUE 00004".utf8)
    private static let secretHandle: UInt16 = 0x22, openHandle: UInt16 = 0x25, notifyHandle: UInt16 = 0x28

    let bench: AirBench
    let dice: Dice
    /// The number of packets with a protected value in clear.
    private(set) var leaks = 0
    /// The number of packets with the public value: without any, the tap did not work.
    private(set) var sightings = 0
    private(set) var begun = 0
    private(set) var ended: [Int] = []
    private var recorded: [(cid: UInt16, packet: [UInt8])] = []

    init(_ bench: AirBench, seed: UInt64) {
        self.bench = bench
        dice = Dice(seed)
        for _ in 0..<2 { add() }
    }

    private func add() {
        let station = bench.add(extended: !dice.chance(2))
        let (user, bonds) = (PairingUser(), InMemoryBondStore())
        bench.users.append(user)
        bench.bonds.append(bonds)
        var configuration = SecurityConfiguration(
            IOCapability.allCases[dice.below(5)], mitm: dice.chance(2), secureConnections: !dice.chance(3))
        configuration.sendsKeypresses = dice.chance(2)
        let manager = SecurityManager(configuration, bonds: bonds) { [dice] in dice.octets($0) }
        manager.defaultIdentity = { [unowned host = station.host] in host.addresses.identityAddress }
        manager.delegate = user
        station.host.securityManager = manager
    }

    private func link(_ index: Int) -> LELink? { bench.stations[index].links.last.flatMap { $0.isUp ? $0 : nil } }

    var isConnected: Bool { link(0) != nil && link(1) != nil }
    var isEncrypted: Bool { (0..<2).allSatisfy { (link($0)?.security.level ?? .none) > .none } }

    func connect() throws(RadioError) {
        let server = GATTServer()
        func protected(_ uuid: BluetoothUUID, _ value: [UInt8], _ handle: UInt16) -> GATTCharacteristicDefinition {
            GATTCharacteristicDefinition(
                uuid: uuid, properties: [.read, .write, .notify, .notifyEncryptionRequired],
                permissions: [.readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired],
                value: .kept(value), handle: handle)
        }
        _ = try server.add(
            GATTServiceDefinition(
                uuid: "FFF0",
                characteristics: [
                    protected("FFF1", Self.read, Self.secretHandle),
                    GATTCharacteristicDefinition(
                        uuid: "FFF2", properties: [.read], permissions: .readable, value: .kept(Self.open),
                        handle: Self.openHandle),
                    protected("FFF3", Self.notified, Self.notifyHandle),
                ], handle: 0x20))
        let set = try bench.stations[1].host.makeAdvertiser(
            LocalIdentity(address: .staticRandom(Station.address(1)), server: server))
        set.start(data: [2, 1, 6]) { _ in }
        bench.stations[0].host.connect(to: Station.address(1)) { _ in }
    }

    /// Starts recording the link; the first recorded value is the public one.
    func listen() {
        bench.air.allLinks.first?.tap = { [unowned self] pdu, _ in
            if Self.contains(pdu.payload, Self.open) { sightings += 1 }
            if [Self.read, Self.notified, Self.written].contains(where: { Self.contains(pdu.payload, $0) }) {
                leaks += 1
            }
        }
        link(0)?.l2cap.gatt.read(Self.openHandle) { [unowned self] in end($0) }
        begun += 1
    }

    private static func contains(_ bytes: [UInt8], _ value: [UInt8]) -> Bool {
        guard bytes.count >= value.count else { return false }
        return (0...bytes.count - value.count).contains { bytes[$0..<$0 + value.count].elementsEqual(value) }
    }

    private func end<Value>(_ result: Result<Value, RadioError>) { ended.append(begun) }

    // MARK: Valid operations

    func pair(from index: Int) {
        guard let link = link(index) else { return }
        begun += 1
        bench.stations[index].host.securityManager?.secure(
            link, to: [.encrypted, .encrypted, .authenticated, .secureConnections][dice.below(4)]
        ) { [unowned self] in end($0) }
    }

    /// Runs a random valid operation.
    func work() {
        guard let central = link(0), let peripheral = link(1) else { return }
        begun += 1
        let gatt = central.l2cap.gatt
        switch dice.below(8) {
        case 0, 1: gatt.read([Self.secretHandle, Self.openHandle][dice.below(2)]) { [unowned self] in end($0) }
        case 2:
            // A client writes the secret only on a protected link.
            let value = central.security.level > .none ? Self.written : [1]
            gatt.write(Self.secretHandle, value) { [unowned self] in end($0) }
        case 3: gatt.write(Self.notifyHandle + 1, [1, 0]) { [unowned self] in end($0) }
        case 4, 5:
            let session = peripheral.l2cap.serverSession
            session.send(Self.notified, for: Self.notifyHandle, kind: .any) { [unowned self] in end($0) }
        default:
            begun -= 1
            pair(from: dice.below(2))
        }
    }

    /// Answers the pairing questions, usually like a person with both devices.
    func answer() {
        for (user, other) in [(bench.users[0], bench.users[1]), (bench.users[1], bench.users[0])] {
            guard let question = user.pending?.question else { continue }
            if dice.chance(20) {
                user.answer([.refuse, .accept, .passkey(UInt32(dice.below(1_000_001)))][dice.below(3)])
                continue
            }
            switch question {
            case .display: break
            case .enterPasskey: user.answer(.passkey(other.shown ?? 1))
            case .confirm, .compare, .replaceBond: user.answer(.accept)
            }
        }
    }

    // MARK: Invalid operations

    /// One side sends an invalid packet.
    func inject() {
        guard let link = link(dice.below(2)) else { return }
        var (cid, packet) = dice.chance(2) ? (UInt16(4), attPacket()) : (6, securityPacket())
        if dice.chance(10), !recorded.isEmpty { (cid, packet) = recorded[dice.below(recorded.count)] }
        recorded.append((cid, packet))
        switch dice.below(6) {
        case 0: if !packet.isEmpty { packet[dice.below(packet.count)] ^= 1 << UInt8(dice.below(8)) }
        case 1: packet = Array(packet.prefix(dice.below(packet.count + 1)))
        case 2: packet += dice.octets(1 + dice.below(6))
        default: break
        }
        if dice.chance(30) { cid = [4, 5, 6, 0x40][dice.below(4)] }
        packet.withByteView { link.send(cid: cid, $0) }
    }

    private func securityPacket() -> [UInt8] {
        dice.chance(3)
            ? [UInt8(dice.below(16))] + dice.octets(dice.below(66))
            : octets(SecurityPacketTests.samples[dice.below(SecurityPacketTests.samples.count)])
    }

    private func attPacket() -> [UInt8] {
        let handles = [Self.secretHandle, Self.openHandle, Self.notifyHandle, Self.notifyHandle + 1, 1, 0xFFFF]
        let handle = handles[dice.below(handles.count)]
        let low = [UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)]
        switch dice.below(12) {
        case 0: return [0x0A] + low
        case 1: return [0x0C] + low + [UInt8(dice.below(3)), 0]
        case 2: return [0x0E] + low + [0x22, 0]
        case 3: return [0x20] + low + [0x22, 0, 0x28, 0]
        case 4: return [0x12] + low + [1, 0]
        case 5: return [0x52] + low + dice.octets(dice.below(20))
        case 6: return [0xD2] + low + dice.octets(12 + dice.below(20))
        case 7: return [0x16] + low + [0, 0] + dice.octets(dice.below(20))
        case 8: return [0x18, UInt8(dice.below(2))]
        case 9: return [0x08, 1, 0, 0xFF, 0xFF, 0xF1, 0xFF]
        case 10: return [[0x01, 0x0B, 0x13, 0x1B, 0x1D, 0x1E][dice.below(6)]] + low + dice.octets(dice.below(20))
        default: return [UInt8(dice.below(256))] + dice.octets(dice.below(30))
        }
    }

    // MARK: Invariants at the end

    /// The detected fault; nil if there is none.
    var fault: String? {
        if leaks > 0 { return "\(leaks) packets with a protected value in clear" }
        if sightings == 0 { return "nobody listened to the air" }
        if ended.count != begun { return "\(begun) operations began and \(ended.count) ended" }
        for (station, user) in zip(bench.stations, bench.users) {
            for link in station.links {
                if case .pairing? = station.host.securityManager?.session(of: link)?.state { return "still pairing" }
            }
            if user.pending != nil { return "a question is left over" }
        }
        return nil
    }
}
#endif

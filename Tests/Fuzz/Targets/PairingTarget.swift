import BluetoothHost
import BluetoothModel

extension FuzzTarget {
    /// Two security managers and a device in the middle that drops, repeats, changes and invents packets, and users
    /// that answer at random.
    ///
    /// Every operation ends once; keys that both sides consider authenticated are equal; a packet that arrived
    /// unchanged breaks no pairing.
    static let pairing = FuzzTarget(
        "pairing", "two security managers, with somebody between them", maximumLength: 256,
        seeds: {
            let carry = [UInt8](repeating: 0, count: 40)
            return [
                [3, 0, 0x77, 3, 0, 0x77, 6, 0] + carry, [4, 1, 0x77, 1, 1, 0x77, 6, 0, 0, 0, 0, 0, 0, 0, 5, 5] + carry,
                [4, 3, 0x77, 0, 3, 0x77, 6, 0, 0, 0, 0, 5, 5] + carry, [3, 2, 0x77, 3, 2, 0x77, 6, 0] + carry,
                [2, 1, 0x77, 0, 1, 0x77, 6, 1, 0, 0, 0, 5] + carry,
                [3, 0, 0x77, 3, 0, 0x77, 6, 0, 0, 0, 3, 2, 9] + carry,
            ]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let run = PairingRun(&input)
            while !input.isAtEnd { try run.step(&input) }
            try run.end()
        })
}

private final class PairingRun {
    let time = FuzzTime()
    let links: [FuzzSecurityLink]
    let managers: [SecurityManager]
    let users = [FuzzUser(), FuzzUser()]
    let bonds = [InMemoryBondStore(), InMemoryBondStore()]
    let endings = Endings()
    /// Packets in flight, each with its destination, and commands to the central's controller.
    var packets: [(side: Int, bytes: [UInt8])] = []
    var encryptions: [FuzzSecurityLink.Encryption] = []
    var recorded: [[UInt8]] = []

    init(_ input: inout FuzzInput) {
        let configurations = [SecurityConfiguration(&input), SecurityConfiguration(&input)]
        let time = time
        links = [
            FuzzSecurityLink(.central, own: 0xC000_0000_0001, peer: 0xC000_0000_0002, time: time),
            FuzzSecurityLink(.peripheral, own: 0xC000_0000_0002, peer: 0xC000_0000_0001, time: time),
        ]
        let bonds = bonds
        managers = configurations.indices.map { index in
            SecurityManager(configurations[index], bonds: bonds[index], random: FuzzRandom(UInt64(index) + 1).octets)
        }
        for (side, link) in links.enumerated() {
            managers[side].delegate = users[side]
            link.onSend = { [unowned self] in packets.append((1 - side, $0)) }
            link.onEncrypt = { [unowned self] in encryptions.append($0) }
            link.onDisconnect = { [unowned self] in disconnect($0) }
            link.channel = managers[side].opened(link)
        }
    }

    private func disconnect(_ reason: HCIStatus) {
        packets = []
        for link in links { link.close(.disconnected(reason)) }
    }

    func step(_ input: inout FuzzInput) throws(Finding) {
        switch input.below(9) {
        case 0: carry()
        case 1: if !packets.isEmpty { packets.removeFirst() }
        case 2: change(&input)
        // Far below the bound of waiting packets, so that these are the managers' own.
        case 3: if let first = packets.first, packets.count < 30 { packets.insert(first, at: 0) }
        case 4:
            guard !recorded.isEmpty, packets.count < 30 else { break }
            packets.insert((input.below(2), input.element(of: recorded)), at: 0)
        case 5: for side in 0..<2 { answer(side) }
        case 6:
            let side = input.below(2)
            let ended = endings.begin()
            managers[side].secure(links[side], to: input.flag() ? .authenticated : .encrypted) { _ in ended() }
        case 7: try time.advance(by: .seconds(input.below(40)))
        default: wrong(&input)
        }
        try check()
    }

    /// Delivers the next packet, or puts the key in force where none waits.
    private func carry() {
        if packets.isEmpty { return encrypt() }
        let (side, bytes) = packets.removeFirst()
        if recorded.count < 64 { recorded.append(bytes) }
        links[side].receive(bytes)
    }

    private func change(_ input: inout FuzzInput) {
        guard let first = packets.first, !first.bytes.isEmpty else { return }
        packets[0].bytes[input.below(first.bytes.count)] ^= 1 << UInt8(input.below(8))
    }

    private func answer(_ side: Int) {
        let user = users[side]
        switch user.pending?.question {
        case nil, .display: return
        case .confirm, .compare, .replaceBond: user.answer(.accept)
        case .enterPasskey: user.answer(.passkey(users[1 - side].shown ?? 271_828))
        }
    }

    private func wrong(_ input: inout FuzzInput) {
        let side = input.below(2)
        switch input.below(4) {
        case 0: users[side].answer(.refuse)
        case 1: users[side].answer(.passkey(UInt32(input.uint16())))
        case 2: managers[side].cancelPairing(on: links[side])
        default: if let bond = bonds[side].bonds.first { bonds[side].remove(bond) }
        }
    }

    /// The controllers encrypt where both have the same key.
    private func encrypt() {
        guard !encryptions.isEmpty else { return }
        let encryption = encryptions.removeFirst()
        guard links[0].isOpen, links[1].isOpen else { return encryption.completion(.failure(.notConnected)) }
        let other = managers[1].longTermKey(
            on: links[1], randomNumber: encryption.randomNumber, diversifier: encryption.diversifier)
        guard let other else {
            managers[1].encryptionChanged(on: links[1], .pinOrKeyMissing)
            encryption.completion(.failure(.controller(.pinOrKeyMissing)))
            return managers[0].encryptionChanged(on: links[0], .pinOrKeyMissing)
        }
        guard other.littleEndian == encryption.key else {
            encryption.completion(.failure(.disconnected(.micFailure)))
            return disconnect(.micFailure)
        }
        for side in [1, 0] {
            let security = managers[side].security(of: links[side], isEncrypted: true, keySize: nil)
            links[side].change(security: security ?? LinkSecurity(level: .encrypted, keySize: 16))
            if side == 0 { encryption.completion(.success(links[0].security)) }
            managers[side].encryptionChanged(on: links[side], .success)
        }
    }

    private func check() throws(Finding) {
        try require(packets.count < 60, "\(packets.count) packets wait")
        try endings.check(all: false)
        guard let one = bonds[0].bonds.first, let other = bonds[1].bonds.first, one.strength.isSecureConnections,
            other.strength.isSecureConnections, one.strength.isAuthenticated, other.strength.isAuthenticated,
            users[0].paired == users[1].paired
        else { return }
        try require(one.localKey?.key == other.localKey?.key, "two authenticated bonds with two keys")
    }

    func end() throws(Finding) {
        for link in links { link.close() }
        for encryption in encryptions { encryption.completion(.failure(.notConnected)) }
        try endings.check(all: true)
        try require(time.timers.nextDeadline == nil, "a timer outlives its link")
        for user in users { try require(user.pending == nil, "a question outlives its link") }
    }
}

import BluetoothHost
import BluetoothModel

extension FuzzTarget {
    /// A security manager whose peer is the input, in both roles.
    ///
    /// Every operation ends once, a packet has a few answers at most, and there is neither a bond nor a trusted link
    /// before the controller encrypted it with a key of this side.
    static let smp = FuzzTarget(
        "smp", "the security manager, with a peer that makes packets up", maximumLength: 512,
        seeds: {
            let request: [UInt8] = [0, 7, 0x01, 3, 0, 0x01, 16, 7, 7],
                response: [UInt8] = [0, 7, 0x02, 3, 0, 0x01, 16, 7, 7]
            let confirm: [UInt8] = [0, 17, 0x03] + Array(1...16), random: [UInt8] = [0, 17, 0x04] + Array(1...16)
            return [
                [1, 3, 0, 0x77] + request + confirm + random + [2, 1, 7],
                [0, 3, 0, 0x77, 3, 1] + response + confirm + random,
                [1, 3, 2, 0x77] + request + confirm + random, [0, 3, 2, 0x77, 3, 1] + response + confirm + random,
                [0, 4, 1, 0x77, 0, 2, 0x0B, 0x0D], [1, 0, 0, 0] + [0, 2, 0x05, 8],
                [1, 1, 1, 0x77] + request + [1, 12] + [4, 31],
                [0, 2, 3, 0x77, 3, 2] + response + [2, 2, 1, 0, 0, 0] + confirm,
            ]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let run = SMPRun(&input)
            while !input.isAtEnd { try run.step(&input) }
            try run.end()
        })
}

private final class SMPRun {
    let time = FuzzTime()
    let link: FuzzSecurityLink
    let manager: SecurityManager
    let bonds = InMemoryBondStore()
    let user = FuzzUser()
    let endings = Endings()
    var sent: [[UInt8]] = []
    var encryptions: [FuzzSecurityLink.Encryption] = []
    var wasEncrypted = false

    /// The lengths of packets by their codes.
    private static let lengths = [0, 7, 7, 17, 17, 2, 17, 11, 17, 8, 17, 2, 65, 17, 2]

    init(_ input: inout FuzzInput) {
        let role: LinkRole = input.flag() ? .peripheral : .central
        let configuration = SecurityConfiguration(&input)
        link = FuzzSecurityLink(role, own: 0xC000_0000_0001, peer: 0xC000_0000_0002, time: time)
        let random = FuzzRandom(1)
        manager = SecurityManager(configuration, bonds: bonds, random: random.octets)
        manager.delegate = user
        link.onSend = { [unowned self] in sent.append($0) }
        link.onEncrypt = { [unowned self] in encryptions.append($0) }
        link.onDisconnect = { [unowned self] reason in link.close(.disconnected(reason)) }
        link.channel = manager.opened(link)
    }

    func step(_ input: inout FuzzInput) throws(Finding) {
        switch input.below(9) {
        case 0: link.receive(input.counted())
        case 1:
            // A packet of the right length.
            let code = 1 + input.below(14)
            let body = input.bytes(Self.lengths[code] - 1)
            link.receive([UInt8(code)] + body + [UInt8](repeating: 0, count: Self.lengths[code] - 1 - body.count))
        case 2: answer(&input)
        case 3: secure(&input)
        case 4: try time.advance(by: .seconds(input.below(40)))
        case 5: encryptionEnds(&input)
        case 6: longTermKey(&input)
        case 7: manager.cancelPairing(on: link)
        default: if let bond = bonds.bonds.first { bonds.remove(bond) }
        }
        try check()
    }

    private func answer(_ input: inout FuzzInput) {
        switch input.below(3) {
        case 0: user.answer(.refuse)
        case 1: user.answer(.accept)
        default: user.answer(.passkey(UInt32(input.uint16()) << 4))
        }
    }

    private func secure(_ input: inout FuzzInput) {
        let levels: [LinkSecurity.Level] = [.encrypted, .authenticated, .secureConnections]
        let ended = endings.begin()
        manager.secure(link, to: input.element(of: levels), asksConsent: input.flag()) { _ in ended() }
    }

    /// As central: the controller completes the requested encryption.
    private func encryptionEnds(_ input: inout FuzzInput) {
        guard !encryptions.isEmpty else { return }
        let encryption = encryptions.removeFirst()
        guard input.flag() else {
            encryption.completion(.failure(.controller(.pinOrKeyMissing)))
            return manager.encryptionChanged(on: link, .pinOrKeyMissing)
        }
        encrypted()
        encryption.completion(.success(link.security))
        manager.encryptionChanged(on: link, .success)
    }

    private func encrypted() {
        wasEncrypted = true
        let security = manager.security(of: link, isEncrypted: true, keySize: nil)
        link.change(security: security ?? LinkSecurity(level: .encrypted, keySize: 16))
    }

    /// As peripheral: the central encrypts with the key that it names, if there is one.
    private func longTermKey(_ input: inout FuzzInput) {
        guard link.role == .peripheral, link.isOpen else { return }
        let known = bonds.bonds.first?.localKey
        let isKnown = input.flag()
        let key = manager.longTermKey(
            on: link, randomNumber: isKnown ? known?.randomNumber ?? 0 : 0,
            diversifier: isKnown ? known?.diversifier ?? 0 : 0)
        if key != nil { encrypted() }
        manager.encryptionChanged(on: link, key == nil ? .pinOrKeyMissing : .success)
    }

    private func check() throws(Finding) {
        try require(sent.count <= 12, "\(sent.count) packets at once: \(sent.map { $0.hexText() })")
        for packet in sent {
            let code = Int(packet.first ?? 0)
            try require(
                (1...14).contains(code) && Self.lengths[code] == packet.count, "a malformed packet: \(packet.hexText())"
            )
        }
        sent = []
        try endings.check(all: false)
        if !wasEncrypted {
            try require(bonds.bonds.isEmpty && user.paired == 0, "a bond without encryption")
            try require(link.security.level == .none, "a level of \(link.security.level) without encryption")
        }
        try require(bonds.bonds.count <= 8, "\(bonds.bonds.count) bonds with one peer")
    }

    func end() throws(Finding) {
        link.close()
        for encryption in encryptions { encryption.completion(.failure(.notConnected)) }
        try check()
        try endings.check(all: true)
        try require(time.timers.nextDeadline == nil, "a timer outlives its link")
        try require(user.pending == nil, "a question outlives its link")
    }
}

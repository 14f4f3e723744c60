import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// Time that both ends of a link share.
final class FuzzTime {
    let timers = TimerQueue()
    private(set) var now = RadioInstant.start

    /// Advances the time, with a stop at each deadline.
    func advance(by duration: Duration) throws(Finding) {
        let target = now + duration
        var steps = 0
        while let next = timers.nextDeadline, next <= target {
            steps += 1
            try require(steps < 10_000, "a timer fires repeatedly")
            now = max(now, next)
            timers.fire(upTo: now)
        }
        now = target
    }
}

/// One end of a link for a security manager; its creator transfers the packets, and acts as the controller.
final class FuzzSecurityLink: SecurityLink {
    let role: LinkRole
    let ownAddress: BluetoothAddress
    let peerAddress: BluetoothAddress
    var ownAirAddress: BluetoothAddress { ownAddress }
    var peerAirAddress: BluetoothAddress { peerAddress }
    private(set) var security = LinkSecurity()
    var isOpen = true
    var channel: (any SecurityChannel)?
    /// Receives the packets that this end sends.
    var onSend: (([UInt8]) -> Void)?
    /// Receives the encryption commands of this end: the key, least significant octet first, and its identification.
    var onEncrypt: ((Encryption) -> Void)?
    var onDisconnect: ((HCIStatus) -> Void)?
    private let time: FuzzTime

    struct Encryption {
        var key: [UInt8]
        var randomNumber: UInt64
        var diversifier: UInt16
        var completion: (Result<LinkSecurity, RadioError>) -> Void
    }

    init(_ role: LinkRole, own: UInt64, peer: UInt64, time: FuzzTime) {
        self.role = role
        ownAddress = BluetoothAddress(value: own, kind: .public)
        peerAddress = BluetoothAddress(value: peer, kind: .public)
        self.time = time
    }

    var now: RadioInstant { time.now }
    var timers: TimerQueue { time.timers }

    func change(security: LinkSecurity) { self.security = security }
    func send(cid: UInt16, _ payload: ByteView) { onSend?(payload.array) }
    func disconnect(reason: HCIStatus) { onDisconnect?(reason) }
    func securityPacketDropped() {}

    func startEncryption(
        key: [UInt8], randomNumber: UInt64, diversifier: UInt16,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        onEncrypt?(
            Encryption(key: key, randomNumber: randomNumber, diversifier: diversifier, completion: completion))
    }

    func receive(_ packet: [UInt8]) { packet.withByteView { channel?.receive($0) } }

    /// The link goes down.
    func close(_ error: RadioError = .disconnected(.connectionTimeout)) {
        guard isOpen else { return }
        isOpen = false
        channel?.linkClosed(error)
        channel = nil
    }
}

/// The user of a device: questions wait until the input answers.
final class FuzzUser: SecurityManagerDelegate {
    private(set) var pending: (question: SecurityQuestion, answer: (SecurityAnswer) -> Void)?
    /// The number that is shown.
    private(set) var shown: UInt32?
    private(set) var paired = 0
    private(set) var failed = 0

    func answer(_ answer: SecurityAnswer) {
        guard let pending else { return }
        self.pending = nil
        pending.answer(answer)
    }

    func securityManager(
        _ manager: SecurityManager, asks question: SecurityQuestion, on link: any SecurityLink,
        answer: @escaping (SecurityAnswer) -> Void
    ) {
        if case .display(let passkey) = question { shown = passkey }
        pending = (question, answer)
    }

    func securityManager(_ manager: SecurityManager, withdrewQuestionOn link: any SecurityLink) {
        shown = nil
        pending = nil
    }

    func securityManager(_ manager: SecurityManager, pairedOn link: any SecurityLink, bond: Bond?) { paired += 1 }

    func securityManager(
        _ manager: SecurityManager, failedToPairOn link: any SecurityLink, _ failure: PairingFailure
    ) { failed += 1 }
}

/// Octets that look random and are the same in every run.
final class FuzzRandom {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }
}

extension SecurityConfiguration {
    /// Creates an instance from the choices of the input.
    init(_ input: inout FuzzInput) {
        self.init()
        capability = input.element(of: IOCapability.allCases)
        let flags = input.uint8()
        wantsMITM = flags & 1 != 0
        offersSecureConnections = flags & 2 == 0
        isBonding = flags & 4 == 0
        secureConnectionsOnly = flags & 0x18 == 0x18
        sendsKeypresses = flags & 0x20 != 0
        isPairable = flags & 0xC0 != 0xC0
        let keys = input.uint8()
        ownKeys = KeyDistribution(rawValue: keys & 0x0F)
        peerKeys = KeyDistribution(rawValue: keys >> 4)
        keySizes = 7...16
    }
}

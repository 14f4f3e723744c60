import BluetoothHost
import BluetoothModel

@testable import Workbench

/// The Pairing Response of a device without input and output: bonding, LE Secure Connections.
private func response(
    capability: UInt8 = 3, outOfBand: UInt8 = 0, authentication: UInt8 = 9, size: UInt8 = 16, keys: UInt8 = 3
) -> [UInt8] { [2, capability, outOfBand, authentication, size, keys, keys] }

/// The public debug key of the specification, as a Pairing Public Key; only its first coordinate is correct.
private let debugKey: [UInt8] =
    [
        0x0C, 0xE6, 0x9D, 0x35, 0x0E, 0x48, 0x01, 0x03, 0xCC, 0xDB, 0xFD, 0xF4, 0xAC, 0x11, 0x91, 0xF4, 0xEF, 0xB9,
        0xA5,
        0xF9, 0xE9, 0xA7, 0x83, 0x2C, 0x5E, 0x2C, 0xBE, 0x97, 0xF2, 0xD2, 0x03, 0xB0, 0x20,
    ] + [UInt8](repeating: 0, count: 32)

extension Faulty {
    /// Rejects signalling packets like a device of this library, except those that `answer` answers.
    private static func signalling(
        _ rule: String, patience: Duration = .seconds(30),
        _ answer: @escaping @Sendable ([UInt8]) -> [[UInt8]]
    ) -> Faulty {
        var faulty = Faulty(rule) { $0.signal = answer }
        faulty.patience = patience
        return faulty
    }

    static let linkTable: [Faulty] = [
        silent("link-parameters"), silent("link-latency"), silent("link-data-length"), silent("link-phy"),
        signalling("l2cap-command-unknown", patience: .seconds(1)) { _ in [] },
        signalling("l2cap-parameters-role") { [[0x13, $0[1], 2, 0, 0, 0]] },
        signalling("l2cap-channel-psm") { [[0x15, $0[1], 10, 0, 0x40, 0, 64, 0, 64, 0, 1, 0, 0, 0]] },
        signalling("l2cap-disconnect-unknown") { [[0x07, $0[1], 4, 0] + Array($0[4...])] },
        signalling("l2cap-response-unknown") { [[0x01, $0[1], 2, 0, 0, 0]] },
        Faulty("l2cap-parameters-valid") {
            $0.signalGreeting = [[0x12, 1, 8, 0, 40, 0, 6, 0, 0, 0, 100, 0]]
        },
    ]

    /// A device that does not answer the request that tests a changed link.
    private static func silent(_ rule: String) -> Faulty {
        answers(rule, to: [0x04], patience: .seconds(2)) { pdu, right, _ in
            pdu == [0x04, 1, 0, 1, 0] ? [] : [right ?? []]
        }
    }

    static let pairingTable: [Faulty] = [
        pairing("sm-response-fields", response: response(outOfBand: 2)),
        pairing("sm-response-capability", response: response(capability: 9)),
        pairing("sm-key-size", response: response(size: 5)),
        pairing("sm-key-size-full", response: response(size: 7)),
        pairing("sm-key-distribution", response: response(keys: 7)),
        pairing("sm-secure-connections", response: response(authentication: 1)),
        pairing("sm-bonding", response: response(authentication: 8)),
        pairing(
            "sm-capability-reserved", "sm-key-size-short", "sm-key-size-long", "sm-request-length", response: response()
        ),
        Faulty("sm-order") { $0.security = { $0.first == 3 ? [[4] + [UInt8](repeating: 1, count: 16)] : [] } },
        Faulty("sm-public-key") {
            $0.security = { packet in
                switch packet.first {
                case 0x01: [response()]
                case 0x0C: [[0x0C] + [UInt8](repeating: 9, count: 64), [3] + [UInt8](repeating: 1, count: 16)]
                default: []
                }
            }
        },
        Faulty("sm-debug-key") {
            $0.security = { packet in packet.first == 0x01 ? [response()] : packet.first == 0x0C ? [debugKey] : [] }
        },
        Faulty("sm-identity-key") {
            $0.isPrivate = true
            // A key that does not resolve the address; the device then ends the pairing.
            let identity: [UInt8] = [0x08] + [UInt8](repeating: 0x33, count: 16)
            $0.security = { packet in packet.first == 0x01 ? [identity, [5, 8]] : [] }
        },
        Faulty("sm-pair") {
            $0.security = { packet in packet.first == 0x01 ? [response()] : packet.first == 0x0C ? [[5, 8]] : [] }
        },
        paired("sm-link-key-size", keySize: 7) { $0.pairing?.keySizes = 7...7 },
        paired("sm-bond-kept") { $0.forgetsBonds = true },
        paired("cccd-bonded") { _ in },
        paired("sm-bonded-error-code") { _ in },
        paired("sm-protected-readable") {
            $0.isLinkAware = { server, security in
                guard security.level != .none else { return }
                for place in server.attributes.indices where server.attributes[place].readRefusal == 0x05 {
                    server.attributes[place].readRefusal = 0x0F
                }
            }
        },
        bondedOpen,
        failing("sm-passkey", capability: 0),
        failing("sm-numeric-comparison", capability: 1),
        paired("sm-passkey-wrong") {
            $0.pairing?.capability = .displayOnly
            $0.passkey = 0
        },
        paired("sm-authenticated-readable") {
            $0.pairing?.capability = .displayOnly
            $0.passkey = Faulty.passkey
        }.also("sm-passkey"),
        isStillHeard,
    ]

    /// The passkey that the person of a test enters.
    static let passkey: UInt32 = 123_456

    /// A device with a display whose pairing fails.
    private static func failing(_ rule: String, capability: UInt8) -> Faulty {
        Faulty(rule) {
            $0.security = { packet in
                switch packet.first {
                case 0x01: [response(capability: capability, authentication: 0x0D)]
                case 0x0C: [[5, 8]]
                default: []
                }
            }
        }
    }

    /// A device that pairs with the library's security manager.
    private static func paired(
        _ rule: String, keySize: UInt8 = 16, _ change: (inout RawDefinition) -> Void
    ) -> Faulty {
        var faulty = Faulty(rule) {
            $0.pairing = SecurityConfiguration()
            change(&$0)
        }
        faulty.keySize = keySize
        return faulty
    }

    /// A device that returns protected values on every link after it has encrypted one.
    private static let bondedOpen = paired("sm-bonded-values") {
        $0.forgets = false
        $0.isLinkAware = { server, security in
            guard security.level != .none else { return }
            for place in server.attributes.indices where server.attributes[place].readRefusal == 0x05 {
                server.attributes[place].readRefusal = nil
            }
        }
    }
    // A request on the encrypted link is required.
    .also("sm-protected-readable")

    private static let isStillHeard: Faulty = {
        var faulty = Faulty("adv-address-rotation") { $0.isPrivate = true }
        faulty.isHeardLater = true
        return faulty
    }()

    static let hostileTable: [Faulty] = [
        Faulty(
            CheckRule.all.map(\.id).filter {
                $0.hasPrefix("hostile-") && $0.hasSuffix("-length") && $0 != "hostile-command-length"
                    && $0 != "hostile-signal-length"
            }
        ) {
            $0.answer = { _, right, _ in
                guard let right, right.first == 0x01, right.last == 0x04 else { return right.map { [$0] } ?? [] }
                return [Array(right.dropLast()) + [0x0E]]
            }
        },
        answers("hostile-response", to: [0x0B, 0x1E, 0x01, 0x1B, 0x13]) { pdu, _, _ in [[0x01, pdu[0], 0, 0, 0x06]] },
        answers("hostile-command-length", to: [0x52, 0xD2]) { pdu, right, _ in
            pdu.count < 4 ? [[0x01, pdu[0], 0, 0, 0x04]] : []
        },
        // The device ends the link at the next request.
        Faulty("hostile-empty") { $0.endsLink = { $0 == [0x04, 1, 0, 1, 0] } },
        Faulty("hostile-channel") { $0.answersUnknownChannels = true },
        Faulty("hostile-signal-length") { $0.endsLinkOnSignal = { $0 == [0x12] } },
        answers("hostile-mtu-small", to: [0x02]) { pdu, right, server in
            if pdu[1] < 23 { server.mtu = 64 }
            return [right ?? []]
        },
        Faulty("hostile-prepare-many") {
            $0.answer = { pdu, right, server in
                server.queue = []
                return right.map { [$0] } ?? []
            }
        },
        Faulty("hostile-requests-at-once") {
            // The answer to the first request is withheld until the third.
            $0.delaysAnswers = true
        },
    ]

    static let logTable: [Faulty] = [
        answers("att-answers", to: [0x0A], patience: .seconds(1)) { pdu, right, _ in
            pdu == [0x0A, 0, 0] ? [] : [right ?? []]
        }.also("att-read-zero"),
        answers("att-response-opcode", "att-response-stray", to: [0x0A], patience: .seconds(1)) { pdu, right, _ in
            pdu == [0x0A, 0, 0] ? [[0x13]] : [right ?? []]
        }.also("att-read-zero"),
        error("att-error-length") { $0 + [0] },
        error("att-error-request") { [0x01, 0x77] + Array($0[2...]) },
        error("att-error-handle") { [$0[0], $0[1], 0x77, 0x77, $0[4]] },
        error("att-error-code") { Array($0[..<4]) + [0x60] },
        answers("att-response-length", to: [0x0A]) { pdu, right, server in
            pdu == [0x0A, 0, 0] ? [[0x0B] + [UInt8](repeating: 0, count: server.mtu + 4)] : [right ?? []]
        }.also("att-read-zero"),
        Faulty("link-kept") { $0.endsLink = { $0 == [0x0A, 0, 0] } }.also("att-read-zero"),
        answers("att-response-extra", to: [0x18]) { _, _, _ in [[0x19, 0]] }.also("att-execute-empty"),
    ]

    /// A device whose Error Responses to a read of handle 0 are changed.
    private static func error(_ rule: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> Faulty {
        answers(rule, to: [0x0A]) { pdu, right, _ in pdu == [0x0A, 0, 0] ? [change(right ?? [])] : [right ?? []] }
            .also("att-read-zero")
    }

    /// Adds rules that must run so that the rules of the log have requests to judge; their findings are ignored.
    func also(_ rules: String...) -> Faulty {
        var copy = self
        copy.helpers = rules
        return copy
    }
}

import BluetoothHost
import BluetoothModel

private func number(_ pdu: [UInt8], _ offset: Int) -> UInt16 {
    offset + 1 < pdu.count ? UInt16(pdu[offset]) | UInt16(pdu[offset + 1]) << 8 : 0
}

/// Returns the correct answer.
private func keep(_ right: [UInt8]?) -> [[UInt8]] { right.map { [$0] } ?? [] }

/// Devices whose answers are right, and whose values are not: the effect of a request is another one than its answer
/// says.
extension Faulty {
    /// Stores a value in an attribute of a server.
    private static func store(_ value: [UInt8], at handle: UInt16, _ server: inout RawServer) {
        if let place = server.index(handle) { server.attributes[place].value = value }
    }

    /// A device that stores the value of a packet of this kind for an attribute of this type, whatever it answers.
    private static func stores(
        _ rule: String, _ opcode: UInt8, in type: BluetoothUUID, from offset: Int = 3, dropping last: Int = 0,
        _ change: @escaping (inout RawServer) -> Void = { _ in }
    ) -> Faulty {
        Faulty(rule) {
            change(&$0.server)
            $0.answer = { pdu, right, server in
                if pdu.first == opcode, number(pdu, 1) == server.handle(type) {
                    store(Array(pdu.dropFirst(offset).dropLast(last)), at: number(pdu, 1), &server)
                }
                return keep(right)
            }
        }
    }

    /// Makes a value of a vendor readable by everybody and writable with security.
    private static func protect(_ server: inout RawServer) {
        server.attributes[server.first(0xFFF1) ?? 0].writeRefusal = 0x05
    }

    static let writeEffectTable: [Faulty] = [
        stores("att-write-refused", 0x12, in: 0x2A00),
        stores("att-write-refused", 0x12, in: 0xFFF1, protect).named("att-write-refused for security"),
        stores("att-write-command-not-permitted", 0x52, in: 0x2A00),
        stores("att-write-command-property", 0x52, in: 0xFFF1),
        stores("sec-write-command", 0x52, in: 0xFFF1, protect),
        stores("att-write-signed-value", 0xD2, in: 0xFFF1, dropping: 12),
        stores("att-write-signed-value", 0xD2, in: 0xFFF1).named("att-write-signed-value with the signature"),
        stores("att-prepare-refused", 0x16, in: 0xFFF1, from: 5, protect),
        stores("att-prepare-refused", 0x16, in: 0x2A00, from: 5).named("att-prepare-refused without the property"),
        stores("att-write-too-long", 0x12, in: 0x2A01) {
            $0 = RawServer([
                RawService(uuid: 0x1800, characteristics: [c(0x2A00, 2, [0x41]), c(0x2A01, 0x0A, [0, 0])]),
                RawDefinition.services[1],
            ])
            $0.attributes[$0.first(0x2A01) ?? 0].maximum = 2
        }.named("att-write-too-long refused and stored"),
        answers("att-write-length-code", to: [0x12]) { pdu, right, server in
            guard number(pdu, 1) == server.handle(0xFFF1), pdu.count > 7 else { return keep(right) }
            store(Array(pdu[3..<8]), at: number(pdu, 1), &server)
            return [[0x01, 0x12, pdu[1], pdu[2], 0x0D]]
        }.named("att-write-length-code refused and stored").after("att-write-kept"),
        answers("att-write-independent", to: [0x12]) { pdu, right, server in
            if right == [0x13], number(pdu, 1) == server.handle(0xFFF1) {
                store([0x58], at: server.handle(0x2A24), &server)
            }
            return keep(right)
        },
        Faulty("gatt-features-clear", name: "gatt-features-clear refused and cleared") {
            $0.server = RawServer(
                [RawDefinition.services[0], RawService(uuid: 0x1801, characteristics: [c(0x2B29, 0x0A, [0])])])
            $0.answer = { pdu, right, server in
                if pdu.first == 0x12, right?.last == 0x13 { store([0], at: number(pdu, 1), &server) }
                return keep(right)
            }
        },
        Faulty("sec-write-bonded") {
            $0.pairing = SecurityConfiguration()
            $0.forgets = false
            $0.isLinkAware = { server, security in
                guard let place = server.first(0xFFF5) else { return }
                server.attributes[place].readRefusal = security.level == .none ? 0x05 : nil
                server.attributes[place].writeRefusal = security.level == .none ? 0x05 : nil
            }
            $0.answer = { pdu, right, server in
                if pdu.first == 0x52, number(pdu, 1) == server.handle(0xFFF5) {
                    store(Array(pdu[3...]), at: number(pdu, 1), &server)
                }
                return keep(right)
            }
        },
        answers("sec-values-open", to: [0x12]) { pdu, right, server in
            guard number(pdu, 1) == server.configuration(of: 0xFFF3), pdu[3] == 1 else { return keep(right) }
            return [[0x01, 0x12, pdu[1], pdu[2], 0x05], [0x1B] + le(server.handle(0xFFF3)) + [7]]
        }.named("sec-values-open refused and sent"),
        stores("lls-level-value", 0x12, in: 0x2A06) {
            $0 = RawServer(
                RawDefinition.generic + [RawService(uuid: 0x1803, characteristics: [c(0x2A06, 0x0A, [0])])])
            $0.attributes[$0.first(0x2A06) ?? 0].maximum = 0
        }.named("lls-level-value refused and stored"),
    ]

    /// The value of FFF1, which all these devices have.
    private static let original: [UInt8] = [1, 2, 3, 4]

    /// A device whose Execute Write has another effect.
    private static func executing(
        _ rule: String, _ name: String, _ change: @escaping @Sendable (_ flags: UInt8, inout RawServer) -> Void
    ) -> Faulty {
        answers(rule, to: [0x18]) { pdu, right, server in
            if right == [0x19] { change(pdu[1], &server) }
            return keep(right)
        }.named("\(rule) \(name)")
    }

    static let prepareEffectTable: [Faulty] = [
        executing("att-prepare-executed", "not executed") { store(original, at: $1.handle(0xFFF1), &$1) },
        executing("att-prepare-executed", "executed in part") { _, server in
            guard let place = server.first(0xFFF1) else { return }
            server.attributes[place].value = server.attributes[place].value.prefix(2) + original.suffix(2)
        },
        executing("att-long-write", "not executed") { store(original, at: $1.handle(0xFFF1), &$1) }
            .besideProtectedValues(),
        answers("att-prepare-echo", to: [0x16]) { _, right, _ in
            keep(right.map { $0[0] == 0x17 ? Array($0.dropLast()) : $0 })
        }.besideProtectedValues(),
        Faulty("att-prepare-two") {
            $0.server = RawServer(
                RawDefinition.services + [RawService(uuid: 0xFFE0, characteristics: [c(0xFFE1, 0x0A, [5, 6])])])
            $0.answer = { pdu, right, server in
                if pdu.first == 0x18, pdu.last == 1 { store([5, 6], at: server.handle(0xFFE1), &server) }
                return keep(right)
            }
        },
        executing("att-execute-once", "") { flags, server in
            if flags == 1 { server.queue = [(server.handle(0xFFF1), 0, [0, 2, 3, 4])] }
        },
        executing("att-prepare-cancel", "kept after the cancellation") { flags, server in
            if flags == 0 { server.queue = [(server.handle(0xFFF1), 0, [0xFE])] }
        },
        Faulty("att-prepare-per-client") { $0.sharesState = true },
        answers("att-prepare-offset", to: [0x18]) { _, right, server in
            guard right?.first == 0x01, let place = server.first(0xFFF1) else { return keep(right) }
            server.attributes[place].value.append(0x41)
            return keep(right)
        }.named("att-prepare-offset refused and stored").besideProtectedValues(),
        executing("hostile-prepare-many", "stored") { flags, server in
            if flags == 0 { store([0], at: server.handle(0xFFF1), &server) }
        },
        answers("att-mtu-again", to: [0x02]) { _, right, server in
            server.ownMTU = 100
            return keep(right)
        }.named("att-mtu-again with another value"),
    ]

    /// A device that does more with the Write Requests of configurations than it says.
    private static func configuring(
        _ rule: String, _ name: String,
        _ change:
            @escaping @Sendable (
                _ value: [UInt8], _ handle: UInt16, _ right: [UInt8], inout RawServer
            ) -> [[UInt8]]
    ) -> Faulty {
        answers(rule, to: [0x12]) { pdu, right, server in
            guard let place = server.index(number(pdu, 1)), server.attributes[place].type == 0x2902, let right else {
                return keep(right)
            }
            return [right] + change(Array(pdu[3...]), number(pdu, 1), right, &server)
        }.named("\(rule) \(name)")
    }

    /// A device that stores configurations that it refuses.
    private static func keepingRefused(_ rule: String) -> Faulty {
        configuring(rule, "refused and kept") { value, handle, right, server in
            if right.first == 0x01 { store(Array(value.prefix(2)), at: handle, &server) }
            return []
        }
    }

    /// A device that answers a read of any configuration, and sends a value too.
    private static func sendingToAll(_ rule: String) -> Faulty {
        answers(rule, to: [0x0A]) { pdu, right, server in
            guard let place = server.index(number(pdu, 1)), server.attributes[place].type == 0x2902 else {
                return keep(right)
            }
            return keep(right) + [[0x1B] + le(number(pdu, 1) - 1) + [1]]
        }.named("\(rule) sent")
    }

    static let configurationEffectTable: [Faulty] = [
        configuring("cccd-write", "still on") { value, handle, _, server in
            if value == [0, 0] { store([1, 0], at: handle, &server) }
            return []
        },
        keepingRefused("cccd-length"), keepingRefused("cccd-unsupported"),
        configuring("cccd-reserved", "refused and kept") { value, handle, _, server in
            store(value, at: handle, &server)
            return []
        },
        configuring("cccd-independent", "of the one before") { value, handle, _, server in
            guard handle == server.configuration(of: 0x2A05) else { return [] }
            store(value, at: server.configuration(of: 0xFFF4), &server)
            return []
        },
        sendingToAll("cccd-reconnect"), sendingToAll("cccd-per-client"),
        configuring("value-unsubscribed", "of a later one") { value, handle, _, server in
            guard handle == server.configuration(of: 0x2A19) || value == [1, 0] else { return [] }
            return handle == server.configuration(of: 0xFFF4) ? [] : [[0x1B] + le(handle - 1) + [1, 1]]
        },
        Faulty("cccd-bonded", name: "cccd-bonded not sent") {
            $0.pairing = SecurityConfiguration()
            $0.forgets = false
            $0.answer = { pdu, right, server in
                guard pdu.first == 0x12, right == [0x13], pdu[3] == 2 else { return keep(right) }
                let value = [0x1D] + le(number(pdu, 1) - 1) + [1]
                return [[0x13], value, value]
            }
        },
    ]

    /// A device with the library's security manager that loses its bond when this packet arrives on a link that is not
    /// encrypted.
    private static func losing(
        _ rule: String, _ change: @escaping (inout RawDefinition) -> Void = { _ in },
        at packet: @escaping @Sendable ([UInt8]) -> Bool
    ) -> Faulty {
        var faulty = Faulty(rule) {
            $0.pairing = SecurityConfiguration()
            $0.losesBond = { $0.first == 0x01 && $0.count == 7 && packet($0) }
            change(&$0)
        }
        faulty.connectTimeout = .seconds(8)
        return faulty
    }

    static let repairTable: [Faulty] = [
        losing("sm-repair-aborted") { _ in true },
        losing("sm-repair-unencrypted") { _ in true },
        losing("sm-repair-legacy") { $0[3] & 0x08 == 0 },
        losing("sm-repair-key-size") {
            $0.pairing?.keySizes = 7...16
        } at: {
            $0[4] == 7
        },
        losing("sm-repair-unauthenticated") {
            $0.pairing?.capability = .displayOnly
            $0.passkey = Faulty.passkey
        } at: {
            $0[3] & 0x04 == 0
        }.also("sm-passkey"),
    ]

    /// Runs a rule before, whose requests must not hide the fault.
    private func after(_ rule: String) -> Faulty {
        var copy = self
        copy.helpers.append(rule)
        return copy
    }

    /// Adds a value that is shorter than the faulty one, and one that is longer. Everybody reads them; they are written
    /// over an encrypted link only.
    private func besideProtectedValues() -> Faulty {
        var copy = self.named("\(name) beside protected values")
        func service(_ uuid: BluetoothUUID, length: Int) -> RawService {
            RawService(uuid: uuid, characteristics: [c(0xFFEF, 0x0A, [UInt8](repeating: 6, count: length))])
        }
        var server = RawServer(RawDefinition.services + [service(0xFFE0, length: 1), service(0xFFE1, length: 20)])
        for place in server.attributes.indices where server.attributes[place].type == 0xFFEF {
            server.attributes[place].writeRefusal = 0x05
        }
        copy.definition.server = server
        return copy
    }

    private func named(_ name: String) -> Faulty {
        var copy = self
        copy.name = name
        return copy
    }
}

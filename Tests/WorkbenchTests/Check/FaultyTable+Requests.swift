import BluetoothModel

private func number(_ pdu: [UInt8], _ offset: Int) -> UInt16 {
    offset + 1 < pdu.count ? UInt16(pdu[offset]) | UInt16(pdu[offset + 1]) << 8 : 0
}

/// Returns the correct answer.
private func keep(_ right: [UInt8]?) -> [[UInt8]] { right.map { [$0] } ?? [] }

/// An Error Response to a request.
private func refuse(_ pdu: [UInt8], _ code: UInt8) -> [[UInt8]] { [[0x01, pdu[0], pdu[1], pdu[2], code]] }

/// A response of this opcode that repeats the octets of another packet from an offset on.
private func respond(_ opcode: UInt8, _ octets: [UInt8], from offset: Int = 0) -> [[UInt8]] {
    [[opcode] + Array(octets.dropFirst(offset))]
}

extension Faulty {
    /// The rules about one request, by the end of their identifiers.
    private static func ids(_ stem: String, _ ends: String...) -> [String] { ends.map { "att-\(stem)-\($0)" } }

    static let requestTable: [Faulty] = [
        wrongCode(ids("find-information", "zero", "reversed", "nothing"), 0x04),
        wrongCode(ids("find-by-type", "zero", "reversed", "nothing", "unknown", "prefix"), 0x06),
        wrongCode(ids("read-by-type", "zero", "reversed", "nothing", "permission"), 0x08),
        wrongCode(ids("read-by-group", "zero", "reversed", "nothing", "unsupported"), 0x10),
        wrongCode(ids("read", "zero", "unknown", "not-permitted"), 0x0A),
        wrongCode(ids("blob", "zero", "unknown", "offset", "not-permitted"), 0x0C),
        wrongCode(ids("multiple", "unknown", "not-permitted"), 0x0E),
        wrongCode(["att-multiple-variable-unknown"], 0x20),
        wrongCode(ids("write", "zero", "unknown", "declaration", "not-permitted"), 0x12),
        wrongCode(ids("prepare", "unknown", "declaration", "not-permitted"), 0x16),
        answers("att-find-information-single", to: [0x04]) { pdu, right, server in
            number(pdu, 1) == number(pdu, 3) ? keep(server.answer([0x04, pdu[1], pdu[2], 0xFF, 0xFF])) : keep(right)
        },
        answers("att-find-by-type-group", to: [0x06]) { _, right, _ in
            guard let right, right.first == 0x07 else { return keep(right) }
            return [[0x07, right[1], right[2], right[1], right[2]]]
        },
        answers("att-read-by-type-range", to: [0x08]) { pdu, right, server in
            number(pdu, 1) == number(pdu, 3) && pdu.count == 7
                ? keep(server.answer([0x08, 1, 0, 0xFF, 0xFF] + Array(pdu[5...]))) : keep(right)
        },
        answers("att-read-by-type-long-uuid", to: [0x08]) { pdu, right, _ in
            pdu.count == 21 ? refuse(pdu, 0x0A) : keep(right)
        },
        answers("att-read-by-type-value", to: [0x08]) { pdu, right, _ in
            guard var right, right.first == 0x09, number(pdu, 5) != 0x2803, number(pdu, 5) != 0x2802 else {
                return keep(right)
            }
            right[right.count - 1] ^= 0xFF
            return [right]
        },
        answers("att-read-by-group-single", to: [0x10]) { pdu, right, server in
            number(pdu, 3) != 0xFFFF && number(pdu, 1) > 1 && right?.first == 0x11
                ? keep(server.answer([0x10, 1, 0, 0xFF, 0xFF] + Array(pdu[5...]))) : keep(right)
        },
        answers("att-read-by-group-long-uuid", to: [0x10]) { pdu, right, _ in
            pdu.count == 21 ? refuse(pdu, 0x10) : keep(right)
        },
        answers("att-read-property", to: [0x0A]) { pdu, right, server in
            number(pdu, 1) == server.handle(0xFFF1) ? refuse(pdu, 0x02) : keep(right)
        },
        answers("att-read-declaration", to: [0x0A]) { pdu, right, _ in
            number(pdu, 1) == 1 ? [[0x01, 0x0A, 1, 0, 0x02]] : keep(right)
        },
        answers("att-read-constant", to: [0x0A]) { pdu, right, server in
            // Each read of the name begins at a later offset.
            guard let place = server.first(0x2A00), number(pdu, 1) == server.attributes[place].handle else {
                return keep(right)
            }
            server.attributes[place].value.append(0x41)
            return keep(right)
        },
        answers("att-read-whole", to: [0x0A]) { _, right, _ in [Array((right ?? []).prefix(18))] },
        answers("att-blob-middle", to: [0x0C]) { pdu, right, _ in
            number(pdu, 3) == 1 && right?.first == 0x0D ? respond(0x0D, right ?? [], from: 2) : keep(right)
        },
        answers("att-blob-end", to: [0x0C]) { pdu, right, _ in right == [0x0D] ? [[0x0D, 0x41]] : keep(right) },
        answers("att-long-value", to: [0x0C]) { pdu, right, server in
            server.mtu == 23 ? refuse(pdu, 0x0B) : keep(right)
        },
        answers("att-multiple-values", to: [0x0E]) { pdu, right, server in
            right?.first == 0x0F ? respond(0x0F, right ?? [], from: 2) : keep(right)
        },
        answers("att-multiple-variable", to: [0x20]) { pdu, right, server in
            right?.first == 0x21 ? respond(0x21, right ?? [], from: 2) : keep(right)
        },
        // Values that require security can be read by another request.
        answers("sec-read-blob", to: [0x0C]) { pdu, right, _ in (right ?? []).last == 0x05 ? [[0x0D, 9]] : keep(right)
        },
        answers("sec-read-by-type", to: [0x08]) { pdu, right, _ in
            (right ?? []).last == 0x05 ? [[0x09, 3, pdu[1], pdu[2], 9]] : keep(right)
        },
        answers("sec-read-multiple", to: [0x0E]) { pdu, right, _ in
            (right ?? []).last == 0x05 ? [[0x0F, 9, 9]] : keep(right)
        },
        answers("sec-read-variable", to: [0x20]) { pdu, right, _ in
            (right ?? []).last == 0x05 ? [[0x21, 1, 0, 9]] : keep(right)
        },
        answers("sec-find-by-type", to: [0x06]) { pdu, right, server in
            pdu.count == 8 && number(pdu, 5) == 0xFFF2 ? [[0x07, pdu[1], pdu[2], pdu[1], pdu[2]]] : keep(right)
        },
        Faulty("sec-error-code") {
            for index in $0.server.attributes.indices where $0.server.attributes[index].readRefusal == 0x05 {
                $0.server.attributes[index].readRefusal = 0x0F
            }
        },
        // The value is protected, and its configuration is not.
        Faulty("sec-values-open") { _ in },
        answers("sec-write-prepared", to: [0x16]) { pdu, right, _ in
            (right ?? []).last == 0x05 ? respond(0x17, pdu, from: 1) : keep(right)
        },
        access("sec-name-writable", items: [c(0x2A00, 0x0A, [0x41]), c(0x2A01, 2, [0, 0])]),
    ]

    static let writeTable: [Faulty] = [
        answers("att-write-command-unknown", to: [0x52]) { pdu, _, _ in
            refuse(pdu, 0x01)
        },
        answers("att-write-command-declaration", to: [0x52]) { pdu, _, server in
            if let place = server.index(number(pdu, 1)) { server.attributes[place].value = [2, 1, 0, 1, 2] }
            return []
        },
        answers("att-write-signed", to: [0xD2]) { pdu, _, _ in refuse(pdu, 0x05) },
        answers("att-execute-empty", to: [0x18]) { pdu, _, server in [[0x01, 0x18, 0, 0, 0x0E]] },
        answers("att-write-value", to: [0x12]) { pdu, right, _ in
            right == [0x13] && pdu.count > 5 ? refuse(pdu, 0x03) : keep(right)
        },
        Faulty("att-write-read-only") {
            for index in $0.server.attributes.indices { $0.server.attributes[index].writeRefusal = nil }
        },
        access("att-write-too-long", items: [c(0x2A00, 2, [0x41]), c(0x2A01, 0x0A, [0, 0])]),
        answers("att-write-kept", to: [0x12]) { pdu, right, server in
            guard right == [0x13], number(pdu, 1) == server.handle(0xFFF1), let place = server.first(0xFFF1) else {
                return keep(right)
            }
            server.attributes[place].value = [1, 2, 3, 4]
            return [[0x13]]
        },
        answers("att-write-length-code", to: [0x12]) { pdu, right, server in
            guard number(pdu, 1) == server.handle(0xFFF1), pdu.count > 7 else { return keep(right) }
            return [[0x01, 0x12, pdu[1], pdu[2], 0x07]]
        },
        answers("att-long-write", to: [0x18]) { pdu, right, server in
            if right == [0x19], pdu[1] == 1, let place = server.first(0xFFF1) {
                server.attributes[place].value = Array(server.attributes[place].value.prefix(18))
            }
            return keep(right)
        },
        answers("att-prepare-echo", to: [0x16]) { _, right, _ in
            right?.first == 0x17 ? keep(right.map { Array($0.dropLast()) }) : keep(right)
        },
        answers("att-prepare-cancel", "att-prepare-queue-link", to: [0x16, 0x18]) { pdu, right, server in
            // Prepared parts are written at once.
            if right?.first == 0x17, let place = server.index(number(pdu, 1)), pdu.count > 5 {
                server.attributes[place].value =
                    Array(pdu[5...]) + Array(server.attributes[place].value.dropFirst(pdu.count - 5))
            }
            return keep(right)
        }.keepingState(),
        answers("att-prepare-offset", to: [0x18]) { _, right, server in
            guard right?.first == 0x01, let place = server.first(0xFFF1) else { return keep(right) }
            server.attributes[place].value.append(0x41)
            return [[0x19]]
        },
        Faulty("gatt-features-clear") {
            $0.server = RawServer(
                [RawDefinition.services[0], RawService(uuid: 0x1801, characteristics: [c(0x2B29, 0x0A, [0])])])
            $0.answer = { pdu, right, server in pdu.first == 0x12 && right?.last == 0x13 ? [[0x13]] : keep(right) }
        },
        Faulty("gatt-features-link") {
            $0.server = RawServer(
                [RawDefinition.services[0], RawService(uuid: 0x1801, characteristics: [c(0x2B29, 0x0A, [0])])])
            $0.forgets = false
        },
    ]

    /// A device that keeps the configurations of a link.
    private func keepingState() -> Faulty {
        var copy = self
        copy.definition.forgets = false
        return copy
    }

    static let exchangeTable: [Faulty] = [
        answers("att-mtu-response", to: [0x02]) { _, _, _ in [[0x03, 20, 0]] },
        answers("att-mtu-own", to: [0x02]) { pdu, _, _ in [[0x03, pdu[1], pdu[2]]] },
        Faulty("att-mtu-default", "att-mtu-small") {
            $0.answer = { pdu, right, server in
                var copy = server
                copy.mtu = 200
                return keep(pdu.first == 0x02 ? right : copy.answer(pdu) ?? right)
            }
        },
        answers("att-mtu-again", to: [0x02], patience: .seconds(1)) { pdu, _, server in
            defer { server.ownMTU = 24 }
            return server.ownMTU == 24 ? [] : [[0x03, 247, 0]]
        },
        wrongCode(["att-request-unknown"], 0x24, 0x3E, 0x14),
        answers("att-command-unknown", to: [0x7E, 0x40, 0xFF]) { pdu, _, _ in [[0x01, pdu[0], 0, 0, 0x06]] },
    ]

    static let configurationTable: [Faulty] = [
        table("cccd-read") { $0.attributes[$0.first(0x2902) ?? 0].readRefusal = 0x05 },
        table("cccd-default") { $0.attributes[$0.index($0.configuration(of: 0x2A19)) ?? 0].value = [1, 0] },
        table("cccd-write") { $0.attributes[$0.index($0.configuration(of: 0x2A19)) ?? 0].writeRefusal = 0x03 },
        answers("cccd-length", "cccd-unsupported", to: [0x12]) { pdu, right, server in
            guard let place = server.index(number(pdu, 1)), server.attributes[place].type == 0x2902 else {
                return keep(right)
            }
            server.attributes[place].value = Array(pdu[3...])
            return [[0x13]]
        },
        Faulty("cccd-reserved") { _ in },
        answers("cccd-independent", to: [0x12]) { pdu, right, server in
            if right == [0x13], let written = server.index(number(pdu, 1)), server.attributes[written].type == 0x2902 {
                for place in server.attributes.indices where server.attributes[place].type == 0x2902 {
                    server.attributes[place].value = server.attributes[written].value
                }
            }
            return keep(right)
        },
        Faulty("cccd-reconnect") { $0.forgets = false },
        Faulty("cccd-per-client") { $0.sharesState = true },
        answers("value-format", to: [0x12]) { pdu, right, server in
            let value: [UInt8] = [0x1B] + le(server.handle(0xFFF4)) + [1]
            let isOn = number(pdu, 1) == server.configuration(of: 0xFFF4) && pdu[3] == 2
            return keep(right) + (isOn ? [value] : [])
        },
        answers("value-mtu", to: [0x12]) { pdu, right, server in
            let value: [UInt8] = [0x1B] + le(server.handle(0x2A19)) + [UInt8](repeating: 1, count: 40)
            let isOn = number(pdu, 1) == server.configuration(of: 0x2A19) && pdu[3] == 1
            return keep(right) + (isOn ? [value] : [])
        },
        answers("value-unsubscribed", to: [0x12]) { pdu, right, server in
            let value: [UInt8] = [0x1B] + le(server.handle(0x2A37)) + [0, 70]
            return keep(right) + (number(pdu, 1) == server.configuration(of: 0x2A37) ? [value] : [])
        },
        answers("indication-one", "indication-repeated", to: [0x12]) { pdu, right, server in
            let value: [UInt8] = [0x1D] + le(server.handle(0xFFF4)) + [1]
            let isOn = number(pdu, 1) == server.configuration(of: 0xFFF4) && pdu[3] == 2
            return keep(right) + (isOn ? [value, value] : [])
        },
        answers("indication-timeout", to: [0x12, 0x04]) { pdu, right, server in
            // The probe after the timeout, and the subscription, are followed by an indication.
            let value: [UInt8] = [0x1D] + le(server.handle(0xFFF4)) + [1]
            let isOn = number(pdu, 1) == server.configuration(of: 0xFFF4) && pdu[3] == 2
            return keep(right) + (isOn || pdu == [0x04, 1, 0, 1, 0] ? [value] : [])
        },
        Faulty("value-without-subscription") {
            let handle = $0.server.handle(0x2A19)
            $0.greeting = [[0x1B, UInt8(handle & 0xFF), UInt8(handle >> 8), 80]]
        },
    ]
}

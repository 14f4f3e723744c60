import BluetoothHCI
import BluetoothModel
import BluetoothProfiles

/// The decoded fields of a packet.
struct PacketText {
    /// The text of each field.
    var parts: [String] = []
    /// A description of the malformed field; nil if there is none.
    var problem: String?
    var status: HCIStatus?
    var addresses: [BluetoothAddress] = []

    /// All fields in one line.
    var line: String { parts.joined(separator: ", ") }
}

extension PacketLayout {
    /// Decodes the fields. Additional bytes are reported, but are no error, because later versions add fields.
    func read(_ bytes: ByteView) -> PacketText {
        var (text, reader, count) = (PacketText(), ByteReader(bytes), 0)
        var index = 0
        while index < fields.count {
            if fields[index].format == .repetition {
                let repeated = fields[(index + 1)...]
                for _ in 0..<count {
                    for field in repeated {
                        guard read(field, &reader, &text, &count) else { return text }
                    }
                }
                break
            }
            guard read(fields[index], &reader, &text, &count) else { return text }
            // After an error status the other fields are meaningless, and some controllers omit them.
            if case .status = fields[index].format, let status = text.status, status != .success { return text }
            index += 1
        }
        if !reader.isAtEnd { text.parts.append(Self.concealed(reader.count)) }
        return text
    }

    private func read(_ field: Field, _ reader: inout ByteReader, _ text: inout PacketText, _ count: inout Int) -> Bool
    {
        guard let value = value(of: field.format, &reader, &text, &count) else {
            text.problem = "truncated inside '\(field.name)'"
            return false
        }
        if !value.isEmpty { text.parts.append(field.name.isEmpty ? value : "\(field.name) \(value)") }
        return true
    }

    private func value(
        of format: Format, _ reader: inout ByteReader, _ text: inout PacketText, _ count: inout Int
    ) -> String? {
        switch format {
        case .number(let length): return reader.number(length).map { String($0) }
        case .signed: return reader.int8().map { String($0) }
        case .hex(let length): return reader.number(length).map { Self.hex($0, digits: 2 * length) }
        case .time(let length, let unit): return reader.number(length).map { Self.time($0, unit: UInt64(unit)) }
        case .seconds: return reader.uint16().map { "\($0) s" }
        case .count:
            guard let number = reader.uint8() else { return nil }
            count = Int(number)
            return String(number)
        case .phys:
            guard let bits = reader.uint8() else { return nil }
            count = bits.nonzeroBitCount
            let names = PHY.allCases.filter { bits >> ($0.rawValue - 1) & 1 == 1 }.map { Self.name(of: $0) }
            return names.isEmpty ? Self.hex(UInt64(bits), digits: 2) : names.joined(separator: " ")
        case .phy:
            return reader.uint8().map { number in PHY(rawValue: number).map(Self.name) ?? String(number) }
        case .code(let names): return reader.uint8().map { Self.name(Int($0), names) }
        case .code16(let names): return reader.uint16().map { Self.name(Int($0), names) }
        case .status:
            guard let code = reader.uint8() else { return nil }
            text.status = HCIStatus(rawValue: code)
            return ""
        case .reason: return reader.uint8().map { "\(HCIStatus(rawValue: $0))" }
        case .link: return reader.uint16().map { Self.hex(UInt64($0 & 0x0FFF), digits: 4) }
        case .version: return reader.uint8().map { CoreVersion.name($0) }
        case .company: return reader.uint16().map { "\(CompanyIdentifier(rawValue: $0))" }
        case .level: return reader.int8().map { $0 == 127 ? "unknown" : "\($0) dBm" }
        case .address:
            guard let type = reader.uint8() else { return nil }
            return Self.address(&reader, type & 1 == 0 ? .public : .random, &text)
        case .plainAddress: return Self.address(&reader, .public, &text)
        case .bytes(let length): return reader.bytes(length).map { $0.description }
        case .hidden(let length): return reader.bytes(length ?? reader.count).map { Self.concealed($0.count) }
        case .advertising(let padding): return Self.advertising(&reader, padding)
        case .structures: return reader.bytes(reader.count).map { Self.text(AdvertisingData(parsing: $0.array)) }
        case .text:
            let all: [UInt8] = reader.bytes(reader.count)?.array ?? []
            let bytes = all.prefix { $0 != 0 }
            return "\"\(PrintableText.escape(String(decoding: bytes, as: UTF8.self)))\""
        case .rest: return reader.bytes(reader.count).map { Dissector.hex($0) }
        case .channels:
            var names: [String] = []
            while let channel = reader.uint16() { names.append(Self.hex(UInt64(channel), digits: 4)) }
            return reader.isAtEnd ? names.joined(separator: " ") : nil
        case .repetition: return nil
        }
    }

    private static func address(
        _ reader: inout ByteReader, _ kind: BluetoothAddress.Kind, _ text: inout PacketText
    ) -> String? {
        guard let bytes = reader.bytes(6), let address = BluetoothAddress(littleEndian: bytes, kind: kind) else {
            return nil
        }
        if address.value != 0 { text.addresses.append(address) }
        return address.text
    }

    private static func advertising(_ reader: inout ByteReader, _ padding: Int?) -> String? {
        guard let length = reader.uint8(), let bytes = reader.bytes(Int(length)) else { return nil }
        if let padding { _ = reader.bytes(max(0, padding - Int(length))) }
        return text(AdvertisingData(parsing: bytes.array))
    }

    static func text(_ data: AdvertisingData) -> String {
        let fields = data.fields.map { field in
            // A truncated structure has no type, but its octets may contain it.
            let type = field.type ?? ADType(rawValue: field.raw.dropFirst().first ?? 0)
            return "\(field.name): \(Disclosure.shows(type) ? field.value : concealed(field.raw.count))"
        }
        let values = data.values.map { "; \($0)" }.joined()
        return fields.isEmpty ? "(empty)" : "{\(fields.joined(separator: "; "))\(values)}"
    }

    /// Returns the text for octets that may be a key.
    static func concealed(_ count: Int) -> String { "(\(count.counted("octet")) concealed)" }

    static func hex(_ value: UInt64, digits: Int) -> String { "0x" + value.hexText(digits: digits) }

    /// Returns the text of `count` units of `unit` microseconds.
    private static func time(_ count: UInt64, unit: UInt64) -> String {
        if unit == 1 { return "\(count) µs" }
        let total = count * unit
        var fraction = String(total % 1000 + 1000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? "\(total / 1000) ms" : "\(total / 1000).\(fraction) ms"
    }

    static func name(of phy: PHY) -> String {
        switch phy {
        case .le1M: "LE 1M"
        case .le2M: "LE 2M"
        case .leCoded: "LE Coded"
        }
    }

    private static func name(_ number: Int, _ names: [String]) -> String {
        names.indices.contains(number) ? names[number] : String(number)
    }
}

extension ByteReader {
    /// Reads a number of `length` bytes, at most 8.
    fileprivate mutating func number(_ length: Int) -> UInt64? {
        guard let view = bytes(length) else { return nil }
        return (0..<length).reduce(0) { $0 | UInt64(view[$1]) << UInt64(8 * $1) }
    }
}

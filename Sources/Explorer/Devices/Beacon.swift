import Harald

/// The content of a beacon frame.
package enum Beacon: Hashable, Sendable {
    /// Apple's format: a UUID, two numbers, and the signal strength at one metre, in dBm.
    case iBeacon(uuid: BluetoothUUID, major: UInt16, minor: UInt16, power: Int8)
    /// Eddystone-UID: a namespace of 10 bytes, an instance of 6, and the signal strength at 0 m, in dBm.
    case eddystoneUID(namespace: [UInt8], instance: [UInt8], power: Int8)
    /// Eddystone-URL: a URL, and the signal strength at 0 m, in dBm.
    case eddystoneURL(String, power: Int8)
    /// Eddystone-TLM: the battery voltage and the temperature in °C, each nil if the beacon has none; the number of
    /// advertisements and the seconds since power-on.
    case eddystoneTLM(volts: Double?, celsius: Double?, count: UInt32, uptime: Double)

    /// The format: `iBeacon`, `eddystone-uid`, `eddystone-url`, `eddystone-tlm`.
    package var kind: String {
        switch self {
        case .iBeacon: "iBeacon"
        case .eddystoneUID: "eddystone-uid"
        case .eddystoneURL: "eddystone-url"
        case .eddystoneTLM: "eddystone-tlm"
        }
    }

    /// The beacons in an advertisement.
    package static func beacons(in advertisement: AdvertisingData) -> [Beacon] {
        var found: [Beacon] = []
        for data in advertisement.manufacturerData where data.company == .apple {
            if let beacon = iBeacon(data.data) { found.append(beacon) }
        }
        return found + advertisement.allServiceData.compactMap { $0.service == "FEAA" ? eddystone($0.data) : nil }
    }

    /// Type 02, 21 bytes: UUID, major and minor with the most significant byte first, power.
    private static func iBeacon(_ data: [UInt8]) -> Beacon? {
        guard data.count == 23, data.starts(with: [0x02, 0x15]) else { return nil }
        func number(_ offset: Int) -> UInt16 { UInt16(data[offset]) << 8 | UInt16(data[offset + 1]) }
        let reversed = [UInt8](data[2..<18].reversed())
        guard let uuid = reversed.withByteView({ BluetoothUUID(littleEndian: $0) }) else { return nil }
        return .iBeacon(uuid: uuid, major: number(18), minor: number(20), power: Int8(bitPattern: data[22]))
    }

    /// Parses a frame of the service FEAA; its first byte is the frame type.
    private static func eddystone(_ frame: [UInt8]) -> Beacon? {
        switch frame.first {
        case 0x00 where frame.count >= 18:
            return .eddystoneUID(
                namespace: Array(frame[2..<12]), instance: Array(frame[12..<18]), power: Int8(bitPattern: frame[1]))
        case 0x10 where frame.count >= 3:
            guard let url = url(frame[2...]) else { return nil }
            return .eddystoneURL(url, power: Int8(bitPattern: frame[1]))
        case 0x20 where frame.count == 14 && frame[1] == 0x00: return telemetry(frame)
        default: return nil
        }
    }

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]

    /// The first byte encodes the scheme. Bytes 0x00 to 0x06 encode usual endings with a slash, 0x07 to 0x0D those
    /// without.
    private static func url(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let first = bytes.first, Int(first) < schemes.count else { return nil }
        var text = schemes[Int(first)]
        for byte in bytes.dropFirst() {
            switch byte {
            case 0x00...0x06: text += endings[Int(byte)] + "/"
            case 0x07...0x0D: text += endings[Int(byte) - 7]
            case 0x21...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return text
    }

    /// Version 0, unencrypted: millivolts, temperature in 1/256 °C, advertisements, tenths of seconds; most significant
    /// byte first.
    private static func telemetry(_ frame: [UInt8]) -> Beacon {
        func number(_ range: Range<Int>) -> UInt32 { frame[range].reduce(0) { $0 << 8 | UInt32($1) } }
        let (millivolts, degrees) = (number(2..<4), number(4..<6))
        return .eddystoneTLM(
            volts: millivolts == 0 ? nil : Double(millivolts) / 1000,
            celsius: degrees == 0x8000 ? nil : Double(Int16(truncatingIfNeeded: degrees)) / 256,
            count: number(6..<10), uptime: Double(number(10..<14)) / 10)
    }
}

extension Beacon {
    /// The beacon as a JSON object.
    package var json: JSONValue {
        var object: [String: JSONValue] = ["kind": .string(kind)]
        switch self {
        case .iBeacon(let uuid, let major, let minor, let power):
            object["uuid"] = .string(uuid.fullText)
            object["major"] = .int(Int(major))
            object["minor"] = .int(Int(minor))
            object["power"] = .int(Int(power))
        case .eddystoneUID(let namespace, let instance, let power):
            object["namespace"] = .string(namespace.hexText())
            object["instance"] = .string(instance.hexText())
            object["power"] = .int(Int(power))
        case .eddystoneURL(let url, let power):
            object["url"] = .string(url)
            object["power"] = .int(Int(power))
        case .eddystoneTLM(let volts, let celsius, let count, let uptime):
            object["battery"] = volts.map { .number($0) } ?? .null
            object["temperature"] = celsius.map { .number($0) } ?? .null
            object["count"] = .int(Int(count))
            object["uptime"] = .number(uptime)
        }
        return .object(object)
    }

    /// The beacon in a line of a list: "iBeacon 5AFFFFFF-... 1/7", "https://example.com/".
    package var text: String {
        switch self {
        case .iBeacon(let uuid, let major, let minor, _): "iBeacon \(uuid.fullText) \(major)/\(minor)"
        case .eddystoneUID(let namespace, let instance, _):
            "Eddystone \(namespace.hexText()) \(instance.hexText())"
        case .eddystoneURL(let url, _): PrintableText.escape(url)
        case .eddystoneTLM(let volts, let celsius, let count, _):
            [
                volts.map { "\($0) V" }, celsius.map { "\(($0 * 10).rounded() / 10) °C" }, "\(count) advertisements",
            ].compactMap { $0 }.joined(separator: ", ")
        }
    }
}

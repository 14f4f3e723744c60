#if Programs
/// Reads a batch of readings in its usual form: `{"readings":[...]}`, whose readings have known members, each once,
/// with strings of printable ASCII characters without escapes, numbers without exponents, and Booleans.
///
/// `JSONDecoder` takes several times as long. It reads the other forms, and describes errors.
struct BatchScanner {
    private let octets: [UInt8]
    private var place = 0

    private init(_ octets: [UInt8]) { self.octets = octets }

    /// Returns the readings of a batch; nil if it has another form or is invalid.
    static func readings(_ octets: [UInt8]) -> [SubmittedReading]? {
        var scanner = BatchScanner(octets)
        var readings: [SubmittedReading]?
        let isWhole = scanner.members { scanner, name in
            guard name == "readings", readings == nil, let list = scanner.list() else { return false }
            readings = list
            return true
        }
        scanner.skipSpace()
        return isWhole && scanner.place == octets.count ? readings : nil
    }

    private mutating func list() -> [SubmittedReading]? {
        guard take("[") else { return nil }
        var list: [SubmittedReading] = []
        if take("]") { return list }
        repeat {
            guard let reading = reading() else { return nil }
            list.append(reading)
        } while take(",")
        return take("]") ? list : nil
    }

    private mutating func reading() -> SubmittedReading? {
        var reading = SubmittedReading()
        let isKnown = members { scanner, name in
            switch name {
            case "id": scanner.text(&reading.id)
            case "device": scanner.device(&reading.device)
            case "characteristic": scanner.text(&reading.characteristic)
            case "hex": scanner.text(&reading.hex)
            case "deviceTime": scanner.text(&reading.deviceTime)
            case "clockOffset": scanner.number(&reading.clockOffset)
            case "time": scanner.text(&reading.time)
            case "gateway": scanner.text(&reading.gateway)
            case "simulated": scanner.flag(&reading.simulated)
            default: false
            }
        }
        return isKnown ? reading : nil
    }

    // MARK: Values

    // These return false for a value of another form, and for a member that occurred before.

    private mutating func device(_ value: inout SubmittedReading.Device?) -> Bool {
        guard value == nil else { return false }
        var device = SubmittedReading.Device()
        let isKnown = members { scanner, name in
            switch name {
            case "id": scanner.text(&device.id)
            case "serial": scanner.text(&device.serial)
            case "systemID": scanner.text(&device.systemID)
            case "address": scanner.text(&device.address)
            case "model": scanner.text(&device.model)
            case "name": scanner.text(&device.name)
            default: false
            }
        }
        value = device
        return isKnown
    }

    private mutating func text(_ value: inout String?) -> Bool {
        guard value == nil else { return false }
        value = string()
        return value != nil
    }

    private mutating func number(_ value: inout Double?) -> Bool {
        guard value == nil else { return false }
        skipSpace()
        let start = place
        if next == UInt8(ascii: "-") { place += 1 }
        let isZero = next == UInt8(ascii: "0")
        guard let whole = digits(), whole == 1 || !isZero else { return false }
        if next == UInt8(ascii: ".") {
            place += 1
            guard digits() != nil else { return false }
        }
        // With more digits the nearest number may depend on the parser.
        guard place - start <= 15 else { return false }
        value = Double(String(decoding: octets[start..<place], as: UTF8.self))
        return value != nil
    }

    private mutating func flag(_ value: inout Bool?) -> Bool {
        guard value == nil else { return false }
        skipSpace()
        let flag = next == UInt8(ascii: "t")
        let word = flag ? "true".utf8 : "false".utf8
        guard octets[place...].starts(with: word) else { return false }
        place += word.count
        value = flag
        return true
    }

    // MARK: JSON

    private var next: UInt8? { place < octets.count ? octets[place] : nil }

    private mutating func skipSpace() {
        while let octet = next, octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09 { place += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    /// Scans the members of an object.
    /// - Parameter value: scans the value of the member with this name; returns false if it cannot.
    private mutating func members(_ value: (inout BatchScanner, String) -> Bool) -> Bool {
        guard take("{") else { return false }
        if take("}") { return true }
        repeat {
            guard let name = string(), take(":"), value(&self, name) else { return false }
        } while take(",")
        return take("}")
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        let start = place
        while let octet = next, octet != UInt8(ascii: "\"") {
            guard (0x20...0x7E).contains(octet), octet != UInt8(ascii: "\\") else { return nil }
            place += 1
        }
        guard next != nil else { return nil }
        place += 1
        return String(decoding: octets[start..<(place - 1)], as: UTF8.self)
    }

    /// Returns the number of digits; nil for none.
    private mutating func digits() -> Int? {
        let start = place
        while let octet = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) { place += 1 }
        return place > start ? place - start : nil
    }
}
#endif

import Harald
import VirtualDevices

/// Values of well-known types in words.
enum ValueDecoder {
    /// What `bytes` mean for the characteristic or descriptor `uuid`; nil where the type is unknown or the bytes do not
    /// fit it.
    static func decode(_ bytes: [UInt8], of uuid: BluetoothUUID) -> DecodedValue? {
        guard let number = uuid.shortValue else { return nil }
        return bytes.withByteView { view in
            var reader = ByteReader(view)
            switch number {
            case 0x2A00, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2901: return string(view)
            case 0x2A19: return battery(&reader)
            case 0x2A37: return heartRate(&reader)
            case 0x2A38: return bodySensorLocation(&reader)
            case 0x2A01: return appearance(&reader)
            case 0x2A04: return preferredParameters(&reader)
            case 0x2A50: return pnpID(&reader)
            case 0x2A23: return systemID(&reader)
            case 0x2A1C: return temperatureMeasurement(&reader)
            case 0x2A6E: return reader.uint16().flatMap { scaled(Double(Int16(bitPattern: $0)) / 100, "°C") }
            case 0x2A6F: return reader.uint16().flatMap { scaled(Double($0) / 100, "%") }
            case 0x2A07: return reader.int8().map { DecodedValue(text: "\($0) dBm", json: .int(Int($0))) }
            case 0x2A5F: return oximetry(&reader)
            case 0x2902: return clientConfiguration(&reader)
            default: return nil
            }
        }
    }

    private static func string(_ view: ByteView) -> DecodedValue? {
        var bytes = view.array[...]
        while bytes.last == 0 { bytes = bytes.dropLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return DecodedValue(text: "\"\(text)\"", json: .string(text))
    }

    private static func scaled(_ value: Double, _ unit: String) -> DecodedValue {
        DecodedValue(text: "\(value) \(unit)", json: .number(value))
    }

    private static func battery(_ reader: inout ByteReader) -> DecodedValue? {
        guard let level = reader.uint8(), level <= 100 else { return nil }
        return DecodedValue(text: "\(level) %", json: .int(Int(level)))
    }

    /// Heart Rate Service 1.0, 3.1.
    private static func heartRate(_ reader: inout ByteReader) -> DecodedValue? {
        guard let flags = reader.uint8(),
            let rate = flags & 1 == 0 ? reader.uint8().map(UInt16.init) : reader.uint16()
        else { return nil }
        var text = "\(rate) bpm"
        var object: [String: JSONValue] = ["bpm": .int(Int(rate))]
        if flags & 0x04 != 0 {
            object["contact"] = .bool(flags & 0x02 != 0)
            if flags & 0x02 == 0 { text += ", no contact" }
        }
        if flags & 0x08 != 0 {
            guard let energy = reader.uint16() else { return nil }
            text += ", \(energy) kJ"
            object["energy"] = .int(Int(energy))
        }
        if flags & 0x10 != 0 {
            var intervals: [Int] = []
            // Units of 1/1024 s.
            while let interval = reader.uint16() { intervals.append((Int(interval) * 1000 + 512) / 1024) }
            object["rr"] = .array(intervals.map { .int($0) })
            if !intervals.isEmpty { text += ", RR \(intervals.map(String.init).joined(separator: " ")) ms" }
        }
        return DecodedValue(text: text, json: .object(object))
    }

    private static func bodySensorLocation(_ reader: inout ByteReader) -> DecodedValue? {
        let names = ["Other", "Chest", "Wrist", "Finger", "Hand", "Ear Lobe", "Foot"]
        guard let place = reader.uint8(), Int(place) < names.count else { return nil }
        return DecodedValue(text: names[Int(place)], json: .string(names[Int(place)]))
    }

    private static func appearance(_ reader: inout ByteReader) -> DecodedValue? {
        guard let appearance = reader.uint16().map({ Appearance(rawValue: $0) }) else { return nil }
        return DecodedValue(
            text: appearance.description,
            json: ["number": .int(Int(appearance.rawValue)), "name": .optional(appearance.name)])
    }

    private static func preferredParameters(_ reader: inout ByteReader) -> DecodedValue? {
        guard let least = reader.uint16(), let most = reader.uint16(), let latency = reader.uint16(),
            let timeout = reader.uint16()
        else { return nil }
        func milliseconds(_ value: UInt16) -> String { value == 0xFFFF ? "any" : "\(Double(value) * 1.25)" }
        return DecodedValue(
            text: "interval \(milliseconds(least)) to \(milliseconds(most)) ms, latency \(latency), "
                + "timeout \(Int(timeout) * 10) ms",
            json: [
                "minimumInterval": .number(Double(least) * 1.25), "maximumInterval": .number(Double(most) * 1.25),
                "latency": .int(Int(latency)), "timeout": .int(Int(timeout) * 10),
            ])
    }

    /// Device Information Service 1.2, 3.9.
    private static func pnpID(_ reader: inout ByteReader) -> DecodedValue? {
        guard let source = reader.uint8(), let vendor = reader.uint16(), let product = reader.uint16(),
            let version = reader.uint16()
        else { return nil }
        let company = source == 1 ? CompanyIdentifier(rawValue: vendor).name : nil
        let registry = source == 1 ? "Bluetooth" : source == 2 ? "USB" : "registry \(source)"
        func hex(_ value: UInt16) -> String { "0x" + [UInt8(value >> 8), UInt8(value & 255)].hexText() }
        return DecodedValue(
            text: "\(company ?? hex(vendor)) (\(registry)), product \(hex(product)), version \(hex(version))",
            json: [
                "source": .int(Int(source)), "vendor": .int(Int(vendor)), "vendorName": .optional(company),
                "product": .int(Int(product)), "version": .int(Int(version)),
            ])
    }

    /// Device Information Service 1.2, 3.8: a manufacturer's number of 40 bits and an organisation's of 24.
    private static func systemID(_ reader: inout ByteReader) -> DecodedValue? {
        guard let low = reader.bytes(5)?.array, let high = reader.bytes(3)?.array else { return nil }
        let (maker, organisation) = (low.reversed().map { $0 }.hexText(), high.reversed().map { $0 }.hexText())
        return DecodedValue(
            text: "manufacturer \(maker), organisation \(organisation)",
            json: ["manufacturer": .string(maker), "organisation": .string(organisation)])
    }

    /// Health Thermometer Service 1.0, 3.1.
    private static func temperatureMeasurement(_ reader: inout ByteReader) -> DecodedValue? {
        guard let flags = reader.uint8(), let value = reader.uint32().flatMap({ MedicalFloat.value(long: $0) }) else {
            return nil
        }
        let unit = flags & 1 == 0 ? "°C" : "°F"
        return DecodedValue(
            text: "\(value.shortText) \(unit)", json: ["temperature": .number(value), "unit": .string(unit)])
    }

    /// Pulse Oximeter Service 1.0, 3.3.
    private static func oximetry(_ reader: inout ByteReader) -> DecodedValue? {
        guard reader.uint8() != nil, let oxygen = reader.uint16().flatMap({ MedicalFloat.value(short: $0) }),
            let pulse = reader.uint16().flatMap({ MedicalFloat.value(short: $0) })
        else { return nil }
        return DecodedValue(
            text: "SpO2 \(oxygen.shortText) %, \(pulse.shortText) bpm",
            json: ["spo2": .number(oxygen), "bpm": .number(pulse)])
    }

    private static func clientConfiguration(_ reader: inout ByteReader) -> DecodedValue? {
        guard let bits = reader.uint16() else { return nil }
        let names = [(1, "notifications"), (2, "indications")].filter { bits & UInt16($0.0) != 0 }.map(\.1)
        let text = names.isEmpty ? "off" : names.joined(separator: ", ")
        return DecodedValue(text: text, json: .int(Int(bits)))
    }
}

extension Double {
    /// Without ".0", and with at most three decimals.
    fileprivate var shortText: String {
        let rounded = (self * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : String(rounded)
    }
}

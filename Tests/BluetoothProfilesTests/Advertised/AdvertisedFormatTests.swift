import BluetoothModel
import Foundation
import Testing

@testable import BluetoothProfiles

/// Every format: its examples, and that a declaration decodes what it encodes.
@Suite struct AdvertisedFormatTests {
    @Test func examplesHaveTheirValues() throws {
        for format in AdvertisedFormats.all {
            #expect(!format.examples.isEmpty, "\(format.kind) has no example")
            for example in format.examples where example.key == nil {
                let values = try AdvertisedValues.decode(example)
                let value = try #require(
                    values.first { $0.kind == format.kind }, "\(format.kind): \(example.hex) gives \(values)")
                #expect(value.text == example.text)
            }
        }
    }

    /// A passive scan for the patterns of a format hears each of its frames.
    @Test func patternsFindTheirFrames() {
        for format in AdvertisedFormats.all where !format.patterns.isEmpty {
            for example in format.examples {
                let data = AdvertisingData.parsing(example.hex)
                #expect(format.patterns.contains { $0.matches(data) }, "\(format.kind): \(example.hex)")
            }
        }
        let (patterns, without) = AdvertisedFormats.patterns(of: Set(AdvertisedFormats.kinds))
        // These are recognized by names alone.
        #expect(without == ["inkbird-th", "inkbird-bbq"])
        #expect(patterns.allSatisfy { !$0.bytes.isEmpty && $0.position + $0.bytes.count <= 31 })
        for pattern in patterns {
            #expect(!patterns.contains { $0 != pattern && $0.covers(pattern) })
        }
        let ruuvi = AdvertisedFormats.patterns(of: ["ruuvi-5", "tilt", "altbeacon", "bthome", "inkbird-th"])
        #expect(ruuvi.without == ["inkbird-th"])
        #expect(
            ruuvi.patterns == [
                AdvertisementPattern(.manufacturerSpecificData, [0xBE, 0xAC], at: 2),
                AdvertisementPattern(.serviceData16, [0xD2, 0xFC]),
                AdvertisementPattern(.manufacturerSpecificData, [0x99, 0x04, 0x05]),
                AdvertisementPattern(.manufacturerSpecificData, [0xA4, 0x95, 0xBB], at: 4),
            ])
    }

    @Test func patternsThatOthersCoverAreLeftOut() {
        let wide = AdvertisementPattern(.manufacturerSpecificData, [0x4C, 0x00])
        let narrow = AdvertisementPattern(.manufacturerSpecificData, [0x4C, 0x00, 0x02])
        let other = AdvertisementPattern(.manufacturerSpecificData, [0x4C, 0x00], at: 1)
        #expect([narrow, other, wide].minimal == [other, wide])
        #expect([wide, narrow, wide].minimal == [wide])
    }

    /// The walk "add a format" is its file and a line of the list: the library names it nowhere else, and ten or more
    /// formats are named in no other module either.
    @Test func aFormatIsTwoFiles() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
            .standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var users: [String: [String]] = [:]
        let names = Set(AdvertisedFormats.all.map { "\($0)" })
        for case let file as URL in files where file.pathExtension == "swift" {
            let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            let words = Set(code.flatMap { $0.split { !$0.isLetter && !$0.isNumber } }.map { String($0) })
            for name in names.intersection(words) { users[name, default: []].append(file.path) }
        }
        for name in names {
            let own = (users[name] ?? []).filter { $0.contains("/BluetoothProfiles/") }
            #expect(own.count == 2, "\(name): \(own)")
        }
        #expect(
            users.values.filter { $0.count == 2 }.count >= 10, "\(users.filter { $0.value.count > 2 })")
    }

    @Test func kindsAreUnique() {
        #expect(Set(AdvertisedFormats.all.map { $0.kind }).count == AdvertisedFormats.all.count)
    }

    /// The structure of an example without its last byte has a problem, or says less; it is never another value of the
    /// format with the same fields.
    @Test func truncatedFramesAreNotTheirValues() throws {
        for format in AdvertisedFormats.all {
            for example in format.examples where example.key == nil {
                let whole = try #require(AdvertisedValues.decode(example).first { $0.kind == format.kind })
                let octets = bytes(example.hex)
                let cut = AdvertisingData(parsing: Array(octets.dropLast()))
                for value in cut.values where value.kind == format.kind {
                    #expect(value.problem != nil || value.fields != whole.fields, "\(format.kind): \(example.hex)")
                }
            }
        }
    }

    @Test func everyFormatRoundTrips() throws {
        for format in AdvertisedFormats.all { try roundTrips(format) }
    }

    private func roundTrips<Format: AdvertisedFormat>(_ format: Format.Type) throws {
        var random = TestRandom(state: 0x5EED)
        var good = 0
        let samples = Format.examples.flatMap { example in
            AdvertisingData.parsing(example.hex).frames(name: nil, address: nil)
        }.filter { frame in AdvertisedFormats.formats(of: frame).contains { $0 == format } }.map(\.bytes)
        for _ in 0..<500 {
            // An example with other bytes in a few places.
            var bytes = samples.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &random) where bytes.count > Format.start.count {
                bytes[.random(in: Format.start.count..<bytes.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            var coder = FieldCoder(decoding: Array(bytes.dropFirst(Format.start.count)), describes: false)
            var value = Format()
            do throws(ValueError) { try value.code(&coder) } catch {
                if error.field.isEmpty || error.reason.isEmpty { Issue.record("\(format): an error without a name") }
                continue
            }
            // A value that no device can send, such as a flag that contradicts the rest, need not be encodable.
            guard let encoded = try? value.encoded() else { continue }
            good += 1
            if try Format(bytes: encoded) != value { Issue.record("\(format): \(bytes.hexText())") }
            let data = AdvertisingData(structures: [try value.structure()])
            guard data.structures[0].encodedLength < 255 else { continue }
            let decoded = data.values.first { $0.kind == Format.kind }
            if let decoded, decoded.problem == nil, decoded.fields != (try value.fields()).joiningRepeated {
                Issue.record("\(format): \(bytes.hexText()) has other fields")
            }
        }
        #expect(good >= 20, "\(format): only \(good) of 500 were values")
    }
}

/// The places of values in advertisements.
@Suite struct AdvertisedValueTests {
    @Test func innerLengthsDecide() {
        // A beacon among other messages of Apple, followed by the octet of a battery.
        let hex = "FF 4C00 1005 0102030405 0215 5A4BCFCE174E4BACA814092E77F6B7E5 0001 002A CE 64"
        let values = AdvertisingData.parsing(hex, isStructure: true).values
        #expect(values.map(\.kind) == ["iBeacon"])
        #expect(values[0]["minor"]?.value == .integer(42) && values[0].powerAtOneMetre == -50)
    }

    @Test func bytesAfterTheFieldsAreKept() {
        let values = AdvertisingData.parsing("16 AAFE 30 F7 0011223344556677 0102", isStructure: true).values
        #expect(values.map { $0.text } == ["power -9 dBm, ID 00 11 22 33 44 55 66 77, extra 01 02"])
    }

    @Test func repeatedFieldsAreLists() {
        let values = AdvertisingData.parsing("16 D2FC 40 02C409 02CA09 57EA", isStructure: true).values
        #expect(values.map(\.text) == ["25.00 25.06 -22 °C"])
    }

    @Test func objectsOfAnUnknownIdentifierAreBytes() {
        let values = AdvertisingData.parsing("16 D2FC 40 0161 EE01 02CA09", isStructure: true).values
        #expect(values.map(\.text) == ["battery 97 %, unknown EE 01 02 CA 09"])
    }

    @Test func truncatedFramesAreTold() {
        let cut = AdvertisingData.parsing("1B FF 9904 0512FC5394C37C0004").values
        #expect(cut.count == 1 && cut[0].fields.isEmpty && cut[0].problem == "the frame ends 15 bytes early")
        let short = AdvertisingData.parsing("FF 9904 0512FC5394", isStructure: true).values
        #expect(short.map(\.text) == ["(pressure: 2 bytes needed, 0 left)"])
    }

    @Test func summariesOmitDetailsAndUnknownValues() {
        let values = AdvertisingData.parsing("11 16 AAFE 20 00 0BB8 8000 000003E8 00002710").values
        #expect(values.map(\.summary) == ["Eddystone-TLM: battery 3.000 V"])
    }

    @Test func calibratedPowerIsThatAtOneMetre() {
        #expect(AdvertisingData.parsing("0D 16 AAFE 30 F7 0011223344556677").calibratedPower == -50)
        #expect(AdvertisingData.parsing("0A 16 D2FC 40 02C409 03BF13").calibratedPower == nil)
        // A beacon may send its telemetry and its power in one packet.
        #expect(AdvertisingData.parsing("05 16 AAFE 20 00 06 16 AAFE 10 EE 02").calibratedPower == -59)
    }

    @Test func webAddressesThatDoNotFitAreErrors() throws {
        var beacon = EddystoneURL()
        beacon.url = "https://www.example.com/a.org"
        #expect(try beacon.encoded() == [0, 1] + Array("example".utf8) + [0] + Array("a".utf8) + [8])
        beacon.url = "ftp://example.com"
        #expect(throws: ValueError.self) { try beacon.encoded() }
        beacon.url = "https://exämple.com"
        #expect(throws: ValueError.self) { try beacon.encoded() }
    }
}

/// BTHome's objects, with the examples of its document (bthome.io/format).
@Suite struct BTHomeTests {
    static let objects: [(String, String)] = [
        ("518756", "22.151 m/s²"), ("630057D0FF", "-3.123456 m/s²"), ("0161", "97 %"), ("6001", "1"),
        ("12E204", "1250 ppm"), ("56E803", "1000 µS/cm"), ("0960", "96"), ("3D0960", "24585"),
        ("3E2A2C0960", "1611213866"), ("59EA", "-22"), ("5AEAEA", "-5398"), ("5BEA0234EA", "-365690134"),
        ("434E34", "13.390 A"), ("5D02EA", "-5.630 A"), ("08CA06", "17.38 °C"), ("5E9F8C", "359.99 °"),
        ("400C00", "12 mm"), ("414E00", "7.8 m"), ("424E3400", "13.390 s"), ("4D12138A14", "344593.170 kWh"),
        ("0A138A14", "1346.067 kWh"), ("4B138A14", "1346.067 m³"), ("4C41018A01", "25821.505 m³"),
        ("528756", "22.151 °/s"), ("03BF13", "50.55 %"), ("2E23", "35 %"), ("05138A14", "13460.67 lx"),
        ("6402", "bright"), ("065E1F", "80.30 kg"), ("073E1D", "74.86 lb"), ("14020C", "30.74 %"), ("2F23", "35 %"),
        ("0D120C", "3090 µg/m³"), ("0E021C", "7170 µg/m³"), ("0B021B00", "69.14 W"), ("5C02FBFFFF", "-12.78 W"),
        ("5FA00F", "400.0 mm"), ("04138A01", "1008.83 hPa"), ("3F020C", "307.4 °"), ("61AC0D", "3500 rpm"),
        ("6503", "3"), ("444E34", "133.90 m/s"), ("624099DFFF", "-2.123456 m/s"), ("57EA", "-22 °C"),
        ("58EA", "-7.70 °C"), ("451101", "27.3 °C"), ("02CA09", "25.06 °C"),
        ("505D396164", "2023-05-14T19:41:17"), ("133301", "307 µg/m³"), ("0C020C", "3.074 V"), ("4A020C", "307.4 V"),
        ("4E87562A01", "19551.879 L"), ("478756", "2215.1 L"), ("48DC87", "34780 mL"), ("5587562A01", "19551.879 L"),
        ("49DC87", "34.780 m³/h"), ("4632", "5.0"), ("4F87562A01", "19551.879 L"),
        ("540C48656C6C6F20576F726C6421", "48 65 6C 6C 6F 20 57 6F 72 6C 64 21"),
        ("530C48656C6C6F20576F726C6421", "\"Hello World!\""), ("1501", "low"), ("1601", "charging"),
        ("1700", "not detected"), ("1901", "connected"), ("1A00", "closed"), ("1F01", "unlocked"), ("2101", "detected"),
        ("3A80", "hold press"), ("3B0002", "\"toggle\""), ("3B010305", "\"step up 5\""),
        ("3C0103", "\"rotate left 3\""),
        ("F00100", "1"), ("F100010204", "\"4.2.1.0\""), ("F2000106", "\"6.1.0\""), ("0009", "9"),
    ]

    @Test(arguments: objects) func objectsOfTheDocument(_ object: String, _ text: String) {
        let values = AdvertisingData.parsing("16 D2FC 40 \(object)", isStructure: true).values
        #expect(values.map { $0.fields.first?.valueText } == [text])
    }

    @Test func twinsEncodeWhatTheDocumentShows() throws {
        let value = BTHome([
            BTHome.Object(0x02, ProfileNumber(2500, exponent: -2)),
            BTHome.Object(0x03, ProfileNumber(5055, exponent: -2)),
        ])
        #expect(try value.structure().data == bytes("D2FC 40 02C409 03BF13"))
        #expect(throws: ValueError.self) { try BTHome([BTHome.Object(0x02, 400)]).structure() }
        #expect(throws: ValueError.self) { try BTHome([BTHome.Object(0xEE, 4)]).structure() }
    }
}

enum AdvertisedValues {
    static func decode(_ example: AdvertisedExample) throws -> [AdvertisedValue] {
        AdvertisingData.parsing(example.hex).values
    }
}

extension AdvertisingData {
    /// Advertising data, or one structure without its length, in hexadecimal.
    static func parsing(_ hex: String, isStructure: Bool = false) -> AdvertisingData {
        let octets = BluetoothProfilesTests.bytes(hex)
        return AdvertisingData(parsing: isStructure ? [UInt8(octets.count)] + octets : octets)
    }
}

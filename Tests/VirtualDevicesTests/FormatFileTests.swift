import BluetoothProfiles
import Harald
import Testing

@testable import VirtualDevices

@Suite("Formats of the user")
struct FormatFileTests {
    private static let file = """
        formats:
          - kind: greenhouse
            title: Greenhouse
            company: 0xFFFF
            start: '47 48'
            name: GH
            fields:
              - {name: temperature, type: i16be, scale: 0.01, unit: °C, unknown: -32768}
              - {name: pressure, type: u16, offset: 50000, unit: Pa}
              - {name: level, type: u8, codes: {0: dry, 1: wet}}
              - {type: u8, bits: [open, '-', alarm]}
              - {skip: 1}
              - {name: id, type: bytes, count: 2, detail: true}
              - {name: note, type: text, optional: true}
            examples:
              - advertisement: '10 FF FFFF 4748 08A5 1027 01 05 00 AABB 6F6B'
                name: GH-1
                text: temperature 22.13 °C, pressure 60000 Pa, level wet, open yes, alarm yes, ID AA BB, note "ok"
        """

    private static func values(_ hex: String, name: String?, _ formats: [DeclaredFormat]) -> [AdvertisedValue] {
        let data = AdvertisingData(parsing: [UInt8](hexText: hex) ?? [])
        return data.frames(name: name, address: nil).flatMap { frame in
            formats.filter { $0.place == frame.place }.compactMap { $0.value(of: frame) }
        }
    }

    @Test("Numbers, codes, bits, bytes and text, with units and unknown values")
    func fields() throws {
        let formats = try FormatFile.formats(Self.file, file: "own.yaml")
        #expect(formats.map(\.kind) == ["greenhouse"])
        let short = Self.values("0E FF FFFF 4748 8000 0000 02 00 00 0102", name: "GH-2", formats)
        let value = try #require(short.first)
        #expect(
            value.text == "temperature unknown, pressure 50000 Pa, level 2, open no, alarm no, ID 01 02", "\(value)")
        #expect(value.summary == "Greenhouse: pressure 50000 Pa, level 2, open no, alarm no")
        #expect(Self.values("0E FF FFFF 4748 8000 0000 02 00 00 0102", name: "Other", formats).isEmpty)
        #expect(Self.values("0E FF FFFF 4749 8000 0000 02 00 00 0102", name: "GH-2", formats).isEmpty)
        let cut = Self.values("13 FF FFFF 4748 8000", name: "GH-2", formats)
        #expect(cut.first?.problem != nil && cut.first?.fields.isEmpty == true)
        let early = Self.values("09 FF FFFF 4748 0000 0000", name: "GH-2", formats)
        #expect(early.first?.problem?.contains("level") == true)
    }

    @Test(
        "Errors have line, column and advice",
        arguments: [
            ("", "own.yaml:1:1: the file is empty; a file of formats requires 'formats: [...]'"),
            ("formats:\n  - kind: ruuvi-5", "own.yaml:2:11: 'ruuvi-5' is a known format; choose another kind"),
            ("formats:\n  - kind: a b", "own.yaml:2:11: kind must have letters, digits and '-', but this is 'a b'"),
            ("formats:\n  - {kind: a, fields: []}", "own.yaml:2:5: a format requires either 'company' or 'service'"),
            (
                "formats:\n  - {kind: a, service: FFF0, fields: [{name: t, type: i61}]}",
                "own.yaml:2:55: no type is named 'i61'; did you mean 'i16'? Known: i16, i24, i32, i8, u16, u24, u32, "
                    + "u48, u8, sfloat, medfloat, text, bytes; integers with 'be' at the end have the most significant "
                    + "byte first"
            ),
            (
                "formats:\n  - {kind: a, service: FFF0, fields: [{name: T, type: i16}]}",
                "own.yaml:2:46: name must begin with a lower case letter and have letters and digits, such as "
                    + "'dewPoint', but this is 'T'"
            ),
            (
                "formats:\n  - {kind: a, service: FFF0, fields: [{name: t, type: text, scale: 0.1}]}",
                "own.yaml:2:61: only numbers have 'scale'"
            ),
            (
                "formats:\n  - {kind: a, service: FFF0, fields: [{name: t, type: i16, scale: ten}]}",
                "own.yaml:2:67: scale must be a decimal number other than 0, such as 0.01, but this is 'ten'"
            ),
            (
                "formats:\n  - {kind: a, service: FFF0, fields: [{name: t, type: u48, scale: 1000000}]}",
                "own.yaml:2:67: scale is too large: the greatest number of the type would have more than 18 digits"
            ),
            (
                "formats:\n  - {kind: a, service: FFF0, fields: [{name: t, type: u8, codes: {256: x}}]}",
                "own.yaml:2:67: a code must be a number from 0 to 255, but this is '256'"
            ),
            (
                "formats:\n  - kind: a\n    service: FFF0\n    fields: [{name: t, type: u8}]\n    examples:\n"
                    + "      - {advertisement: '04 16 F0FF 07', text: t 8}",
                "own.yaml:6:48: the example decodes as '7'"
            ),
            (
                "formats:\n  - kind: a\n    service: FFF0\n    fields: [{name: t, type: u8}]\n    examples:\n"
                    + "      - {advertisement: '04 16 F1FF 07'}",
                "own.yaml:6:25: the example is not of the format 'a'"
            ),
            (
                "formats:\n  - {kind: a, service: FFF0, fields: []}\n  - {kind: a, service: FFF1, fields: []}",
                "own.yaml:3:5: two formats are named 'a'"
            ),
        ])
    func errors(text: String, message: String) {
        do {
            _ = try FormatFile.formats(text, file: "own.yaml")
            Issue.record("no error")
        } catch {
            #expect("\(error)" == message)
        }
    }
}

import CoreBluetooth
import CoreBluetoothDevices
import Foundation
import HaraldDevices
import Testing

/// The values in the dictionary of `centralManager(_:didDiscover:advertisementData:rssi:)`.
@Suite struct AdvertisedValueTests {
    private static func texts(_ data: [String: Any], name: String? = nil) -> [String] {
        AdvertisedValue.values(in: data, name: name).map { "\($0.kind): \($0.text)" }
    }

    @Test func serviceDataHasValues() {
        let data: [String: Any] = [
            CBAdvertisementDataServiceDataKey: [CBUUID(string: "FCD2"): Data([0x40, 0x01, 0x5D, 0x02, 0x66, 0x08])]
        ]
        #expect(Self.texts(data) == ["bthome: battery 93 %, temperature 21.50 °C"])
    }

    @Test func manufacturerDataHasValues() {
        let bytes: [UInt8] = [
            0x4C, 0x00, 0x02, 0x15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 0, 42, 0xC5,
        ]
        #expect(
            Self.texts([CBAdvertisementDataManufacturerDataKey: Data(bytes)])
                == [#"iBeacon: UUID "00010203-0405-0607-0809-0A0B0C0D0E0F", major 1, minor 42, power -59 dBm"#])
    }

    /// The name is part of the advertisement, or known from an earlier one.
    @Test func someFormatsNeedTheName() {
        let bytes = Data([0xCA, 0x09, 0xBF, 0x13, 0x00, 0x12, 0x34, 0x64, 0x06])
        let data: [String: Any] = [CBAdvertisementDataManufacturerDataKey: bytes]
        let expected = [
            "inkbird-th: temperature 25.06 °C, humidity 50.55 %, probe internal, battery 100 %"
        ]
        #expect(Self.texts(data) == [])
        #expect(Self.texts(data, name: "sps") == expected)
        #expect(Self.texts(data.merging([CBAdvertisementDataLocalNameKey: "sps"]) { $1 }) == expected)
    }

    @Test func aFrameThatIsCutOffOrSealedHasNoFields() {
        let cut = AdvertisedValue.values(in: [
            CBAdvertisementDataServiceDataKey: [CBUUID(string: "FCD2"): Data([0x40, 0x02, 0x66])]
        ])
        #expect(cut.count == 1 && cut[0].problem != nil && cut[0].fields.isEmpty)
        let sealed: [UInt8] = [
            0x41, 0xE4, 0x45, 0xF3, 0xC9, 0x96, 0x2B, 0x33, 0x22, 0x11, 0x00, 0x6C, 0x7C, 0x45, 0x19,
        ]
        let hidden = AdvertisedValue.values(in: [
            CBAdvertisementDataServiceDataKey: [CBUUID(string: "FCD2"): Data(sealed)]
        ])
        #expect(hidden.count == 1 && hidden[0].problem != nil && hidden[0].fields.isEmpty)
        #expect(AdvertisedValue.values(in: [:]).isEmpty)
    }
}

import BluetoothProfiles
import Harald
import Testing

/// Encrypted advertised values.
@Suite struct AdvertisedKeysTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { !$0.isWhitespace }
        return stride(from: 0, to: digits.count, by: 2).map { offset in
            UInt8(digits.dropFirst(offset).prefix(2), radix: 16) ?? 0
        }
    }

    private static let address: BluetoothAddress = "54:48:E6:8F:80:A5"
    private static let frame = "12 16 D2FC 41 E445F3C9962B 33221100 6C7C4519"

    private static func keys(_ key: String = "231d39c1d7cc1ab1aee224cd096db932") -> AdvertisedKeys {
        var keys = AdvertisedKeys()
        keys.set(bytes(key), of: address)
        return keys
    }

    private static func values(
        _ decoder: inout AdvertisedValueDecoder, _ hex: String, from address: BluetoothAddress? = address
    ) -> [String] {
        decoder.values(in: AdvertisingData(parsing: bytes(hex)), from: address).map(\.text)
    }

    @Test func examplesHaveTheirValues() throws {
        var count = 0
        for format in AdvertisedFormats.all {
            for example in format.examples {
                guard let key = example.key, let address = example.address.flatMap({ BluetoothAddress($0) }) else {
                    continue
                }
                var keys = AdvertisedKeys()
                let isSet = keys.set(Self.bytes(key), of: address)
                #expect(isSet)
                var decoder = keys.decoder
                #expect(Self.values(&decoder, example.hex, from: address) == [example.text], "\(format.kind)")
                count += 1
            }
        }
        #expect(count >= 2)
    }

    @Test func withoutAKeyThatFitsNothingIsShown() {
        var none = AdvertisedKeys().decoder
        #expect(Self.values(&none, Self.frame) == ["(encrypted: there is no key for 54:48:E6:8F:80:A5)"])
        #expect(
            Self.values(&none, Self.frame, from: nil) == ["(encrypted: the address of the device is not known)"])
        var wrong = Self.keys("00000000000000000000000000000000").decoder
        let changed = ["(encrypted: the key of 54:48:E6:8F:80:A5 does not fit, or the frame was changed)"]
        #expect(Self.values(&wrong, Self.frame) == changed)
        var right = Self.keys().decoder
        #expect(Self.values(&right, Self.frame.replacing("E445", with: "E444")) == changed)
        #expect(
            Self.values(&right, "08 16 D2FC 41 33221100") == ["(encrypted: counter and check are missing)"])
        var keys = AdvertisedKeys()
        let isSet = keys.set([1, 2, 3], of: Self.address)
        #expect(!isSet && keys.count == 0)
    }

    @Test func oldFramesAreNotShown() throws {
        let keys = Self.keys()
        func frame(_ temperature: Int64, counter: UInt32) throws -> AdvertisingData {
            var value = BTHome([.init(0x02, ProfileNumber(temperature, exponent: -2))])
            value.isEncrypted = true
            let structure = try value.structure(counter: counter, address: Self.address) { keys.seal(&$0) }
            return AdvertisingData(structures: [structure])
        }
        var decoder = keys.decoder
        func texts(_ data: AdvertisingData) -> [String] { decoder.values(in: data, from: Self.address).map(\.text) }
        let first = try frame(2000, counter: 1000)
        #expect(texts(first) == ["20.00 °C"])
        // The same frame is sent several times.
        #expect(texts(first) == ["20.00 °C"])
        #expect(texts(try frame(2100, counter: 1001)) == ["21.00 °C"])
        #expect(texts(first) == ["(encrypted: counter 1000 after 1001: an old frame)"])
        #expect(texts(try frame(1900, counter: 1001)) == ["(encrypted: counter 1001 after 1001: an old frame)"])
        // The battery was changed.
        #expect(texts(try frame(1800, counter: 1)) == ["18.00 °C"])
    }

    /// Everybody can send a clear frame from the address of a device that encrypts its own.
    @Test func clearFramesOfADeviceThatEncryptsAreNotShown() throws {
        var decoder = Self.keys().decoder
        let clear = "07 16 D2FC 40 02 CA09"
        #expect(Self.values(&decoder, clear).first?.hasPrefix("25.06") == true)
        #expect(Self.values(&decoder, Self.frame).count == 1)
        #expect(
            Self.values(&decoder, clear)
                == ["(encrypted: a clear frame of \(Self.address), whose earlier frames were encrypted)"])
    }

    @Test func twinsOfXiaomiAreDecrypted() throws {
        var keys = AdvertisedKeys()
        keys.set(Array(1...16), of: "11:22:33:44:55:66")
        var value = MiBeacon {
            ($0.control, $0.product, $0.counter) = (0x5048, 0x055B, 7)
            $0.objects = [.init(0x1004, [0x10, 0x01]), .init(0x100A, [99])]
        }
        let structure = try value.structure(counter: 0x0102_0307, address: "11:22:33:44:55:66") { keys.seal(&$0) }
        var decoder = keys.decoder
        let found = decoder.values(in: AdvertisingData(structures: [structure]), from: "11:22:33:44:55:66")
        #expect(found.map(\.text) == ["version 5, product LYWSD03MMC, counter 7, temperature 27.2 °C, battery 99 %"])
        value.control = 0x3048
        #expect(throws: ValueError.self) {
            try value.structure(counter: 7, address: "11:22:33:44:55:66") { keys.seal(&$0) }
        }
    }
}

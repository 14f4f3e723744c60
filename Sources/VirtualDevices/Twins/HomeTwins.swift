import BluetoothProfiles
import Harald

/// The sensors of a house. They advertise values of several formats, and accept no connections.
enum HomeTwins {
    /// The twins by name.
    static let all: [String: DeviceFile] = [
        "home-bthome": sensor(
            "Living room",
            BTHome([.init(0x01, 93), .init(0x02, decimal(2150, 2)), .init(0x03, decimal(4520, 2))])),
        "home-door": sensor(
            "Front door", BTHome([.init(0x01, 88), .init(0x1A, .code(0)), .init(0x21, .code(1))])),
        "home-power": sensor(
            "Meter",
            BTHome([.init(0x0A, decimal(1_346_067, 3)), .init(0x0B, decimal(34_521, 2)), .init(0x0C, decimal(3020, 3))])
        ),
        "home-ruuvi": sensor(
            nil,
            Ruuvi5 {
                ($0.temperature, $0.humidity, $0.pressure) = (decimal(-4250, 3), decimal(812_500, 4), 101_325)
                ($0.accelerationX, $0.accelerationY, $0.accelerationZ) = (
                    decimal(4, 3), decimal(-12, 3), decimal(998, 3)
                )
                ($0.battery, $0.txPower, $0.movements, $0.sequence) = (decimal(2913, 3), 4, 12, 4711)
                $0.address = [0xCB, 0xB8, 0x33, 0x4C, 0x88, 0x4F]
            }),
        "home-ruuvi-air": sensor(
            nil,
            Ruuvi6 {
                ($0.temperature, $0.humidity, $0.pressure) = (decimal(22_300, 3), decimal(412_000, 4), 101_102)
                ($0.pm25, $0.co2, $0.voc, $0.nox, $0.illuminance) = (decimal(112, 1), 640, 92, 1, 96)
                ($0.sequence, $0.address) = (205, [0x4C, 0x88, 0x4F])
            }),
        "home-pvvx": sensor(
            "ATC_123456",
            PVVXThermometer {
                $0.address = [0xA4, 0xC1, 0x38, 0x12, 0x34, 0x56]
                ($0.temperature, $0.humidity) = (decimal(1985, 2), decimal(5120, 2))
                ($0.batteryVoltage, $0.battery, $0.counter) = (decimal(2990, 3), 85, 42)
            }),
        "home-mijia": sensor(
            nil,
            MiBeacon {
                ($0.product, $0.counter, $0.control) = (0x01AA, 218, 0x5040)
                $0.objects = [.init(0x100D, [0x10, 0x01, 0x07, 0x02])]
            }),
        "home-govee": sensor(
            "GVH5075_1234",
            GoveeH5075 { ($0.reading.temperature, $0.reading.humidity, $0.reading.battery) = (205, 518, 100) }),
        "home-inkbird": sensor(
            "sps",
            InkbirdThermometer { ($0.temperature, $0.humidity, $0.battery) = (decimal(1806, 2), decimal(5900, 2), 77) }),
        "home-switchbot": sensor(
            nil, SwitchBotMeter { ($0.temperature, $0.humidity, $0.battery) = (238, 47, 100) }),
        "home-tilt": sensor(nil, Tilt { ($0.temperature, $0.gravity, $0.power) = (68, 1016, -59) }),
        "home-scale": sensor(
            "MI_SCALE",
            XiaomiScale {
                ($0.weight, $0.time) = (decimal(72_450, 3), DateTime(2026, 3, 1, 7, 15, 0))
            }),
        "home-phone": sensor(
            nil,
            ExposureNotification {
                ($0.identifier, $0.metadata) = (Array(0x10...0x1F), [0x40, 0x41, 0x42, 0x43])
            }),
    ]

    private static func decimal(_ mantissa: Int64, _ decimals: Int) -> ProfileNumber {
        ProfileNumber(mantissa, exponent: -decimals)
    }

    private static func sensor(_ name: String?, _ value: some AdvertisedFormat) -> DeviceFile {
        var advertising = DeviceAdvertising()
        (advertising.interval, advertising.isConnectable) = (.milliseconds(500), false)
        var data = AdvertisingData()
        // The values of the twins are constant, and a test encodes them.
        if let structure = try? value.structure() { data.append(structure) }
        advertising.raw = data.encoded
        if let name { advertising.rawScanResponse = AdvertisingData(localName: name).encoded }
        return DeviceFile(name: name ?? "", advertising: advertising)
    }
}

import Foundation

/// What the numbers of the SensorTags' sensors mean, from the data sheets of the sensors.
public enum SensorTagFormulas {
    // MARK: CC2541

    /// The TMP006 of the CC2541: the temperature of the object in front of it and its own, in degrees Celsius.
    public static func tmp006(_ raw: RawPair) -> (object: Double, ambient: Double) {
        let ambient = Double(raw.signed.second) / 128
        let voltage = Double(raw.signed.first) * 1.5625e-7
        let (sensitivity, offset) = tmp006Parameters(ambient)
        let difference = voltage - offset
        let radiated = difference + 13.4 * difference * difference
        let kelvin = pow(pow(ambient + 273.15, 4) + radiated / sensitivity, 0.25)
        return (kelvin - 273.15, ambient)
    }

    /// The numbers that the TMP006 has for two temperatures.
    public static func rawTMP006(object: Double, ambient: Double) -> RawPair {
        let die = (ambient * 128).rounded()
        let (sensitivity, offset) = tmp006Parameters(die / 128)
        let radiated = (pow(object + 273.15, 4) - pow(die / 128 + 273.15, 4)) * sensitivity
        let difference = (-1 + (1 + 4 * 13.4 * radiated).squareRoot()) / (2 * 13.4)
        return RawPair(word((difference + offset) / 1.5625e-7), word(die))
    }

    private static func tmp006Parameters(_ ambient: Double) -> (sensitivity: Double, offset: Double) {
        let delta = ambient + 273.15 - 298.15
        return (
            5.593e-14 * (1 + 1.75e-3 * delta - 1.678e-5 * delta * delta),
            -2.94e-5 - 5.7e-7 * delta + 4.63e-9 * delta * delta
        )
    }

    /// The SHT21 of the CC2541: degrees Celsius and percent. The two lowest bits say which is which.
    public static func sht21(_ raw: RawPair) -> (temperature: Double, humidity: Double) {
        (-46.85 + 175.72 / 65536 * Double(raw.first & ~3), -6 + 125.0 / 65536 * Double(raw.second & ~3))
    }

    /// The numbers that the SHT21 has.
    public static func rawSHT21(temperature: Double, humidity: Double) -> RawPair {
        RawPair(
            unsignedWord((temperature + 46.85) * 65536 / 175.72) & ~3, unsignedWord((humidity + 6) * 65536 / 125) & ~3)
    }

    /// The T5400 of the CC2541, with its calibration: degrees Celsius and pascals.
    public static func t5400(_ raw: RawPair, _ calibration: BarometerCalibration) -> (
        temperature: Double, pressure: Double
    ) {
        let (t, p) = (Double(raw.signed.first), Double(raw.second))
        let c = calibration.unsigned.map(Double.init) + calibration.signed.map(Double.init)
        let temperature = c[0] * t / 16_777_216 + c[1] / 1024
        let sensitivity = c[2] + c[3] * t / 131_072 + c[4] * t * t / 17_179_869_184
        let offset = c[5] * 16384 + c[6] * t / 8 + c[7] * t * t / 524_288
        return (temperature, (sensitivity * p + offset) / 16384)
    }

    /// The numbers that the T5400 has.
    public static func rawT5400(temperature: Double, pressure: Double, _ calibration: BarometerCalibration) -> RawPair {
        let c = calibration.unsigned.map(Double.init) + calibration.signed.map(Double.init)
        let t = ((temperature - c[1] / 1024) * 16_777_216 / c[0]).rounded()
        let sensitivity = c[2] + c[3] * t / 131_072 + c[4] * t * t / 17_179_869_184
        let offset = c[5] * 16384 + c[6] * t / 8 + c[7] * t * t / 524_288
        return RawPair(word(t), unsignedWord((pressure * 16384 - offset) / sensitivity))
    }

    /// Microteslas for one count of the CC2541's magnetometer.
    public static let microteslasPerCount = 2000.0 / 65536
    /// Degrees per second for one count of both gyroscopes.
    public static let degreesPerSecondPerCount = 500.0 / 65536
    /// Multiples of standard gravity for one count of the CC2541's accelerometer: its range is 8 g.
    public static let gravitiesPerCount = 1.0 / 16

    // MARK: CC2650

    /// The TMP007 of the CC2650: the temperature of the object in front of it and its own, in degrees Celsius.
    public static func tmp007(_ raw: RawPair) -> (object: Double, ambient: Double) {
        (Double(raw.signed.first >> 2) * 0.03125, Double(raw.signed.second >> 2) * 0.03125)
    }

    /// The numbers that the TMP007 has.
    public static func rawTMP007(object: Double, ambient: Double) -> RawPair {
        RawPair(word((object / 0.03125).rounded() * 4), word((ambient / 0.03125).rounded() * 4))
    }

    /// The HDC1000 of the CC2650: degrees Celsius and percent.
    public static func hdc1000(_ raw: RawPair) -> (temperature: Double, humidity: Double) {
        (Double(raw.first) / 65536 * 165 - 40, Double(raw.second) / 65536 * 100)
    }

    /// The numbers that the HDC1000 has.
    public static func rawHDC1000(temperature: Double, humidity: Double) -> RawPair {
        RawPair(unsignedWord((temperature + 40) * 65536 / 165), unsignedWord(humidity * 65536 / 100))
    }

    /// The OPT3001 of the CC2650, in lux: 12 bits of mantissa, 4 of exponent, to the base of two.
    public static func opt3001(_ raw: UInt16) -> Double {
        0.01 * Double(raw & 0x0FFF) * Double(UInt32(1) << UInt32(raw >> 12))
    }

    /// The number that the OPT3001 has.
    public static func rawOPT3001(lux: Double) -> UInt16 {
        var (mantissa, exponent) = (max(0, lux) / 0.01, UInt16(0))
        while mantissa.rounded() > 4095, exponent < 11 {
            mantissa /= 2
            exponent += 1
        }
        return exponent << 12 | UInt16(min(mantissa.rounded(), 4095))
    }

    static func word(_ value: Double) -> UInt16 {
        UInt16(bitPattern: Int16(min(max(value.rounded(), -32768), 32767)))
    }

    static func unsignedWord(_ value: Double) -> UInt16 { UInt16(min(max(value.rounded(), 0), 65535)) }

    /// Three numbers of 16 bits, each the multiple of `unit` that is nearest.
    public static func rawAxes(_ axes: Axes, unit: Double) -> RawAxes16 {
        RawAxes16 {
            $0.x = Int16(bitPattern: word(axes.x / unit))
            $0.y = Int16(bitPattern: word(axes.y / unit))
            $0.z = Int16(bitPattern: word(axes.z / unit))
        }
    }
}

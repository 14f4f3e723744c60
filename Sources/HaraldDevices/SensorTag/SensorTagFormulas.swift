import Foundation

/// Conversions between raw sensor values and physical units, from the data sheets of the sensors.
public enum SensorTagFormulas {
    // MARK: CC2541

    /// Converts the raw values of the TMP006 (CC2541) to the temperatures of the object in front of it and of the
    /// sensor, in degrees Celsius.
    public static func tmp006(_ raw: RawUInt16Pair) -> (object: Double, ambient: Double) {
        let ambient = Double(raw.signed.second) / 128
        let voltage = Double(raw.signed.first) * 1.5625e-7
        let (sensitivity, offset) = tmp006Parameters(ambient)
        let difference = voltage - offset
        let radiated = difference + 13.4 * difference * difference
        let kelvin = pow(pow(ambient + 273.15, 4) + radiated / sensitivity, 0.25)
        return (kelvin - 273.15, ambient)
    }

    /// Returns the raw values of the TMP006 for two temperatures in degrees Celsius.
    public static func rawTMP006(object: Double, ambient: Double) -> RawUInt16Pair {
        let die = (ambient * 128).rounded()
        let (sensitivity, offset) = tmp006Parameters(die / 128)
        let radiated = (pow(object + 273.15, 4) - pow(die / 128 + 273.15, 4)) * sensitivity
        let difference = (-1 + (1 + 4 * 13.4 * radiated).squareRoot()) / (2 * 13.4)
        return RawUInt16Pair(word((difference + offset) / 1.5625e-7), word(die))
    }

    private static func tmp006Parameters(_ ambient: Double) -> (sensitivity: Double, offset: Double) {
        let delta = ambient + 273.15 - 298.15
        return (
            5.593e-14 * (1 + 1.75e-3 * delta - 1.678e-5 * delta * delta),
            -2.94e-5 - 5.7e-7 * delta + 4.63e-9 * delta * delta
        )
    }

    /// Converts the raw values of the SHT21 (CC2541) to degrees Celsius and percent. The two lowest bits of each
    /// identify the quantity and are masked out.
    public static func sht21(_ raw: RawUInt16Pair) -> (temperature: Double, humidity: Double) {
        (-46.85 + 175.72 / 65536 * Double(raw.first & ~3), -6 + 125.0 / 65536 * Double(raw.second & ~3))
    }

    /// Returns the raw values of the SHT21 for degrees Celsius and percent.
    public static func rawSHT21(temperature: Double, humidity: Double) -> RawUInt16Pair {
        RawUInt16Pair(
            unsignedWord((temperature + 46.85) * 65536 / 175.72) & ~3, unsignedWord((humidity + 6) * 65536 / 125) & ~3)
    }

    /// Converts the raw values of the T5400 (CC2541), with its calibration, to degrees Celsius and pascals.
    public static func t5400(_ raw: RawUInt16Pair, _ calibration: BarometerCalibration) -> (
        temperature: Double, pressure: Double
    ) {
        let (t, p) = (Double(raw.signed.first), Double(raw.second))
        let c = calibration.unsigned.map(Double.init) + calibration.signed.map(Double.init)
        let temperature = c[0] * t / 16_777_216 + c[1] / 1024
        let sensitivity = c[2] + c[3] * t / 131_072 + c[4] * t * t / 17_179_869_184
        let offset = c[5] * 16384 + c[6] * t / 8 + c[7] * t * t / 524_288
        return (temperature, (sensitivity * p + offset) / 16384)
    }

    /// Returns the raw values of the T5400 for degrees Celsius and pascals.
    public static func rawT5400(
        temperature: Double, pressure: Double, _ calibration: BarometerCalibration
    ) -> RawUInt16Pair {
        let c = calibration.unsigned.map(Double.init) + calibration.signed.map(Double.init)
        let t = ((temperature - c[1] / 1024) * 16_777_216 / c[0]).rounded()
        let sensitivity = c[2] + c[3] * t / 131_072 + c[4] * t * t / 17_179_869_184
        let offset = c[5] * 16384 + c[6] * t / 8 + c[7] * t * t / 524_288
        return RawUInt16Pair(word(t), unsignedWord((pressure * 16384 - offset) / sensitivity))
    }

    /// Microteslas per count of the CC2541's magnetometer.
    public static let microteslasPerCount = 2000.0 / 65536
    /// Degrees per second per count of both gyroscopes.
    public static let degreesPerSecondPerCount = 500.0 / 65536
    /// Multiples of standard gravity per count of the CC2541's accelerometer. Its range is 8 g.
    public static let gravitiesPerCount = 1.0 / 16

    // MARK: CC2650

    /// Converts the raw values of the TMP007 (CC2650) to the temperatures of the object in front of it and of the
    /// sensor, in degrees Celsius.
    public static func tmp007(_ raw: RawUInt16Pair) -> (object: Double, ambient: Double) {
        (Double(raw.signed.first >> 2) * 0.03125, Double(raw.signed.second >> 2) * 0.03125)
    }

    /// Returns the raw values of the TMP007 for two temperatures in degrees Celsius.
    public static func rawTMP007(object: Double, ambient: Double) -> RawUInt16Pair {
        RawUInt16Pair(word((object / 0.03125).rounded() * 4), word((ambient / 0.03125).rounded() * 4))
    }

    /// Converts the raw values of the HDC1000 (CC2650) to degrees Celsius and percent.
    public static func hdc1000(_ raw: RawUInt16Pair) -> (temperature: Double, humidity: Double) {
        (Double(raw.first) / 65536 * 165 - 40, Double(raw.second) / 65536 * 100)
    }

    /// Returns the raw values of the HDC1000 for degrees Celsius and percent.
    public static func rawHDC1000(temperature: Double, humidity: Double) -> RawUInt16Pair {
        RawUInt16Pair(unsignedWord((temperature + 40) * 65536 / 165), unsignedWord(humidity * 65536 / 100))
    }

    /// Converts the raw value of the OPT3001 (CC2650) to lux: a mantissa of 12 bits and a binary exponent of 4 bits.
    public static func opt3001(_ raw: UInt16) -> Double {
        0.01 * Double(raw & 0x0FFF) * Double(UInt32(1) << UInt32(raw >> 12))
    }

    /// Returns the raw value of the OPT3001 for an illuminance in lux.
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

    /// Returns each axis in multiples of `unit`, rounded to the nearest 16-bit integer.
    public static func rawAxes(_ axes: Axes, unit: Double) -> RawAxes16 {
        RawAxes16 {
            $0.x = Int16(bitPattern: word(axes.x / unit))
            $0.y = Int16(bitPattern: word(axes.y / unit))
            $0.z = Int16(bitPattern: word(axes.z / unit))
        }
    }
}

/// The unit of a value.
public struct GATTUnit: Hashable, Sendable {
    /// The symbol for display: "mmHg".
    public let symbol: String
    /// The UCUM code, which health records use: "mm[Hg]".
    public let ucum: String

    /// Creates a unit. The UCUM code defaults to the symbol.
    public init(_ symbol: String, ucum: String? = nil) {
        self.symbol = symbol
        self.ucum = ucum ?? symbol
    }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension GATTUnit {
    public static let percent = GATTUnit("%")
    public static let beatsPerMinute = GATTUnit("bpm", ucum: "/min")
    public static let perMinute = GATTUnit("/min")
    public static let kilojoules = GATTUnit("kJ")
    public static let kilocalories = GATTUnit("kcal")
    public static let milliseconds = GATTUnit("ms")
    public static let seconds = GATTUnit("s")
    public static let minutes = GATTUnit("min")
    public static let hours = GATTUnit("h")
    public static let celsius = GATTUnit("°C", ucum: "Cel")
    public static let fahrenheit = GATTUnit("°F", ucum: "[degF]")
    public static let mmHg = GATTUnit("mmHg", ucum: "mm[Hg]")
    public static let kilopascals = GATTUnit("kPa")
    public static let pascals = GATTUnit("Pa")
    public static let hectopascals = GATTUnit("hPa")
    public static let kilogramsPerLitre = GATTUnit("kg/L")
    public static let molesPerLitre = GATTUnit("mol/L")
    public static let millimolesPerLitre = GATTUnit("mmol/L")
    public static let milligramsPerDecilitre = GATTUnit("mg/dL")
    public static let milligramsPerDecilitrePerMinute = GATTUnit("mg/dL/min")
    public static let kilograms = GATTUnit("kg")
    public static let grams = GATTUnit("g")
    public static let milligrams = GATTUnit("mg")
    public static let millilitres = GATTUnit("mL")
    public static let litres = GATTUnit("L")
    public static let pounds = GATTUnit("lb", ucum: "[lb_av]")
    public static let metres = GATTUnit("m")
    public static let centimetres = GATTUnit("cm")
    public static let millimetres = GATTUnit("mm")
    public static let inches = GATTUnit("in", ucum: "[in_i]")
    public static let kilogramsPerSquareMetre = GATTUnit("kg/m²", ucum: "kg/m2")
    public static let ohms = GATTUnit("Ω", ucum: "Ohm")
    public static let metresPerSecond = GATTUnit("m/s")
    public static let degrees = GATTUnit("°", ucum: "deg")
    public static let degreesPerSecond = GATTUnit("°/s", ucum: "deg/s")
    public static let standardGravity = GATTUnit("g", ucum: "[g]")
    public static let microteslas = GATTUnit("µT", ucum: "uT")
    public static let lux = GATTUnit("lx", ucum: "lx")
    public static let wattsPerSquareMetre = GATTUnit("W/m²", ucum: "W/m2")
    public static let perCubicMetre = GATTUnit("/m³", ucum: "/m3")
    public static let years = GATTUnit("years", ucum: "a")
    public static let decibelMilliwatts = GATTUnit("dBm", ucum: "dB[mW]")
    public static let newtons = GATTUnit("N")
    public static let newtonMetres = GATTUnit("N·m", ucum: "N.m")
    public static let kilometresPerHour = GATTUnit("km/h")
    public static let kilometresPerMinute = GATTUnit("km/min")
    public static let catties = GATTUnit("catty")
    public static let volts = GATTUnit("V")
    public static let millivolts = GATTUnit("mV")
    public static let amperes = GATTUnit("A")
    public static let watts = GATTUnit("W")
    public static let kilowattHours = GATTUnit("kWh", ucum: "kW.h")
    public static let partsPerMillion = GATTUnit("ppm", ucum: "[ppm]")
    public static let microgramsPerCubicMetre = GATTUnit("µg/m³", ucum: "ug/m3")
    public static let milligramsPerCubicMetre = GATTUnit("mg/m³", ucum: "mg/m3")
    public static let microsiemensPerCentimetre = GATTUnit("µS/cm", ucum: "uS/cm")
    public static let cubicMetres = GATTUnit("m³", ucum: "m3")
    public static let cubicMetresPerHour = GATTUnit("m³/h", ucum: "m3/h")
    public static let metresPerSquareSecond = GATTUnit("m/s²", ucum: "m/s2")
    public static let revolutionsPerMinute = GATTUnit("rpm", ucum: "{rpm}")
    public static let millilitresPerKilogramPerMinute = GATTUnit("mL/kg/min")
}

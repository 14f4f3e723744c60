import BluetoothModel

/// A format of advertised values. One declaration decodes, encodes and describes it, as that of a characteristic does.
///
///     struct IBeacon: AdvertisedFormat {
///         static let kind = "iBeacon", title = "iBeacon"
///         static let source = "Proximity Beacon Specification R1"
///         static let places: [AdvertisedPlace] = [.appleMessage(0x02)]
///         static let examples = [...]
///         var major: UInt16 = 0
///         mutating func code(_ coder: inout FieldCoder) throws(ValueError) { ... }
///     }
///
/// ``AdvertisedFormats/all`` lists the formats. The bytes after the fields are kept: the lengths within a frame decide
/// what is a value, not the length of the structure.
public protocol AdvertisedFormat: GATTValue {
    /// The name in JSON and scripts: `ruuvi-5`.
    static var kind: String { get }
    /// The name for people.
    static var title: String { get }
    /// The document that the declaration follows.
    static var source: String { get }
    /// The places of the format in an advertisement. Values are encoded for the first.
    static var places: [AdvertisedPlace] { get }
    /// The subject of the values.
    static var subject: AdvertisedSubject { get }
    /// The constant bytes that frames of the format begin with. The fields follow.
    static var start: [UInt8] { get }
    /// Patterns, one of which every frame of the format has; empty if only other properties of the advertisement tell
    /// it apart. By default they follow from ``places`` and ``start``.
    static var patterns: [AdvertisementPattern] { get }
    /// Advertisements with their values, most of them from the document.
    static var examples: [AdvertisedExample] { get }
    /// The names of the fields that a line of a list omits.
    static var details: [String] { get }
    /// Returns true if a frame at one of the places, which begins with ``start``, is of the format.
    static func matches(_ frame: AdvertisedFrame) -> Bool
    /// The signal strength at one metre in dBm that the device states; nil if it states none.
    var powerAtOneMetre: Int8? { get }
}

/// The subject of the values of a format.
public enum AdvertisedSubject: Hashable, Sendable {
    /// The readings of a sensor.
    case sensor
    /// The identity of a beacon.
    case beacon
    /// The body of a person.
    case person
    /// The presence of a phone or an accessory.
    case device
}

extension AdvertisedFormat {
    // The defaults of optional requirements.
    public static var subject: AdvertisedSubject { .sensor }
    public static var start: [UInt8] { [] }
    public static var details: [String] { [] }
    public static var patterns: [AdvertisementPattern] { places.compactMap { $0.pattern(start) } }
    public static func matches(_ frame: AdvertisedFrame) -> Bool { true }
    public var powerAtOneMetre: Int8? { nil }

    /// Returns the structure that advertises the value.
    /// - Throws: ``ValueError`` that names the field that is out of range.
    public func structure() throws(ValueError) -> AdvertisingData.Structure {
        Self.structure(Self.start + (try encoded()))
    }

    static func structure(_ bytes: [UInt8]) -> AdvertisingData.Structure {
        var data = AdvertisingData()
        switch places.first {
        case .manufacturer(let company): data.manufacturerData = [ManufacturerData(company: company, data: bytes)]
        case .appleMessage(let type):
            let message = [type, UInt8(truncatingIfNeeded: bytes.count)] + bytes
            data.manufacturerData = [ManufacturerData(company: .apple, data: message)]
        case .service(let uuid): data.serviceData = [uuid: bytes]
        case .anyManufacturer, nil: data[.manufacturerSpecificData] = bytes
        }
        return data.structures[0]
    }

    /// Decodes the fields of a frame. Bytes after the last field are described as `extra`.
    static func value(of bytes: some Collection<UInt8>) -> AdvertisedValue {
        var coder = FieldCoder(decoding: Array(bytes.dropFirst(start.count)), describes: true)
        var (value, result) = (Self(), AdvertisedValue(Self.self))
        do throws(ValueError) {
            try value.code(&coder)
        } catch {
            result.problem = error.description
            return result
        }
        let extra = Array(coder.input[coder.position...])
        if !extra.isEmpty { coder.describe("extra", .bytes(extra)) }
        result.fields = coder.fields.joiningRepeated
        result.powerAtOneMetre = value.powerAtOneMetre
        return result
    }
}

/// An advertisement and the text of its value.
public struct AdvertisedExample: Hashable, Sendable {
    /// The advertising data in hexadecimal.
    public var hex: String
    /// The fields: "temperature 24.3 °C, humidity 53.49 %".
    public var text: String
    /// The address of the device, and its key in hexadecimal, for an encrypted value.
    public var address: String?, key: String?

    /// Creates an example.
    public init(_ hex: String, _ text: String, address: String? = nil, key: String? = nil) {
        self.hex = hex
        self.text = text
        self.address = address
        self.key = key
    }
}

extension [Field] {
    /// The fields, with a list in place of several fields of the same name and unit.
    var joiningRepeated: [Field] {
        var result: [Field] = []
        var numbers: [Field: Int] = [:]
        for field in self {
            let key = Field(field.name, .flag(true), unit: field.unit)
            guard let index = numbers[key] else {
                numbers[key] = result.count
                result.append(field)
                continue
            }
            if case .list(let earlier) = result[index].value {
                result[index].value = .list(earlier + [field.value])
            } else {
                result[index].value = .list([result[index].value, field.value])
            }
        }
        return result
    }
}

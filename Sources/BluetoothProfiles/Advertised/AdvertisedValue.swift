import BluetoothModel

/// The content of a part of an advertisement: the fields of a known format.
public struct AdvertisedValue: Hashable, Sendable {
    /// The format: `iBeacon`, `ruuvi-5`. ``AdvertisedFormats/all`` lists them.
    public var kind: String
    /// The name of the format for people.
    public var title: String
    /// The fields, with the units of the format's document; empty if there is a problem. Fields of a name that is
    /// repeated are a list.
    public var fields: [Field] = []
    /// The reason that the fields are unknown: the frame is malformed or cut off, or it is encrypted and there is no
    /// key that fits.
    public var problem: String?
    /// The signal strength at one metre in dBm that the device states, to estimate distances.
    public var powerAtOneMetre: Int8?
    /// The names of the fields that ``summary`` omits.
    package var details: [String] = []

    /// Creates the value of a format, without fields.
    init(_ format: any AdvertisedFormat.Type) {
        self.init(kind: format.kind, title: format.title)
        details = format.details
    }

    /// Creates a value.
    public init(kind: String, title: String, fields: [Field] = [], problem: String? = nil) {
        self.kind = kind
        self.title = title
        self.fields = fields
        self.problem = problem
    }

    /// The field with this name; nil if there is none.
    public subscript(name: String) -> Field? { fields.first { $0.name == name } }

    /// All fields in one line, or the problem in brackets.
    public var text: String { problem.map { "(\($0))" } ?? fields.text }

    /// The title and the important fields in one line: "Ruuvi 5: temperature 24.3 °C, humidity 53.49 %".
    public var summary: String {
        guard problem == nil else { return "\(title) \(text)" }
        let known = fields.filter { field in
            if case .number(.special(.unknown)) = field.value { return false }
            return !details.contains(field.name)
        }
        return known.isEmpty ? title : "\(title): \(known.map(\.description).joined(separator: ", "))"
    }
}

extension AdvertisedValue: CustomStringConvertible {
    /// The title and all fields: "Ruuvi 5: temperature 24.3 °C, ...".
    public var description: String { "\(title): \(text)" }
}

extension [AdvertisedValue] {
    /// Replaces the values of the formats in `latest`, and keeps those of other formats, which some devices advertise
    /// in turn. Ordered by format.
    package mutating func update(with latest: [AdvertisedValue]) {
        guard !latest.isEmpty else { return }
        let kinds = Set(latest.map(\.kind))
        self = (filter { !kinds.contains($0.kind) } + latest).sorted { $0.kind < $1.kind }
    }
}

extension AdvertisingData {
    /// The values of known formats in the data, in the order of the structures. Encrypted ones have a problem; an
    /// ``AdvertisedValueDecoder`` with keys decodes them.
    public var values: [AdvertisedValue] {
        var decoder = AdvertisedValueDecoder()
        return decoder.values(in: self)
    }

    /// The signal strength of a beacon at one metre in dBm, as the beacon states it; nil if the data is of no format
    /// that has it.
    public var calibratedPower: Int8? { values.lazy.compactMap(\.powerAtOneMetre).first }
}

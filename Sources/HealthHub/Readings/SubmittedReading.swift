import Foundation

/// A reading as sent by a gateway: the object of `POST /api/v1/readings` and of `harald monitor --json`.
package struct SubmittedReading: Codable, Sendable, Equatable {
    /// The known attributes of the device. The first known one of serial number, System ID, address, identifier and
    /// name identifies it.
    package struct Device: Codable, Sendable, Hashable {
        /// The identifier that the gateway uses for the device.
        package var id: String?
        /// Serial Number String (2A25).
        package var serial: String?
        /// System ID (2A23), in hexadecimal.
        package var systemID: String?
        /// The Bluetooth device address.
        package var address: String?
        /// Model Number String (2A24).
        package var model: String?
        /// The device name.
        package var name: String?

        enum CodingKeys: String, CodingKey { case id, serial, systemID, address, model, name }

        /// Creates a device with the given attributes.
        package init(
            id: String? = nil, serial: String? = nil, systemID: String? = nil, address: String? = nil,
            model: String? = nil, name: String? = nil
        ) {
            (self.id, self.serial, self.systemID) = (id, serial, systemID)
            (self.address, self.model, self.name) = (address, model, name)
        }
    }

    /// The identifier that the gateway generated when it queued the reading. It identifies a reading without a device
    /// time.
    package var id: String?
    /// The device.
    package var device: Device?
    /// The UUID of the characteristic; nil for a vendor's frame.
    package var characteristic: String?
    /// The value as transmitted over the air, in hexadecimal.
    package var hex: String?
    /// The decoded fields, in the form of `harald decode --json`. Used if `hex` cannot be decoded.
    package var fields: [String: FieldNode]?
    /// The time on the device's clock, without a time zone: "2026-11-21T08:00:00". Used if `hex` contains no time.
    package var deviceTime: String?
    /// The device's clock, read as UTC, minus true UTC; in seconds.
    package var clockOffset: Double?
    /// The time at which the gateway received the reading (RFC 3339).
    package var time: String?
    /// The name of the gateway; by default the name of the token.
    package var gateway: String?
    /// True if the device is simulated.
    package var simulated: Bool?
    /// The identity of a reading without a device time that a hub exported, 16 octets in hexadecimal. The reading keeps
    /// it in every hub.
    package var identity: String?
    /// True for a reading that a hub exported and whose sender has marked it as entered in error. It is refused.
    package var retracted: Bool?
    /// The person to whom the reading belongs, if the sender may specify it; never part of the JSON.
    var person: Int64?
    /// The identity of that person instead. A person of another hub is unknown here: the assignment of the device
    /// decides.
    var personIdentity: String?
    /// The octets of ``identity``, or of the identifier of an exported Observation; never part of the JSON.
    var key: Data?
    /// The identifier that, with the device, identifies the reading whatever its value is; never part of the JSON.
    var identifier: String?
    /// The reason why the JSON was not a reading; never part of the JSON.
    package var problem: String?

    enum CodingKeys: String, CodingKey {
        case id, device, characteristic, hex, fields, deviceTime, clockOffset, time, gateway, simulated, identity,
            retracted
    }

    /// Creates an empty reading.
    package init() {}
}

/// A JSON value of a decoded field.
package indirect enum FieldNode: Codable, Sendable, Equatable {
    case null
    case flag(Bool)
    case number(Decimal)
    case text(String)
    case list([FieldNode])
    case object([String: FieldNode])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Decimal.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([FieldNode].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: FieldNode].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    /// The member of an object with this name; nil for other values.
    package subscript(name: String) -> FieldNode? {
        if case .object(let object) = self { return object[name] }
        return nil
    }

    /// The number of a field: the value itself, its text, or the member `value` of an object.
    package var number: Decimal? {
        switch self {
        case .number(let number): number
        case .text(let text): Self.decimal(text)
        case .object(let object): object["value"]?.number
        default: nil
        }
    }

    /// Parses a decimal number; nil for a text that contains anything else.
    static func decimal(_ text: String) -> Decimal? {
        // `Decimal(string:)` parses the beginning of a text.
        var rest = text.utf8[...]
        func skip(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func digits() -> Bool {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count > 0
        }
        _ = skip("+-")
        guard digits() else { return nil }
        if skip("."), !digits() { return nil }
        if skip("eE") {
            _ = skip("+-")
            guard digits() else { return nil }
        }
        guard rest.isEmpty,
            let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), number.isFinite
        else { return nil }
        return number
    }

    /// The text of a field.
    package var text: String? {
        if case .text(let text) = self { return text }
        return nil
    }
}

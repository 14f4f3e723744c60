import Explorer
import Harald

/// The path of a characteristic or a descriptor on the command line.
enum AttributePath: Hashable, Sendable {
    /// `#0x0012`, `#18`: the characteristic with this value handle, or the descriptor with this handle.
    case handle(UInt32)
    /// One or more interpretations of a text. The first that matches an attribute of the device is used.
    case readings([Reading], text: String)

    /// An interpretation of a path.
    struct Reading: Hashable, Sendable {
        /// The services to search; nil for all.
        var services: [BluetoothUUID]?
        var characteristics: [BluetoothUUID]
        /// The descriptor of the characteristic; nil for the characteristic itself.
        var descriptors: [BluetoothUUID]?
    }

    /// The accepted forms, for messages.
    private static let forms =
        "'180F/2A19', 'battery/battery-level', '180F/2A19/2902' for a descriptor, or '#0x0012' for a handle"

    init(_ text: String) throws {
        if text.hasPrefix("#") {
            guard let value = UInt32(decimalOrHex: text.dropFirst()), value > 0 else {
                throw ProgramError(.usage, "'\(text)' is not a handle; expected a form such as '#0x0012' or '#18'")
            }
            self = .handle(value)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 3, parts.allSatisfy({ !$0.isEmpty }) else {
            throw ProgramError(.usage, "'\(text)' is not the path of a characteristic; expected \(Self.forms)")
        }
        switch parts.count {
        case 1: self = .readings([Reading(characteristics: try Self.uuids(parts[0], .characteristic))], text: text)
        case 2: self = .readings(try Self.readings(parts[0], parts[1]), text: text)
        default:
            self = .readings(
                [
                    Reading(
                        services: try Self.uuids(parts[0], .service),
                        characteristics: try Self.uuids(parts[1], .characteristic),
                        descriptors: try Self.uuids(parts[2], .descriptor))
                ], text: text)
        }
    }

    /// Interprets two parts as a service and a characteristic, or as a characteristic and a descriptor.
    private static func readings(_ first: String, _ second: String) throws -> [Reading] {
        let services = ServiceName.uuids(first, .service)
        let characteristics = ServiceName.uuids(second, .characteristic)
        var readings: [Reading] = []
        if !services.isEmpty, !characteristics.isEmpty {
            readings.append(Reading(services: services, characteristics: characteristics))
        }
        let owners = ServiceName.uuids(first, .characteristic)
        let descriptors = ServiceName.uuids(second, .descriptor)
        if !owners.isEmpty, !descriptors.isEmpty {
            readings.append(Reading(characteristics: owners, descriptors: descriptors))
        }
        guard readings.isEmpty else { return readings }
        throw services.isEmpty && owners.isEmpty
            ? ServiceName.unknown(first, .service) : ServiceName.unknown(second, .characteristic)
    }

    private static func uuids(_ text: String, _ kind: AssignedNumbers.Kind) throws -> [BluetoothUUID] {
        let uuids = ServiceName.uuids(text, kind)
        guard !uuids.isEmpty else { throw ServiceName.unknown(text, kind) }
        return uuids
    }

    /// True if the path can only name a descriptor.
    var isDescriptor: Bool {
        if case .readings(let readings, _) = self { return readings.allSatisfy { $0.descriptors != nil } }
        return false
    }
}

extension AttributePath.Reading {
    func names(service: BluetoothUUID, characteristic: BluetoothUUID) -> Bool {
        (services?.contains(service) ?? true) && characteristics.contains(characteristic)
    }
}

extension AttributePath: CustomStringConvertible {
    var description: String {
        switch self {
        case .handle(let handle): "#\(HandleText.text(handle))"
        case .readings(_, let text): text
        }
    }
}

import Harald

/// Names a characteristic on the command line.
enum AttributePath: Hashable, Sendable {
    /// `#0x0012`, `#18`: the characteristic whose value has this handle.
    case handle(UInt32)
    /// `180F/2A19`, `battery/battery-level`.
    case path(services: [BluetoothUUID], characteristics: [BluetoothUUID], text: String)
    /// `2A19`, `battery-level`: in whichever service.
    case characteristic([BluetoothUUID], text: String)

    init(_ text: String) throws {
        if text.hasPrefix("#") {
            let digits = text.dropFirst().lowercased()
            let value = digits.hasPrefix("0x") ? UInt32(digits.dropFirst(2), radix: 16) : UInt32(digits)
            guard let value, value > 0 else {
                throw ProgramError(.usage, "'\(text)' is no handle; expected '#0x0012' or '#18'")
            }
            self = .handle(value)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else {
            throw ProgramError(
                .usage, "'\(text)' names no characteristic; expected '180F/2A19', 'battery/battery-level' or '#0x0012'")
        }
        let characteristics = ServiceName.uuids(parts[parts.count - 1], .characteristic)
        guard !characteristics.isEmpty else { throw ServiceName.unknown(parts[parts.count - 1], .characteristic) }
        if parts.count == 1 {
            self = .characteristic(characteristics, text: text)
        } else {
            let services = ServiceName.uuids(parts[0], .service)
            guard !services.isEmpty else { throw ServiceName.unknown(parts[0], .service) }
            self = .path(services: services, characteristics: characteristics, text: text)
        }
    }

    /// Whether a characteristic is meant.
    func names(service: BluetoothUUID, characteristic: BluetoothUUID, attribute: UInt32) -> Bool {
        switch self {
        case .handle(let handle): attribute == handle
        case .path(let services, let characteristics, _):
            services.contains(service) && characteristics.contains(characteristic)
        case .characteristic(let characteristics, _): characteristics.contains(characteristic)
        }
    }

    /// The services to look in; nil for all.
    var services: [BluetoothUUID]? {
        if case .path(let services, _, _) = self { return services }
        return nil
    }
}

extension AttributePath: CustomStringConvertible {
    /// The text.
    var description: String {
        switch self {
        case .handle(let handle): "#\(HandleText.text(handle))"
        case .path(_, _, let text), .characteristic(_, let text): text
        }
    }
}

/// Handles as people write them.
enum HandleText {
    /// "0x0012".
    static func text(_ handle: UInt32) -> String {
        let digits = String(handle, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

import Harald

/// The choice among several devices if no device is named.
enum DevicePick: String, Hashable, Sendable, CaseIterable {
    case strongest
    /// The device that is found first.
    case first
    /// The only device; several are an error.
    case only
    /// The device that the user chooses at the terminal.
    case ask
}

/// The device that the command line names.
enum DeviceSelector: Hashable, Sendable {
    case identifier(PeripheralID)
    /// In upper case, with colons.
    case address(String)
    case name(String)
    /// Any device.
    case any

    init(_ text: String) {
        if let identifier = PeripheralID(text) {
            self = .identifier(identifier)
        } else if let address = BluetoothAddress(text) {
            self = .address(address.text)
        } else {
            self = .name(text)
        }
    }

    struct Candidate: Hashable, Sendable {
        var id: PeripheralID
        var name: String?
        /// The name that the user gave it.
        var identity: String?
        var address: String?
        var rssi: Int?
    }

    /// The degree to which a device matches.
    enum Fit: Int, Comparable {
        case not, begins, fits

        static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
    }

    func fit(_ candidate: Candidate) -> Fit {
        switch self {
        case .identifier(let id): return candidate.id == id ? .fits : .not
        case .address(let text): return candidate.address?.uppercased() == text ? .fits : .not
        case .name(let name):
            let (wanted, own) = (
                name.lowercased(), [candidate.identity, candidate.name].compactMap { $0?.lowercased() }
            )
            if own.contains(wanted) { return .fits }
            return own.contains { $0.hasPrefix(wanted) } ? .begins : .not
        case .any: return .fits
        }
    }

    /// True if at most one device can match.
    var isUnique: Bool {
        switch self {
        case .identifier, .address: true
        case .name, .any: false
        }
    }

    /// The reason why no device was chosen.
    enum Failure: Error, Hashable {
        case none
        case several([Candidate])
    }

    /// Chooses a device among those found, given in the order of their discovery. A complete name takes precedence over
    /// a prefix.
    func choose(among candidates: [Candidate], _ pick: DevicePick?) -> Result<Candidate, Failure> {
        let fits = candidates.map { ($0, fit($0)) }.filter { $0.1 > .not }
        guard let best = fits.map(\.1).max() else { return .failure(.none) }
        let chosen = fits.filter { $0.1 == best }.map(\.0)
        switch pick {
        case .first: return .success(chosen[0])
        case .strongest:
            return .success(chosen.dropFirst().reduce(chosen[0]) { ($1.rssi ?? -128) > ($0.rssi ?? -128) ? $1 : $0 })
        case .only, .ask, nil: return chosen.count == 1 ? .success(chosen[0]) : .failure(.several(chosen))
        }
    }
}

extension DeviceSelector: CustomStringConvertible {
    /// The selector in the words of messages.
    var description: String {
        switch self {
        case .identifier(let id): "device \(id)"
        case .address(let text): "device \(text)"
        case .name(let name): "device '\(name)'"
        case .any: "device"
        }
    }
}

import Harald

/// Which of several devices is meant where nothing names one.
enum DevicePick: String, Hashable, Sendable, CaseIterable {
    /// The one with the strongest signal.
    case strongest
    /// The one that is heard first.
    case first
    /// The only one; several are an error.
    case only
    /// The one that the person at the terminal chooses.
    case ask
}

/// Names a device on the command line.
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

    /// What is known of a device.
    struct Candidate: Hashable, Sendable {
        var id: PeripheralID
        var name: String?
        var address: String?
        var rssi: Int?
    }

    /// How well a device fits.
    enum Fit: Int, Comparable {
        case not, begins, fits

        static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
    }

    func fit(_ candidate: Candidate) -> Fit {
        switch self {
        case .identifier(let id): return candidate.id == id ? .fits : .not
        case .address(let text): return candidate.address?.uppercased() == text ? .fits : .not
        case .name(let name):
            guard let own = candidate.name?.lowercased() else { return .not }
            if own == name.lowercased() { return .fits }
            return own.hasPrefix(name.lowercased()) ? .begins : .not
        case .any: return .fits
        }
    }

    /// Whether nothing else can fit as well.
    var isUnique: Bool {
        switch self {
        case .identifier, .address: true
        case .name, .any: false
        }
    }

    /// What no choice could be made of.
    enum Failure: Error, Hashable {
        case none
        case several([Candidate])
    }

    /// The device that is meant among those heard, in the order in which they were heard. A whole name comes before
    /// names that only begin so.
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
    /// The device as a message names it.
    var description: String {
        switch self {
        case .identifier(let id): "device \(id)"
        case .address(let text): "device \(text)"
        case .name(let name): "device '\(name)'"
        case .any: "device"
        }
    }
}

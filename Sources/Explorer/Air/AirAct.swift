import VirtualDevices

/// A change of the devices of a laboratory.
package struct AirAct: Sendable {
    /// The kind of change.
    package enum Action: Sendable {
        case add(AirSource, distance: Double)
        case remove, cut
        case move(distance: Double)
        case walk(Bool)
        case faults(AirFaults)
    }

    package var action: Action
    /// The name of the device.
    package var name: String
    /// The advertising address of the device; nil if it has none.
    package var address: String?
}

/// The origin of a device that is added to a laboratory.
package enum AirSource: Hashable, Sendable {
    /// A built-in device.
    case builtIn(String)
    /// The text of a device file.
    case file(String)
    /// A device file without text, such as that of a clone.
    case made

    /// The text of the file, where it is known.
    var yaml: String? {
        switch self {
        case .builtIn(let name): BuiltIn.devices[name]
        case .file(let yaml): yaml
        case .made: nil
        }
    }
}

import BluetoothModel
import SystemBus

/// The advertisement monitors of a passive scan (`org.bluez.AdvertisementMonitor1`), from which BlueZ reads what
/// it is to look for. Confined to the loop.
final class MonitorApplication {
    /// An event that BlueZ announces.
    enum Event: Equatable {
        /// All monitors are active.
        case active
        /// BlueZ has ended a monitor, or could not begin it.
        case released
        case found(String)
        case lost(String)
    }

    static let path = "/org/harald/monitors"
    /// `bluetoothd` (5.87, `adv_monitor.c`) counts the octets of a monitor's patterns, 34 each, in an octet.
    private static let patternLimit = 7

    let patterns: [AdvertisementPattern]
    /// The monitors that BlueZ has not activated yet.
    private var inactive: Set<String>
    private let monitors: [String: [AdvertisementPattern]]
    private let onEvent: (Event) -> Void

    init(_ patterns: [AdvertisementPattern], onEvent: @escaping (Event) -> Void) {
        self.patterns = patterns
        self.onEvent = onEvent
        let parts = stride(from: 0, to: patterns.count, by: Self.patternLimit).map {
            Array(patterns[$0..<min($0 + Self.patternLimit, patterns.count)])
        }
        monitors = Dictionary(
            uniqueKeysWithValues: parts.enumerated().map { ("\(Self.path)/monitor\($0.offset)", $0.element) })
        inactive = Set(monitors.keys)
    }

    var isActive: Bool { inactive.isEmpty }

    private static func properties(_ patterns: [AdvertisementPattern]) -> BusValue {
        let entries: [BusValue] = patterns.map {
            .structure([.byte(UInt8($0.position)), .byte($0.type.rawValue), .bytes($0.bytes)])
        }
        return .properties(["Type": .string("or_patterns"), "Patterns": .array(entries, of: "(yyay)")])
    }

    /// Handles a call; returns false if the object is not one of these.
    func called(_ call: BusCall) -> Bool {
        if call.path == Self.path, call.interface == BlueZ.objectManager {
            let objects: [(BusValue, BusValue)] = monitors.map { path, patterns in
                (
                    .path(path),
                    .dictionary([.string(BlueZ.monitor): Self.properties(patterns)], key: "s", value: "a{sv}")
                )
            }
            let managed = Dictionary(uniqueKeysWithValues: objects)
            call.respond(.success([.dictionary(managed, key: "o", value: "a{sa{sv}}")]))
            return true
        }
        guard let patterns = monitors[call.path] else { return false }
        if call.interface == BlueZ.properties, call.member == "GetAll" {
            call.respond(.success([Self.properties(patterns)]))
            return true
        }
        guard call.interface == BlueZ.monitor else { return false }
        call.respond(.success([]))
        switch call.member {
        case "Activate":
            if inactive.remove(call.path) != nil, inactive.isEmpty { onEvent(.active) }
        case "Release": onEvent(.released)
        case "DeviceFound": if let device = call.arguments.first?.text { onEvent(.found(device)) }
        case "DeviceLost": if let device = call.arguments.first?.text { onEvent(.lost(device)) }
        default: break
        }
        return true
    }
}

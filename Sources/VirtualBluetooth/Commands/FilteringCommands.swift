import BluetoothHCI
import BluetoothModel

extension Command {
    /// The filter accept list (Core 6.0, Vol 4, Part E, 7.8.14 to 7.8.17).
    static let filtering: [Command] = [
        .complete(.leReadAcceptListSize, 0, returns: 1) { controller, _ in
            .values { $0.uint8(controller.configuration.acceptListSize) }
        },
        .complete(.leClearAcceptList, 0) { controller, _ in
            guard !controller.isUsingAcceptList else { return .complete(.commandDisallowed) }
            controller.settings.acceptList.removeAll()
            return .complete(.success)
        },
        .complete(.leAddDeviceToAcceptList, 7) { controller, reader in
            guard let entry = Command.acceptListEntry(&reader) else { return nil }
            guard !controller.isUsingAcceptList else { return .complete(.commandDisallowed) }
            let isIn = controller.settings.acceptList.insert(entry)
            return .complete(isIn ? .success : .memoryCapacityExceeded)
        },
        .complete(.leRemoveDeviceFromAcceptList, 7) { controller, reader in
            guard let entry = Command.acceptListEntry(&reader) else { return nil }
            guard !controller.isUsingAcceptList else { return .complete(.commandDisallowed) }
            controller.settings.acceptList.remove(entry)
            return .complete(.success)
        },
    ]

    /// Reads a device address; the inner nil stands for all anonymous advertisers. Returns nil if invalid.
    private static func acceptListEntry(_ reader: inout ByteReader) -> BluetoothAddress?? {
        guard let kind = reader.uint8(), let bytes = reader.bytes(6) else { return nil }
        switch kind {
        case 0: return BluetoothAddress(littleEndian: bytes, kind: .public)
        case 1: return BluetoothAddress(littleEndian: bytes, kind: .random)
        case 0xFF: return .some(nil)
        default: return nil
        }
    }
}

extension VirtualController {
    /// True while the accept list is in use and must not change.
    fileprivate var isUsingAcceptList: Bool {
        if scanner.isEnabled, scanner.parameters.usesAcceptList { return true }
        if let initiation, initiation.peer == nil { return true }
        return (sets + [legacySet]).contains { $0.isEnabled && $0.parameters.filterPolicy != [] }
    }
}

import BluetoothHCI
import BluetoothModel

extension Command {
    /// The filter accept list and the resolving list (Core 6.0, Vol 4, Part E, 7.8.14 to 7.8.17, 7.8.38 to 7.8.45).
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
        .complete(.leAddDeviceToResolvingList, 39) { controller, reader in
            guard let peer = Command.identity(&reader), let key = reader.bytes(16), let own = reader.bytes(16) else {
                return nil
            }
            guard !controller.isResolving else { return .complete(.commandDisallowed) }
            let entry = ResolvingList.Entry(peer: peer, peerKey: key.array, localKey: own.array)
            switch controller.settings.resolvingList.insert(entry) {
            case nil: return .complete(.success)
            case .known: return nil
            case .full: return .complete(.memoryCapacityExceeded)
            }
        },
        .complete(.leRemoveDeviceFromResolvingList, 7) { controller, reader in
            guard let peer = Command.identity(&reader) else { return nil }
            guard !controller.isResolving else { return .complete(.commandDisallowed) }
            let wasIn = controller.settings.resolvingList.remove(peer)
            return .complete(wasIn ? .success : .unknownConnection)
        },
        .complete(.leClearResolvingList, 0) { controller, _ in
            guard !controller.isResolving else { return .complete(.commandDisallowed) }
            controller.settings.resolvingList.removeAll()
            return .complete(.success)
        },
        .complete(.leReadResolvingListSize, 0, returns: 1) { controller, _ in
            .values { $0.uint8(controller.configuration.resolvingListSize) }
        },
        .complete(.leReadPeerResolvableAddress, 7, returns: 6) { $0.readPrivateAddress(&$1) },
        .complete(.leReadLocalResolvableAddress, 7, returns: 6) { $0.readPrivateAddress(&$1) },
        .complete(.leSetAddressResolutionEnable, 1) { controller, reader in
            guard let isOn = reader.bool() else { return nil }
            guard !controller.isBusyOnAir else { return .complete(.commandDisallowed) }
            controller.settings.resolvingList.isResolving = isOn
            return .complete(.success)
        },
        .complete(.leSetResolvablePrivateAddressTimeout, 2) { controller, reader in
            guard let seconds = reader.uint16(), (1...0x0E10).contains(seconds) else { return nil }
            controller.settings.resolvingList.timeout = seconds
            return .complete(.success)
        },
        .complete(.leSetPrivacyMode, 8) { controller, reader in
            guard let peer = Command.identity(&reader), let usesDevicePrivacy = reader.bool() else { return nil }
            guard !controller.isResolving else { return .complete(.commandDisallowed) }
            let wasIn = controller.settings.resolvingList.setDevicePrivacy(usesDevicePrivacy, for: peer)
            return .complete(wasIn ? .success : .unknownConnection)
        },
    ]

    /// A device, or nil inside for all anonymous ones.
    private static func acceptListEntry(_ reader: inout ByteReader) -> BluetoothAddress?? {
        guard let kind = reader.uint8(), let bytes = reader.bytes(6) else { return nil }
        switch kind {
        case 0: return BluetoothAddress(littleEndian: bytes, kind: .public)
        case 1: return BluetoothAddress(littleEndian: bytes, kind: .random)
        case 0xFF: return .some(nil)
        default: return nil
        }
    }

    private static func identity(_ reader: inout ByteReader) -> BluetoothAddress? {
        guard let kind = reader.rest.isEmpty ? nil : reader.rest[0], kind <= 1 else { return nil }
        return reader.addressWithKind()
    }
}

extension VirtualController {
    /// Whether something runs that the accept list decides about, so that it must not change.
    fileprivate var isUsingAcceptList: Bool {
        if scanner.isEnabled, scanner.parameters.usesAcceptList { return true }
        if let initiation, initiation.peer == nil { return true }
        return (sets + [legacySet]).contains { $0.isEnabled && $0.parameters.filterPolicy != [] }
    }

    fileprivate var isBusyOnAir: Bool {
        scanner.isEnabled || initiation != nil || (sets + [legacySet]).contains(where: \.isEnabled)
    }

    /// Whether the resolving list is in use, so that it must not change.
    fileprivate var isResolving: Bool { settings.resolvingList.isResolving && isBusyOnAir }

    /// The controller makes and sees no resolvable private addresses of its own: zeros stand for none.
    fileprivate func readPrivateAddress(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let kind = reader.uint8(), kind <= 1, let bytes = reader.bytes(6),
            let peer = BluetoothAddress(littleEndian: bytes, kind: kind == 0 ? .public : .random)
        else { return nil }
        guard settings.resolvingList.contains(peer) else { return .complete(.unknownConnection) }
        return .values { $0.zeros(6) }
    }
}

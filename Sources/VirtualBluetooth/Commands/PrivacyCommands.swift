import BluetoothHCI
import BluetoothModel

extension Command {
    /// The resolving list and private addresses (Core 6.0, Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
    static let privacy: [Command] = [
        .complete(.leAddDeviceToResolvingList, 39, features: .privacy) { controller, reader in
            guard let peer = Command.identity(&reader), let key = reader.bytes(16), let own = reader.bytes(16) else {
                return nil
            }
            guard !controller.isUsingResolvingList else { return .complete(.commandDisallowed) }
            let entry = ControllerResolvingList.Entry(peer: peer, peerKey: key.array, localKey: own.array)
            switch controller.resolvingList.insert(entry) {
            case nil: return .complete(.success)
            case .known: return nil
            case .full: return .complete(.memoryCapacityExceeded)
            }
        },
        .complete(.leRemoveDeviceFromResolvingList, 7, features: .privacy) { controller, reader in
            guard let peer = Command.identity(&reader) else { return nil }
            guard !controller.isUsingResolvingList else { return .complete(.commandDisallowed) }
            let wasIn = controller.resolvingList.remove(peer)
            return .complete(wasIn ? .success : .unknownConnection)
        },
        .complete(.leClearResolvingList, 0, features: .privacy) { controller, _ in
            guard !controller.isUsingResolvingList else { return .complete(.commandDisallowed) }
            controller.resolvingList.removeAll()
            return .complete(.success)
        },
        .complete(.leReadResolvingListSize, 0, returns: 1, features: .privacy) { controller, _ in
            .values { $0.uint8(controller.configuration.resolvingListSize) }
        },
        // Both return 0x02 also if the peer is in the list but has no private address yet.
        .complete(.leReadPeerResolvableAddress, 7, returns: 6, features: .privacy) { controller, reader in
            guard let peer = Command.identity(&reader) else { return nil }
            guard let address = controller.resolvingList.entry(for: peer)?.seenAddress else {
                return .complete(.unknownConnection)
            }
            return .values { $0.address(address) }
        },
        .complete(.leReadLocalResolvableAddress, 7, returns: 6, features: .privacy) { controller, reader in
            guard let peer = Command.identity(&reader) else { return nil }
            guard let address = controller.privateAddress(2, towards: peer) else {
                return .complete(.unknownConnection)
            }
            return .values { $0.address(address) }
        },
        .complete(.leSetAddressResolutionEnable, 1, features: .privacy) { controller, reader in
            guard let isOn = reader.bool() else { return nil }
            guard !controller.isBusyOnAir else { return .complete(.commandDisallowed) }
            controller.resolvingList.isResolving = isOn
            return .complete(.success)
        },
        .complete(.leSetResolvablePrivateAddressTimeout, 2, features: .privacy) { controller, reader in
            guard let seconds = reader.uint16(), (1...0x0E10).contains(seconds) else { return nil }
            controller.resolvingList.timeout = seconds
            return .complete(.success)
        },
        .complete(.leSetPrivacyMode, 8, features: .privacy) { controller, reader in
            guard let peer = Command.identity(&reader), let usesDevicePrivacy = reader.bool() else { return nil }
            guard !controller.isUsingResolvingList else { return .complete(.commandDisallowed) }
            guard let entry = controller.resolvingList.entry(for: peer) else {
                return .complete(.unknownConnection)
            }
            entry.usesDevicePrivacy = usesDevicePrivacy
            return .complete(.success)
        },
    ]

    private static func identity(_ reader: inout ByteReader) -> BluetoothAddress? {
        guard let kind = reader.rest.isEmpty ? nil : reader.rest[0], kind <= 1 else { return nil }
        return reader.addressWithKind()
    }
}

extension VirtualController {
    fileprivate var isBusyOnAir: Bool {
        scanner.isEnabled || initiation != nil || (sets + [legacySet]).contains(where: \.isEnabled)
    }

    /// True while the resolving list is in use and must not change.
    fileprivate var isUsingResolvingList: Bool { resolvingList.isResolving && isBusyOnAir }
}

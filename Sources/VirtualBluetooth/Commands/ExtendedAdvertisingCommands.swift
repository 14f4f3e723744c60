import BluetoothHCI
import BluetoothModel

extension Command {
    /// Advertising sets (Core 6.0, Vol 4, Part E, 7.8.52 to 7.8.60).
    static let extendedAdvertising: [Command] = [
        .complete(.leSetAdvertisingSetRandomAddress, 7, features: .extendedAdvertising, family: .extended) {
            $0.setRandomAddressOfSet(&$1)
        },
        .complete(
            .leSetExtendedAdvertisingParameters, 25, returns: 1, features: .extendedAdvertising, family: .extended
        ) { $0.setParametersOfSet(&$1) },
        .complete(
            .leSetExtendedAdvertisingData, lengths: 4...255, features: .extendedAdvertising, family: .extended
        ) { $0.setContentOfSet(&$1, isResponse: false) },
        .complete(
            .leSetExtendedScanResponseData, lengths: 4...255, features: .extendedAdvertising, family: .extended
        ) { $0.setContentOfSet(&$1, isResponse: true) },
        .complete(
            .leSetExtendedAdvertisingEnable, lengths: 2...255, features: .extendedAdvertising, family: .extended
        ) { $0.enableSets(&$1) },
        // These two only read, and hosts use them to detect support, so they do not select a command family.
        .complete(.leReadMaximumAdvertisingDataLength, 0, returns: 2, features: .extendedAdvertising) { controller, _ in
            .values { $0.uint16(UInt16(controller.configuration.advertisingDataLength)) }
        },
        .complete(.leReadNumberOfSupportedAdvertisingSets, 0, returns: 1, features: .extendedAdvertising) {
            controller, _ in
            .values { $0.uint8(UInt8(controller.configuration.advertisingSetCount)) }
        },
        .complete(.leRemoveAdvertisingSet, 1, features: .extendedAdvertising, family: .extended) { controller, reader in
            guard let handle = reader.uint8(), handle <= 0xEF else { return nil }
            guard let set = controller.set(handle) else { return .complete(.unknownAdvertisingIdentifier) }
            guard !set.isEnabled else { return .complete(.commandDisallowed) }
            controller.sets.removeAll { $0 === set }
            return .complete(.success)
        },
        .complete(.leClearAdvertisingSets, 0, features: .extendedAdvertising, family: .extended) { controller, _ in
            guard !controller.sets.contains(where: \.isEnabled) else { return .complete(.commandDisallowed) }
            controller.sets = []
            return .complete(.success)
        },
    ]
}

extension VirtualController {
    fileprivate func set(_ handle: UInt8) -> ControllerAdvertisingSet? { sets.first { $0.handle == handle } }

    fileprivate func setRandomAddressOfSet(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let handle = reader.uint8(), handle <= 0xEF, let bytes = reader.bytes(6),
            let address = BluetoothAddress(littleEndian: bytes, kind: .random)
        else { return nil }
        guard let set = set(handle) else { return .complete(.unknownAdvertisingIdentifier) }
        guard !set.isEnabled || !set.isConnectable else { return .complete(.commandDisallowed) }
        set.randomAddress = address
        if set.isEnabled, set.parameters.usesRandomAddress { set.addressChanged() }
        return .complete(.success)
    }

    fileprivate func setParametersOfSet(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let handle = reader.uint8(), handle <= 0xEF,
            let reading = ControllerAdvertisingParameters.extended(&reader, configuration: configuration)
        else { return nil }
        guard case .valid(let parameters) = reading else {
            guard case .refused(let status) = reading else { return nil }
            return .complete(status)
        }
        guard allows(ownAddressType: parameters.ownAddressType) else { return .complete(.unsupportedFeature) }
        if let set = set(handle) {
            guard !set.isEnabled else { return .complete(.commandDisallowed) }
            guard Self.fits(set, parameters) else { return nil }
            set.parameters = parameters
        } else {
            guard sets.count < configuration.advertisingSetCount else { return .complete(.memoryCapacityExceeded) }
            let index = sets.firstIndex { $0.handle ?? 0 > handle } ?? sets.count
            sets.insert(ControllerAdvertisingSet(controller: self, handle: handle, parameters: parameters), at: index)
        }
        return .values { $0.int8(parameters.txPower) }
    }

    /// Returns true if the content of the set can be sent with the new parameters.
    private static func fits(_ set: ControllerAdvertisingSet, _ parameters: ControllerAdvertisingParameters) -> Bool {
        let properties = parameters.properties
        let limit = properties.contains(.legacy) ? 31 : Int.max
        let data = set.data.bytes.count
        let response = set.scanResponse.bytes.count
        return data <= (properties.takesData ? limit : 0) && response <= (properties.takesScanResponse ? limit : 0)
    }

    fileprivate func setContentOfSet(_ reader: inout ByteReader, isResponse: Bool) -> CommandAnswer? {
        guard let handle = reader.uint8(), handle <= 0xEF,
            let operation = reader.uint8().flatMap(AdvertisingContent.Operation.init(rawValue:)),
            let preference = reader.uint8(), preference <= 1, let length = reader.uint8(), length <= 251,
            let bytes = reader.bytes(Int(length)), reader.isAtEnd
        else { return nil }
        guard let set = set(handle) else { return .complete(.unknownAdvertisingIdentifier) }
        let properties = set.parameters.properties
        // A scan response has no "unchanged" operation. A set accepts content only if its advertising type sends it;
        // empty content is always accepted.
        if isResponse, operation == .unchanged { return nil }
        guard (isResponse ? properties.takesScanResponse : properties.takesData) || bytes.isEmpty else { return nil }
        if isResponse, set.isEnabled, !set.isLegacy, bytes.isEmpty { return .complete(.commandDisallowed) }
        if !isResponse, operation == .unchanged {
            guard set.isEnabled, !set.isLegacy, !set.data.bytes.isEmpty, bytes.isEmpty else { return nil }
            set.renewDataID()
            return .complete(.success)
        }
        var content = isResponse ? set.scanResponse : set.data
        let status = content.apply(
            operation, bytes, limit: configuration.advertisingDataLength, isLegacy: set.isLegacy,
            isEnabled: set.isEnabled)
        if status == .success, set.isEnabled, !isResponse, Self.isTooLong(content, properties) {
            return .complete(.packetTooLong)
        }
        // Fragments that exceed the limit discard the content; any other refusal leaves the set unchanged.
        if status == .success || status == .memoryCapacityExceeded && operation.continues {
            if isResponse { set.scanResponse = content } else { set.data = content }
        }
        return .complete(status)
    }

    /// Connectable advertising data must fit in one packet beside its header: address, set identifier and TX power.
    private static func isTooLong(_ data: AdvertisingContent, _ properties: AdvertisingProperties) -> Bool {
        guard properties.contains(.connectable), !properties.contains(.legacy) else { return false }
        return data.bytes.count > 254 - 9 - (properties.contains(.includesTxPower) ? 1 : 0)
            - (properties.contains(.directed) ? 6 : 0)
    }

    fileprivate func enableSets(_ reader: inout ByteReader) -> CommandAnswer? {
        struct Wish {
            var set: ControllerAdvertisingSet
            var address: BluetoothAddress
            var duration: Duration?
            var eventLimit: UInt8
        }
        guard let isOn = reader.bool(), let count = reader.uint8(), reader.count == 4 * Int(count),
            count > 0 || !isOn
        else { return nil }
        if !isOn, count == 0 {
            for set in sets { set.disable() }
            return .complete(.success)
        }
        var wishes: [Wish] = []
        // All or none: every set is checked before the first one changes.
        for _ in 0..<count {
            guard let handle = reader.uint8(), handle <= 0xEF, let duration = reader.uint16(),
                let limit = reader.uint8()
            else { return nil }
            guard !wishes.contains(where: { $0.set.handle == handle }) else { return nil }
            guard let set = set(handle) else { return .complete(.unknownAdvertisingIdentifier) }
            let address = set.ownAddress
            if isOn {
                let properties = set.parameters.properties
                guard set.data.isComplete, set.scanResponse.isComplete else { return .complete(.commandDisallowed) }
                if properties.contains(.scannable), !set.isLegacy, set.scanResponse.bytes.isEmpty {
                    return .complete(.commandDisallowed)
                }
                guard !Self.isTooLong(set.data, properties) else { return .complete(.packetTooLong) }
                guard address != nil else { return nil }
                if properties.contains(.highDutyCycle) { guard (1...128).contains(duration) else { return nil } }
            }
            wishes.append(
                Wish(
                    set: set, address: address ?? publicAddress,
                    duration: duration == 0 ? nil : .milliseconds(10 * Int64(duration)), eventLimit: limit))
        }
        for wish in wishes {
            guard isOn else {
                wish.set.disable()
                continue
            }
            wish.set.enable(address: wish.address, duration: wish.duration, eventLimit: wish.eventLimit)
        }
        return .complete(.success)
    }
}

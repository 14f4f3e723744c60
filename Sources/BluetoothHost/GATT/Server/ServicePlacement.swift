import BluetoothModel

/// Converts the definition of a service into attributes with handles.
struct ServicePlacement {
    private let table: AttributeTable
    private var next: Int
    private(set) var group: [Attribute] = []
    /// The index of the characteristic and of the descriptor that are being placed, for error reports.
    private(set) var characteristic: Int?
    private(set) var descriptor: Int?
    /// Include declarations of services that may not be placed yet.
    private(set) var openIncludes: [(declaration: Attribute, member: Int)] = []

    init(_ table: AttributeTable) {
        self.table = table
        next = table.nextHandle
    }

    /// Lays out a service. Requested handles must be ascending; other attributes follow the previous one.
    /// - Throws: ``RadioError/invalidArgument(_:)`` if a requested handle collides or an included service is missing;
    ///   ``RadioError/limit(_:)`` if no handle is left.
    mutating func place(_ service: GATTServiceDefinition) throws(RadioError) -> GATTPlacedService {
        if let handle = service.handle { next = Int(handle) }
        let declaration = try add(
            service.isPrimary ? GATTType.primaryService : GATTType.secondaryService,
            .declaration(Self.bytes { service.uuid.write(to: &$0) }), at: service.handle)
        for handle in service.includes {
            guard let value = Self.includeValue(handle, in: table) else {
                throw .invalidArgument("there is no service to include at handle \(handle)")
            }
            _ = try add(GATTType.include, .declaration(value), at: nil)
        }
        for member in service.includedMembers {
            _ = try add(GATTType.include, .declaration([]), at: nil)
            if let declaration = group.last { openIncludes.append((declaration, member)) }
        }
        var characteristics: [GATTPlacedCharacteristic] = []
        for (index, definition) in service.characteristics.enumerated() {
            characteristic = index
            characteristics.append(try place(definition))
            descriptor = nil
        }
        characteristic = nil
        let last = max(group.last?.handle ?? declaration, service.endHandle ?? declaration)
        return GATTPlacedService(range: declaration...last, characteristics: characteristics)
    }

    /// Returns the value of an include declaration (Core 6.0, Vol 3, Part G, 3.2); nil if no service begins at
    /// `handle`.
    static func includeValue(_ handle: UInt16, in table: AttributeTable) -> [UInt8]? {
        guard let service = table[handle], case .declaration(let uuid) = service.value, service.isServiceDeclaration
        else { return nil }
        return bytes { writer in
            writer.append(handle...service.groupEnd)
            if uuid.count == 2 { writer.append(uuid) }
        }
    }

    private mutating func place(
        _ characteristic: GATTCharacteristicDefinition
    ) throws(RadioError) -> GATTPlacedCharacteristic {
        if let handle = characteristic.handle, handle < 2 {
            throw .invalidArgument("handle \(handle) has no free handle before it for the declaration")
        }
        let valueHandle = characteristic.handle.map(Int.init) ?? next + 1
        let value = Self.bytes { writer in
            writer.uint8(UInt8(truncatingIfNeeded: characteristic.properties.rawValue))
            writer.uint16(UInt16(truncatingIfNeeded: valueHandle))
            characteristic.uuid.write(to: &writer)
        }
        let declaration = try add(
            GATTType.characteristic, .declaration(value), at: characteristic.handle.map { $0 - 1 })
        let valueAttribute = try add(
            characteristic.uuid, Self.value(characteristic.value, of: characteristic.uuid), at: nil,
            characteristic.permissions, characteristic.properties, minimumKeySize: characteristic.minimumKeySize)
        group.last?.allowsReliableWrites = Self.allowsReliableWrites(characteristic)
        var placed = GATTPlacedCharacteristic(
            declarationHandle: declaration, valueHandle: valueAttribute, configurationHandle: nil,
            descriptorHandles: [])
        let offered = GATTSubscription(offeredBy: characteristic.properties)
        let configuration = Attribute.Value.clientConfiguration(of: valueAttribute, offered: offered)
        let hasOwn = characteristic.descriptors.contains { $0.uuid == GATTType.clientConfiguration }
        let isWanted =
            switch characteristic.configuration {
            case .automatic: !offered.isEmpty
            case .present: true
            case .absent: false
            }
        if isWanted, !hasOwn {
            placed.configurationHandle = try add(
                GATTType.clientConfiguration, configuration, at: nil,
                Self.configurationPermissions(characteristic.properties))
        }
        for (index, descriptor) in characteristic.descriptors.enumerated() {
            self.descriptor = index
            let isConfiguration = descriptor.uuid == GATTType.clientConfiguration
            let handle = try add(
                descriptor.uuid, isConfiguration ? configuration : Self.value(descriptor.value, of: descriptor.uuid),
                at: descriptor.handle,
                isConfiguration ? Self.configurationPermissions(characteristic.properties) : descriptor.permissions,
                minimumKeySize: descriptor.minimumKeySize)
            placed.descriptorHandles.append(handle)
            if isConfiguration { placed.configurationHandle = handle }
        }
        return placed
    }

    private mutating func add(
        _ type: BluetoothUUID, _ value: Attribute.Value, at asked: UInt16?,
        _ permissions: AttributePermissions = .readable, _ properties: CharacteristicProperties? = nil,
        minimumKeySize: UInt8 = 0
    ) throws(RadioError) -> UInt16 {
        if let asked {
            guard Int(asked) >= next else {
                throw .invalidArgument(
                    "handle \(asked) must be above \(next - 1), the handle of the attribute before it")
            }
            next = Int(asked)
        }
        guard next >= 1 else { throw .invalidArgument("attribute handles begin at 1") }
        guard next <= 0xFFFF else { throw .limit("all 65,535 attribute handles are in use") }
        let handle = UInt16(next)
        next += 1
        group.append(
            Attribute(
                handle: handle, type: type, value: value, permissions: permissions, properties: properties,
                minimumKeySize: minimumKeySize))
        return handle
    }

    /// Returns the source of a value. The server itself generates Client Supported Features and Database Hash.
    private static func value(_ source: GATTValueSource, of uuid: BluetoothUUID) -> Attribute.Value {
        switch uuid {
        case GATTType.clientFeatures: .clientFeatures
        case GATTType.databaseHash: .databaseHash
        default:
            switch source {
            case .kept(let bytes): .kept(bytes)
            case .dynamic: .dynamic
            }
        }
    }

    /// Returns true if the Extended Properties permit reliable writes (Core 6.0, Vol 3, Part G, 3.3.3.1).
    private static func allowsReliableWrites(_ characteristic: GATTCharacteristicDefinition) -> Bool {
        guard characteristic.properties.contains(.extendedProperties),
            case .kept(let bits)? = characteristic.descriptors.first(where: { $0.uuid == GATTType.extendedProperties })?
                .value
        else { return false }
        return (bits.first ?? 0) & 1 != 0
    }

    private static func configurationPermissions(_ properties: CharacteristicProperties) -> AttributePermissions {
        let demand: CharacteristicProperties = [.notifyEncryptionRequired, .indicateEncryptionRequired]
        return properties.isDisjoint(with: demand)
            ? [.readable, .writeable] : [.readable, .writeable, .writeEncryptionRequired]
    }

    private static func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter(capacity: 20)
        write(&writer)
        return writer.bytes
    }
}

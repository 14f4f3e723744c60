import BluetoothModel

extension GATTCacheEntry {
    private static let version: UInt8 = 2

    /// The binary encoding of the entry for files: a version octet, then length-prefixed lists, little-endian.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 1024)
        writer.uint8(Self.version)
        writer.uint8(UInt8(clamping: hash?.count ?? 0))
        writer.append((hash ?? []).prefix(255))
        writer.uint8(services == nil ? 0 : 1)
        if let services { writer.append(list: services) { $0.append($1) } }
        func append<Element>(_ table: [UInt16: [Element]], _ body: (inout ByteWriter, Element) -> Void) {
            writer.uint16(UInt16(clamping: table.count))
            for key in table.keys.sorted() {
                writer.uint16(key)
                writer.append(list: table[key] ?? [], body)
            }
        }
        append(includedServices) {
            $0.uint16($1.handle)
            $0.append($1.service)
        }
        append(characteristics) { $0.append($1) }
        append(descriptors) {
            $0.uint16($1.handle)
            $1.uuid.write128(to: &$0)
        }
        writer.uint8(secondaryServices == nil ? 0 : 1)
        if let secondaryServices { writer.append(list: secondaryServices) { $0.append($1) } }
        writer.uint32(UInt32(clamping: problemCount))
        writer.append(list: problems) {
            $0.uint8($1.kind.rawValue)
            $0.uint16($1.handle)
            $0.uint8($1.reason.rawValue)
        }
        return writer.bytes
    }

    /// Decodes the output of ``encoded``; nil for other data, and for attributes outside the range of their parents.
    package init?(encoded view: ByteView) {
        var reader = ByteReader(view)
        guard reader.uint8() == Self.version, let hashLength = reader.uint8(),
            let hash = reader.bytes(Int(hashLength)), let hasServices = reader.uint8()
        else { return nil }
        self.init(hash: hash.isEmpty ? nil : hash.array)
        if hasServices == 1 {
            guard let services = reader.list({ $0.service() }) else { return nil }
            self.services = services
        }
        guard
            let includedServices = reader.table({ reader -> GATTIncludedService? in
                guard let handle = reader.uint16(), let service = reader.service() else { return nil }
                return GATTIncludedService(handle: handle, service: service)
            }), let characteristics = reader.table({ $0.characteristic() }),
            let descriptors = reader.table({ reader -> GATTDescriptor? in
                guard let handle = reader.uint16(), let uuid = reader.uuid128() else { return nil }
                return GATTDescriptor(uuid: uuid, handle: handle)
            }), let hasSecondary = reader.uint8()
        else { return nil }
        self.includedServices = includedServices
        self.characteristics = characteristics
        self.descriptors = descriptors
        if hasSecondary == 1 {
            guard let services = reader.list({ $0.service() }) else { return nil }
            secondaryServices = services
        }
        guard let count = reader.uint32(), let problems = reader.list({ $0.problem() }), reader.isAtEnd, isConsistent
        else { return nil }
        setProblems(problems, count: Int(count))
    }

    /// True if services do not overlap and all attributes lie inside the range of their parents.
    private var isConsistent: Bool {
        let all = (services ?? []) + (secondaryServices ?? [])
        for list in [services ?? [], secondaryServices ?? []] {
            guard zip(list, list.dropFirst()).allSatisfy({ $0.range.upperBound < $1.range.lowerBound }) else {
                return false
            }
        }
        for (handle, characteristics) in characteristics {
            var last = handle
            for characteristic in characteristics {
                guard characteristic.declarationHandle > last else { return false }
                last = characteristic.endHandle
            }
            if let service = all.first(where: { $0.handle == handle }), last > service.range.upperBound { return false }
        }
        return descriptors.allSatisfy { value, descriptors in
            zip([value] + descriptors.map(\.handle), descriptors.map(\.handle)).allSatisfy { $0 < $1 }
        }
    }
}

extension ByteWriter {
    fileprivate mutating func append<Element>(
        list: [Element], _ body: (inout ByteWriter, Element) -> Void
    ) {
        uint16(UInt16(clamping: list.count))
        for element in list.prefix(Int(UInt16.max)) { body(&self, element) }
    }

    fileprivate mutating func append(_ service: GATTService) {
        append(service.range)
        uint8(service.isPrimary ? 1 : 0)
        service.uuid.write128(to: &self)
    }

    fileprivate mutating func append(_ characteristic: GATTCharacteristic) {
        uint16(characteristic.declarationHandle)
        uint16(characteristic.valueHandle)
        uint16(characteristic.endHandle)
        uint16(characteristic.properties.rawValue)
        characteristic.uuid.write128(to: &self)
    }
}

extension ByteReader {
    fileprivate mutating func list<Element>(_ element: (inout ByteReader) -> Element?) -> [Element]? {
        guard let count = uint16() else { return nil }
        var elements: [Element] = []
        for _ in 0..<count {
            guard let next = element(&self) else { return nil }
            elements.append(next)
        }
        return elements
    }

    fileprivate mutating func table<Element>(
        _ element: (inout ByteReader) -> Element?
    ) -> [UInt16: [Element]]? {
        guard let count = uint16() else { return nil }
        var table: [UInt16: [Element]] = [:]
        for _ in 0..<count {
            guard let key = uint16(), let elements = list(element) else { return nil }
            table[key] = elements
        }
        return table
    }

    fileprivate mutating func uuid128() -> BluetoothUUID? { bytes(16).flatMap(BluetoothUUID.init(littleEndian:)) }

    fileprivate mutating func service() -> GATTService? {
        guard let first = uint16(), let last = uint16(), first <= last, let primary = uint8(), let uuid = uuid128()
        else { return nil }
        return GATTService(uuid: uuid, range: first...last, isPrimary: primary == 1)
    }

    fileprivate mutating func problem() -> GATTDiscoveryProblem? {
        guard let kind = uint8().flatMap(GATTDiscoveryProblem.Kind.init), let handle = uint16(),
            let reason = uint8().flatMap(GATTDiscoveryProblem.Reason.init)
        else { return nil }
        return GATTDiscoveryProblem(kind, at: handle, reason)
    }

    fileprivate mutating func characteristic() -> GATTCharacteristic? {
        guard let declaration = uint16(), let value = uint16(), let end = uint16(), declaration < value, value <= end,
            let properties = uint16(), let uuid = uuid128()
        else { return nil }
        return GATTCharacteristic(
            uuid: uuid, declarationHandle: declaration, valueHandle: value, endHandle: end,
            properties: CharacteristicProperties(rawValue: properties))
    }
}

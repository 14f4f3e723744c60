import BluetoothModel

/// The attributes of a server, in the order of their handles.
struct AttributeTable {
    private(set) var attributes: [Attribute] = []
    private(set) var services: [ClosedRange<UInt16>] = []

    /// Returns the attribute with a handle.
    subscript(handle: UInt16) -> Attribute? {
        // Fast path: most tables have no gaps, so the index follows from the handle.
        if let first = attributes.first {
            let guess = Int(handle) - Int(first.handle)
            if attributes.indices.contains(guess), attributes[guess].handle == handle { return attributes[guess] }
        }
        let index = firstIndex(from: handle)
        guard index < attributes.count, attributes[index].handle == handle else { return nil }
        return attributes[index]
    }

    /// Returns the index of the first attribute with this handle or a higher one.
    func firstIndex(from handle: UInt16) -> Int {
        var low = 0, high = attributes.count
        while low < high {
            let middle = (low + high) / 2
            if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the attributes in a range of handles.
    func attributes(in range: ClosedRange<UInt16>) -> ArraySlice<Attribute> {
        let first = firstIndex(from: range.lowerBound)
        let end = range.upperBound == .max ? attributes.count : firstIndex(from: range.upperBound + 1)
        return attributes[first..<end]
    }

    /// The first handle after all services.
    private(set) var nextHandle = 1

    /// Inserts the attributes of one service in ascending order, the declaration first. The service ends at
    /// `endHandle`, or at its last attribute.
    /// - Throws: ``RadioError/invalidArgument(_:)`` if the service ends before its last attribute or overlaps another
    ///   one.
    mutating func insert(_ group: [Attribute], endHandle: UInt16? = nil) throws(RadioError) {
        guard let first = group.first, let last = group.last else { return }
        let end = endHandle ?? last.handle
        guard end >= last.handle else {
            throw .invalidArgument(
                "the service would end at handle \(end), before its last attribute at \(last.handle)")
        }
        let range = first.handle...end
        if let other = services.first(where: { $0.overlaps(range) }) {
            throw .invalidArgument(
                "handles \(range.lowerBound) to \(range.upperBound) overlap the service \(name(of: other)) at "
                    + "\(other.lowerBound) to \(other.upperBound)")
        }
        first.groupEnd = end
        nextHandle = max(nextHandle, Int(end) + 1)
        attributes.insert(contentsOf: group, at: firstIndex(from: first.handle))
        services.append(range)
    }

    private func name(of service: ClosedRange<UInt16>) -> String {
        guard case .declaration(let uuid)? = self[service.lowerBound]?.value else { return "" }
        return uuid.withByteView { BluetoothUUID(littleEndian: $0)?.description } ?? ""
    }

    /// Removes the service declared at a handle, and returns its range.
    mutating func removeService(at handle: UInt16) -> ClosedRange<UInt16>? {
        guard let index = services.firstIndex(where: { $0.lowerBound == handle }) else { return nil }
        let range = services.remove(at: index)
        attributes.removeAll { range.contains($0.handle) }
        nextHandle = services.reduce(1) { max($0, Int($1.upperBound) + 1) }
        return range
    }

    /// The input of the Database Hash (Core 6.0, Vol 3, Part G, 7.3.1).
    var hashInput: [UInt8] {
        var writer = ByteWriter(capacity: attributes.count * 12)
        for attribute in attributes {
            switch attribute.type {
            case GATTType.primaryService, GATTType.secondaryService, GATTType.include, GATTType.characteristic,
                GATTType.extendedProperties:
                writer.uint16(attribute.handle)
                attribute.type.write(to: &writer)
                switch attribute.value {
                case .declaration(let value), .kept(let value): writer.append(value)
                default: break
                }
            case GATTType.userDescription, GATTType.clientConfiguration, GATTType.serverConfiguration,
                GATTType.presentationFormat, GATTType.aggregateFormat:
                writer.uint16(attribute.handle)
                attribute.type.write(to: &writer)
            default: break
            }
        }
        return writer.bytes
    }
}

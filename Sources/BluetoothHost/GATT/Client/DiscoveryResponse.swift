import BluetoothModel

/// Parses discovery responses without trusting the server: lengths, order and ranges are checked (Core 6.0, Vol 3, Part
/// F, 3.4.3 and 3.4.4). Invalid entries are skipped; a response that cannot be split into entries is an error.
package enum DiscoveryResponse {
    /// The usable entries of one response.
    package struct Entries<Element> {
        /// The valid entries, in the order of their handles.
        package var found: [Element] = []
        /// The reasons for skipped entries.
        package var problems: [GATTDiscoveryProblem] = []
        /// The last handle that the response covers; 0 if it covers none of the requested handles.
        package var last: UInt16 = 0
    }

    /// An include declaration; `uuid` is nil for 128-bit UUIDs, which the declaration omits.
    package typealias Include = (handle: UInt16, range: ClosedRange<UInt16>, uuid: BluetoothUUID?)

    /// Parses a Read By Group Type Response: services with their ranges.
    /// - Throws: ``RadioError/invalidResponse(_:)`` if the response cannot be split into entries.
    package static func services(
        _ response: ByteView, asked: ClosedRange<UInt16>, isPrimary: Bool = true
    ) throws(RadioError) -> Entries<GATTService> {
        var groups = Groups<GATTService>(asked)
        try forEachEntry(response, lengths: [6, 20]) { (entry) throws(RadioError) in
            guard let uuid = BluetoothUUID(littleEndian: entry.dropFirst(4)) else {
                throw malformed("a service's UUID")
            }
            groups.add(entry) { GATTService(uuid: uuid, range: $0, isPrimary: isPrimary) }
        }
        return groups.entries
    }

    /// Parses a Find By Type Value Response: the ranges of services with the requested UUID.
    /// - Throws: ``RadioError/invalidResponse(_:)`` if the response cannot be split into entries.
    package static func ranges(
        _ response: ByteView, asked: ClosedRange<UInt16>
    ) throws(RadioError) -> Entries<ClosedRange<UInt16>> {
        guard !response.isEmpty, response.count % 4 == 0 else { throw malformed("a list of ranges") }
        var groups = Groups<ClosedRange<UInt16>>(asked)
        for offset in stride(from: 0, to: response.count, by: 4) { groups.add(response.dropFirst(offset)) { $0 } }
        return groups.entries
    }

    /// Parses a Read By Type Response for include declarations.
    /// - Throws: ``RadioError/invalidResponse(_:)`` if the response cannot be split into entries.
    package static func includes(_ response: ByteView, asked: ClosedRange<UInt16>) throws(RadioError) -> Entries<
        Include
    > {
        var attributes = Attributes<Include>(.includedService, asked)
        try forEachEntry(response, lengths: [6, 8]) { entry in
            guard let handle = attributes.next(entry.uint16(at: 0)) else { return }
            let first = entry.uint16(at: 2), last = entry.uint16(at: 4)
            guard first >= 1, first <= last else { return attributes.skip(handle, .emptyRange) }
            attributes.entries.found.append((handle, first...last, BluetoothUUID(littleEndian: entry.dropFirst(6))))
        }
        return attributes.entries
    }

    /// Parses a Read By Type Response for characteristic declarations. The end of each characteristic, and whether its
    /// value is inside it, is known only with the next one: see ``GATTClient/bounded(_:by:)``.
    /// - Throws: ``RadioError/invalidResponse(_:)`` if the response cannot be split into entries.
    package static func characteristics(
        _ response: ByteView, asked: ClosedRange<UInt16>
    ) throws(RadioError) -> Entries<GATTCharacteristic> {
        var attributes = Attributes<GATTCharacteristic>(.characteristic, asked)
        try forEachEntry(response, lengths: [7, 21]) { (entry) throws(RadioError) in
            guard let uuid = BluetoothUUID(littleEndian: entry.dropFirst(5)) else {
                throw malformed("a characteristic's UUID")
            }
            guard let declaration = attributes.next(entry.uint16(at: 0)) else { return }
            attributes.entries.found.append(
                GATTCharacteristic(
                    uuid: uuid, declarationHandle: declaration, valueHandle: entry.uint16(at: 3),
                    endHandle: asked.upperBound, properties: CharacteristicProperties(rawValue: UInt16(entry[2]))))
        }
        return attributes.entries
    }

    /// Parses a Find Information Response: attributes with their types.
    /// - Throws: ``RadioError/invalidResponse(_:)`` if the response cannot be split into entries.
    package static func descriptors(
        _ response: ByteView, asked: ClosedRange<UInt16>
    ) throws(RadioError) -> Entries<GATTDescriptor> {
        guard response.count > 1, let length = [1: 4, 2: 18][response[0]], (response.count - 1) % length == 0 else {
            throw malformed("a list of attribute types")
        }
        var attributes = Attributes<GATTDescriptor>(.descriptor, asked)
        for offset in stride(from: 1, to: response.count, by: length) {
            let entry = response.dropFirst(offset).prefix(length)
            guard let uuid = BluetoothUUID(littleEndian: entry.dropFirst(2)) else { throw malformed("a type") }
            guard let handle = attributes.next(entry.uint16(at: 0)) else { continue }
            attributes.entries.found.append(GATTDescriptor(uuid: uuid, handle: handle))
        }
        return attributes.entries
    }

    /// Parses a Read By Type Response: values with their handles.
    /// - Throws: ``RadioError/invalidResponse(_:)`` if the response cannot be split into entries, or a handle is out of
    ///   order or was not requested.
    package static func values(
        _ response: ByteView, asked: ClosedRange<UInt16>
    ) throws(RadioError) -> [(handle: UInt16, value: [UInt8])] {
        var attributes = Attributes<(handle: UInt16, value: [UInt8])>(.characteristic, asked)
        try forEachEntry(response, lengths: 2...255) { entry in
            guard let handle = attributes.next(entry.uint16(at: 0)) else { return }
            attributes.entries.found.append((handle, entry.dropFirst(2).array))
        }
        guard attributes.entries.problems.isEmpty else {
            throw malformed("attributes out of order or outside the requested range")
        }
        return attributes.entries.found
    }

    // MARK: Entries

    /// Attribute groups, which must be in ascending order without overlapping.
    private struct Groups<Element> {
        private(set) var entries = Entries<Element>()
        private let asked: ClosedRange<UInt16>

        init(_ asked: ClosedRange<UInt16>) { self.asked = asked }

        /// Adds the group whose first and last handle are the first four octets of `entry`.
        mutating func add(_ entry: ByteView, _ element: (ClosedRange<UInt16>) -> Element) {
            let first = entry.uint16(at: 0), last = entry.uint16(at: 2)
            let reason: GATTDiscoveryProblem.Reason
            if first == 0 || first > last {
                reason = .emptyRange
            } else if !asked.contains(first) {
                reason = .unexpectedHandle
            } else if first <= entries.last, !entries.found.isEmpty {
                reason = .overlappingServices
            } else {
                entries.found.append(element(first...last))
                entries.last = last
                return
            }
            entries.problems.append(GATTDiscoveryProblem(.service, at: first, reason))
            // If no group is valid so far, continue behind the first handle of the skipped group, so that later groups
            // are found.
            if entries.found.isEmpty, asked.contains(first) { entries.last = max(entries.last, first) }
        }
    }

    /// Attributes, which must be in ascending order of their handles.
    private struct Attributes<Element> {
        var entries = Entries<Element>()
        private let kind: GATTDiscoveryProblem.Kind
        private let asked: ClosedRange<UInt16>

        init(_ kind: GATTDiscoveryProblem.Kind, _ asked: ClosedRange<UInt16>) {
            self.kind = kind
            self.asked = asked
        }

        /// Returns the handle if it follows the previous one; otherwise skips the entry and returns nil.
        mutating func next(_ handle: UInt16) -> UInt16? {
            guard asked.contains(handle), handle > entries.last else {
                skip(handle, .unexpectedHandle)
                return nil
            }
            entries.last = handle
            return handle
        }

        mutating func skip(_ handle: UInt16, _ reason: GATTDiscoveryProblem.Reason) {
            entries.problems.append(GATTDiscoveryProblem(kind, at: handle, reason))
        }
    }

    /// Calls `body` for each entry of a list whose first octet is the length of all entries.
    private static func forEachEntry(
        _ response: ByteView, lengths: some Collection<Int>, _ body: (ByteView) throws(RadioError) -> Void
    ) throws(RadioError) {
        guard response.count > 1 else { throw malformed("an empty list") }
        let length = Int(response[0])
        guard lengths.contains(length) else { throw malformed("a list with entries of \(length) octets") }
        guard (response.count - 1) % length == 0 else { throw malformed("a list that ends in the middle of an entry") }
        for offset in stride(from: 1, to: response.count, by: length) {
            try body(response.dropFirst(offset).prefix(length))
        }
    }

    private static func malformed(_ what: String) -> RadioError {
        .invalidResponse("the discovery received a malformed response: \(what)")
    }
}

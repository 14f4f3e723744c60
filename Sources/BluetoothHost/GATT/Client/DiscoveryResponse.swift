import BluetoothModel

/// Parses what servers answer to discoveries, and trusts none of it: lengths, order and ranges are checked
/// (Core 6.0, Vol 3, Part F, 3.4.3 and 3.4.4).
enum DiscoveryResponse {
    /// Read By Group Type Response: services with their ranges.
    static func services(_ response: ByteView, asked: ClosedRange<UInt16>) throws(RadioError) -> [GATTService] {
        var services: [GATTService] = []
        var next = Int(asked.lowerBound)
        try forEachEntry(response, lengths: [6, 20]) { (entry) throws(RadioError) in
            let range = try groupRange(entry, from: next)
            guard let uuid = BluetoothUUID(littleEndian: entry.dropFirst(4)) else {
                throw malformed("a service's UUID")
            }
            services.append(GATTService(uuid: uuid, range: range))
            next = Int(range.upperBound) + 1
        }
        return services
    }

    /// Find By Type Value Response: ranges of services whose UUID was asked for.
    static func ranges(_ response: ByteView, asked: ClosedRange<UInt16>) throws(RadioError) -> [ClosedRange<UInt16>] {
        guard !response.isEmpty, response.count % 4 == 0 else { throw malformed("a list of ranges") }
        var ranges: [ClosedRange<UInt16>] = []
        var next = Int(asked.lowerBound)
        for offset in stride(from: 0, to: response.count, by: 4) {
            let range = try groupRange(response.dropFirst(offset), from: next)
            ranges.append(range)
            next = Int(range.upperBound) + 1
        }
        return ranges
    }

    /// Read By Type Response for include declarations; the UUID is missing where it has 128 bits.
    static func includes(
        _ response: ByteView, asked: ClosedRange<UInt16>
    ) throws(RadioError) -> [(handle: UInt16, range: ClosedRange<UInt16>, uuid: BluetoothUUID?)] {
        var includes: [(handle: UInt16, range: ClosedRange<UInt16>, uuid: BluetoothUUID?)] = []
        var next = asked.lowerBound
        try forEachEntry(response, lengths: [6, 8]) { (entry) throws(RadioError) in
            let handle = try attributeHandle(entry, from: next, in: asked)
            let range = try groupRange(entry.dropFirst(2), from: 1)
            includes.append((handle, range, BluetoothUUID(littleEndian: entry.dropFirst(6))))
            // A handle of 0xFFFF ends the range, and nothing can follow it.
            next = handle == .max ? .max : handle + 1
        }
        return includes
    }

    /// Read By Type Response for characteristic declarations; where each ends is known only with the next one.
    static func characteristics(
        _ response: ByteView, asked: ClosedRange<UInt16>
    ) throws(RadioError) -> [GATTCharacteristic] {
        var characteristics: [GATTCharacteristic] = []
        var next = asked.lowerBound
        try forEachEntry(response, lengths: [7, 21]) { (entry) throws(RadioError) in
            let declaration = try attributeHandle(entry, from: next, in: asked)
            let value = entry.uint16(at: 3)
            guard value > declaration, value <= asked.upperBound else {
                throw malformed("a characteristic's value is outside of its service, or before its declaration")
            }
            guard let uuid = BluetoothUUID(littleEndian: entry.dropFirst(5)) else {
                throw malformed("a characteristic's UUID")
            }
            characteristics.append(
                GATTCharacteristic(
                    uuid: uuid, declarationHandle: declaration, valueHandle: value, endHandle: asked.upperBound,
                    properties: CharacteristicProperties(rawValue: UInt16(entry[2]))))
            next = value == .max ? .max : value + 1
        }
        return characteristics
    }

    /// Find Information Response: attributes with their types.
    static func descriptors(_ response: ByteView, asked: ClosedRange<UInt16>) throws(RadioError) -> [GATTDescriptor] {
        guard response.count > 1, let length = [1: 4, 2: 18][response[0]], (response.count - 1) % length == 0 else {
            throw malformed("a list of attribute types")
        }
        var descriptors: [GATTDescriptor] = []
        var next = asked.lowerBound
        for offset in stride(from: 1, to: response.count, by: length) {
            let entry = response.dropFirst(offset).prefix(length)
            let handle = try attributeHandle(entry, from: next, in: asked)
            if let last = descriptors.last, handle <= last.handle { throw malformed("attributes out of order") }
            guard let uuid = BluetoothUUID(littleEndian: entry.dropFirst(2)) else { throw malformed("a type") }
            descriptors.append(GATTDescriptor(uuid: uuid, handle: handle))
            next = handle == .max ? .max : handle + 1
        }
        return descriptors
    }

    /// Read By Type Response: values with their handles.
    static func values(
        _ response: ByteView, asked: ClosedRange<UInt16>
    ) throws(RadioError) -> [(handle: UInt16, value: [UInt8])] {
        var values: [(handle: UInt16, value: [UInt8])] = []
        var next = asked.lowerBound
        try forEachEntry(response, lengths: 2...255) { (entry) throws(RadioError) in
            let handle = try attributeHandle(entry, from: next, in: asked)
            if let last = values.last, handle <= last.handle { throw malformed("attributes out of order") }
            values.append((handle, entry.dropFirst(2).array))
            next = handle == .max ? .max : handle + 1
        }
        return values
    }

    // MARK: Pieces

    /// Entries of one length, which stands before them.
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

    /// The first four octets as a range that does not begin before `first`.
    private static func groupRange(_ entry: ByteView, from first: Int) throws(RadioError) -> ClosedRange<UInt16> {
        let start = entry.uint16(at: 0), end = entry.uint16(at: 2)
        guard start <= end else { throw malformed("a service that ends before it starts") }
        guard Int(start) >= first else { throw malformed("services that overlap or go backwards") }
        return start...end
    }

    private static func attributeHandle(
        _ entry: ByteView, from first: UInt16, in asked: ClosedRange<UInt16>
    ) throws(RadioError) -> UInt16 {
        let handle = entry.uint16(at: 0)
        guard handle >= first, asked.contains(handle) else {
            throw malformed("attributes out of order or outside of what was asked for")
        }
        return handle
    }

    private static func malformed(_ what: String) -> RadioError { .invalidResponse("the discovery met \(what)") }
}

import BluetoothModel

/// An attribute of a ``RawServer``.
struct RawAttribute: Sendable {
    var handle: UInt16
    var type: BluetoothUUID
    var value: [UInt8]
    /// The code that refuses a read or a write; nil to permit it.
    var readRefusal: UInt8?
    var writeRefusal: UInt8? = 0x03
    var takesCommands = false
    var maximum = 512
}

/// A characteristic of a ``RawServer``.
struct RawCharacteristic: Sendable {
    var uuid: BluetoothUUID
    var properties: UInt8
    var value: [UInt8]
    /// The code that refuses reads and writes, such as Insufficient Authentication.
    var security: UInt8?
    var descriptors: [(BluetoothUUID, [UInt8])] = []
    /// True to add a Client Characteristic Configuration where the properties need one.
    var hasConfiguration = true
}

/// A service of a ``RawServer``.
struct RawService: Sendable {
    var uuid: BluetoothUUID
    var characteristics: [RawCharacteristic] = []
    var isPrimary = true
    /// Includes, by the index of the service.
    var includes: [Int] = []
}

func c(
    _ uuid: BluetoothUUID, _ properties: UInt8, _ value: [UInt8] = [1], security: UInt8? = nil,
    _ descriptors: [(BluetoothUUID, [UInt8])] = [], hasConfiguration: Bool = true
) -> RawCharacteristic {
    RawCharacteristic(
        uuid: uuid, properties: properties, value: value, security: security, descriptors: descriptors,
        hasConfiguration: hasConfiguration)
}

/// An attribute server that answers requests as the specification demands, from a table that a test may change. It
/// shares no code with the server of the library.
struct RawServer: Sendable {
    var attributes: [RawAttribute] = []
    /// The last handle of each service, by its first.
    var ends: [UInt16: UInt16] = [:]
    var mtu = 23
    var ownMTU = 247
    /// Prepared writes.
    var queue: [(handle: UInt16, offset: Int, part: [UInt8])] = []

    init(_ services: [RawService]) {
        var handle: UInt16 = 1
        var starts: [UInt16] = []
        // Includes need the handles of all services, so lengths are counted first.
        for service in services {
            starts.append(handle)
            handle += 1 + UInt16(service.includes.count)
            for item in service.characteristics {
                handle += 2 + UInt16(item.descriptors.count)
                if item.properties & 0x30 != 0, item.hasConfiguration { handle += 1 }
            }
        }
        let end = handle - 1
        for (index, service) in services.enumerated() {
            handle = starts[index]
            ends[handle] = index + 1 < starts.count ? starts[index + 1] - 1 : end
            add(&handle, service.isPrimary ? 0x2800 : 0x2801, bytes(service.uuid))
            for include in service.includes {
                let start = starts[include]
                let last = include + 1 < starts.count ? starts[include + 1] - 1 : end
                let uuid = services[include].uuid
                add(&handle, 0x2802, le(start) + le(last) + (uuid.shortValue == nil ? [] : bytes(uuid)))
            }
            for item in service.characteristics {
                add(&handle, 0x2803, [item.properties] + le(handle + 1) + bytes(item.uuid))
                add(&handle, item.uuid, item.value)
                let place = attributes.count - 1
                attributes[place].readRefusal = item.properties & 2 == 0 ? 0x02 : item.security
                attributes[place].writeRefusal = item.properties & 8 == 0 ? 0x03 : item.security
                attributes[place].takesCommands = item.properties & 4 != 0
                if item.properties & 0x30 != 0, item.hasConfiguration {
                    add(&handle, 0x2902, [0, 0])
                    attributes[attributes.count - 1].writeRefusal = nil
                    attributes[attributes.count - 1].maximum = 2
                }
                for (type, value) in item.descriptors { add(&handle, type, value) }
            }
        }
    }

    private mutating func add(_ handle: inout UInt16, _ type: BluetoothUUID, _ value: [UInt8]) {
        attributes.append(RawAttribute(handle: handle, type: type, value: value))
        handle += 1
    }

    func bytes(_ uuid: BluetoothUUID) -> [UInt8] {
        var writer = ByteWriter(capacity: 16)
        uuid.write(to: &writer)
        return writer.bytes
    }

    func index(_ handle: UInt16) -> Int? { attributes.firstIndex { $0.handle == handle } }
    /// The first attribute of a type.
    func first(_ type: BluetoothUUID) -> Int? { attributes.firstIndex { $0.type == type } }
    /// The handle of the first attribute of a type.
    func handle(_ type: BluetoothUUID) -> UInt16 { first(type).map { attributes[$0].handle } ?? 0 }
    /// The handle of the first configuration after the first attribute of a type.
    func configuration(of type: BluetoothUUID) -> UInt16 {
        attributes.first { $0.type == 0x2902 && $0.handle > handle(type) }?.handle ?? 0
    }

    /// Ends a link: the state of a client without a bond is discarded.
    mutating func reset() {
        mtu = 23
        queue = []
        for index in attributes.indices where attributes[index].type == 0x2902 || attributes[index].type == 0x2B29 {
            attributes[index].value = attributes[index].type == 0x2902 ? [0, 0] : [0]
        }
    }

    private func number(_ pdu: [UInt8], _ offset: Int) -> UInt16 { UInt16(pdu[offset]) | UInt16(pdu[offset + 1]) << 8 }

    private func uuid(_ bytes: ArraySlice<UInt8>) -> BluetoothUUID? {
        Array(bytes).withByteView { BluetoothUUID(littleEndian: $0) }
    }

    /// The answer to a packet; nil for one that is not answered.
    mutating func answer(_ pdu: [UInt8]) -> [UInt8]? {
        guard let opcode = pdu.first else { return nil }
        if opcode & 0x40 != 0 {
            if opcode == 0x52, pdu.count >= 3, let place = index(number(pdu, 1)), attributes[place].takesCommands {
                attributes[place].value = Array(pdu[3...])
            }
            return nil
        }
        func error(_ code: UInt8, _ handle: UInt16 = 0) -> [UInt8] { [0x01, opcode] + le(handle) + [code] }
        let lengths: [UInt8: [Int]] = [
            0x02: [3], 0x04: [5], 0x08: [7, 21], 0x10: [7, 21], 0x0A: [3], 0x0C: [5], 0x18: [2],
        ]
        let minimum: [UInt8: Int] = [0x06: 7, 0x12: 3, 0x16: 5, 0x0E: 5, 0x20: 5]
        if lengths[opcode].map({ !$0.contains(pdu.count) }) ?? false { return error(0x04) }
        if let least = minimum[opcode], pdu.count < least { return error(0x04) }
        switch opcode {
        case 0x02:
            mtu = max(23, min(Int(number(pdu, 1)), ownMTU))
            return [0x03] + le(UInt16(ownMTU))
        case 0x04, 0x06, 0x08, 0x10: return find(pdu, opcode, error)
        case 0x0A, 0x0C:
            let handle = number(pdu, 1)
            guard let place = index(handle) else { return error(0x01, handle) }
            if let code = attributes[place].readRefusal { return error(code, handle) }
            let offset = opcode == 0x0A ? 0 : Int(number(pdu, 3))
            guard offset <= attributes[place].value.count else { return error(0x07, handle) }
            return [opcode + 1] + attributes[place].value[offset...].prefix(mtu - 1)
        case 0x0E, 0x20:
            guard pdu.count % 2 == 1 else { return error(0x04) }
            var values: [UInt8] = []
            for offset in stride(from: 1, to: pdu.count, by: 2) {
                let handle = number(pdu, offset)
                guard let place = index(handle) else { return error(0x01, handle) }
                if let code = attributes[place].readRefusal { return error(code, handle) }
                let value = attributes[place].value
                values += (opcode == 0x20 ? le(UInt16(value.count)) : []) + value
            }
            return [opcode + 1] + values.prefix(mtu - 1)
        case 0x12:
            let handle = number(pdu, 1)
            guard let place = index(handle) else { return error(0x01, handle) }
            if let code = refusal(place, Array(pdu[3...]), offset: 0) { return error(code, handle) }
            attributes[place].value = Array(pdu[3...])
            return [0x13]
        case 0x16:
            let handle = number(pdu, 1)
            guard let place = index(handle) else { return error(0x01, handle) }
            if let code = attributes[place].writeRefusal { return error(code, handle) }
            guard queue.count < 32 else { return error(0x09, handle) }
            queue.append((handle, Int(number(pdu, 3)), Array(pdu[5...])))
            return [0x17] + pdu[1...]
        case 0x18:
            let writes = pdu[1] == 1 ? queue : []
            queue = []
            for write in writes {
                guard let place = index(write.handle) else { return error(0x01, write.handle) }
                if let code = refusal(place, write.part, offset: write.offset) { return error(code, write.handle) }
                attributes[place].value = Array(attributes[place].value.prefix(write.offset)) + write.part
            }
            return [0x19]
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x1E, 0x21, 0x23:
            return nil
        default: return error(0x06)
        }
    }

    private func refusal(_ place: Int, _ value: [UInt8], offset: Int) -> UInt8? {
        let attribute = attributes[place]
        if let code = attribute.writeRefusal { return code }
        if offset > attribute.value.count { return 0x07 }
        if offset + value.count > attribute.maximum { return 0x0D }
        guard attribute.type == 0x2902 || attribute.type == 0x2B29 else { return nil }
        if attribute.type == 0x2B29 { return attribute.value[0] & ~(value.first ?? 0) == 0 ? nil : 0x13 }
        guard value.count == 2 else { return 0x0D }
        let declaration = attributes[..<place].last { $0.type == 0x2803 }
        let properties = declaration?.value.first ?? 0
        if value[0] & 1 != 0, properties & 0x10 == 0 { return 0x13 }
        return value[0] & 2 != 0 && properties & 0x20 == 0 ? 0x13 : nil
    }

    private func find(_ pdu: [UInt8], _ opcode: UInt8, _ error: (UInt8, UInt16) -> [UInt8]) -> [UInt8] {
        let (low, high) = (number(pdu, 1), number(pdu, 3))
        guard low > 0, low <= high else { return error(0x01, low) }
        let all = attributes.filter { low <= $0.handle && $0.handle <= high }
        switch opcode {
        case 0x04:
            guard let first = all.first else { return error(0x0A, low) }
            let width = bytes(first.type).count
            var result: [UInt8] = [0x05, width == 2 ? 1 : 2]
            for attribute in all {
                let type = bytes(attribute.type)
                guard type.count == width, result.count + 2 + width <= mtu else { break }
                result += le(attribute.handle) + type
            }
            return result
        case 0x06:
            let type = BluetoothUUID(number(pdu, 5))
            var result: [UInt8] = [0x07]
            for attribute in all
            where attribute.type == type && attribute.readRefusal == nil
                && attribute.value.elementsEqual(pdu[7...]) && result.count + 4 <= mtu
            {
                result += le(attribute.handle) + le(ends[attribute.handle] ?? attribute.handle)
            }
            return result.count > 1 ? result : error(0x0A, low)
        default:
            guard let type = uuid(pdu[5...]) else { return error(0x04, low) }
            if opcode == 0x10, type != 0x2800, type != 0x2801 { return error(0x10, low) }
            let fitting = all.filter { $0.type == type }
            guard let first = fitting.first else { return error(0x0A, low) }
            if let code = first.readRefusal { return error(code, first.handle) }
            let head = opcode == 0x10 ? 4 : 2
            let width = min(first.value.count, mtu - 2 - head, 255 - head)
            var result: [UInt8] = [opcode + 1, UInt8(head + width)]
            for attribute in fitting {
                guard attribute.readRefusal == nil, min(attribute.value.count, mtu - 2 - head) == width,
                    result.count + head + width <= mtu
                else { break }
                result += le(attribute.handle)
                if opcode == 0x10 { result += le(ends[attribute.handle] ?? attribute.handle) }
                result += attribute.value.prefix(width)
            }
            return result
        }
    }
}

func le(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }

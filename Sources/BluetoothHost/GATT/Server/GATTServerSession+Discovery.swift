import BluetoothModel

/// Searches of the database (Core 6.0, Vol 3, Part F, 3.4.3, 3.4.4.1 and 3.4.4.9).
extension GATTServerSession {
    /// Appends entries of equal length to a response in the bearer's writer until the packet is full.
    private struct Entries {
        let bearer: ATTBearer
        private(set) var count = 0
        private(set) var length = 0

        init(_ opcode: ATTOpcode, bearer: ATTBearer) {
            self.bearer = bearer
            bearer.beginResponse(opcode)
        }

        /// Returns true if an entry of this length fits into the response.
        func takes(_ length: Int) -> Bool {
            (count == 0 || length == self.length) && bearer.writer.count + length <= bearer.mtu
        }

        mutating func add(_ length: Int) {
            self.length = length
            count += 1
        }
    }

    func findInformation(_ asked: ATTHandleRange) {
        let opcode = ATTOpcode.findInformationRequest
        guard let range = asked.range else { return refuse(opcode, asked.first, .invalidHandle) }
        var entries = Entries(.findInformationResponse, bearer: bearer)
        bearer.writer.uint8(0)
        for attribute in server.table.attributes(in: range) {
            let length = 2 + attribute.type.attLength
            guard entries.takes(length) else { break }
            bearer.writer.uint16(attribute.handle)
            attribute.type.write(to: &bearer.writer)
            entries.add(length)
        }
        guard entries.count > 0 else { return refuse(opcode, asked.first, .attributeNotFound) }
        bearer.writer.set(UInt8(entries.length == 4 ? 1 : 2), at: 1)
        bearer.sendResponse()
    }

    func findByTypeValue(_ asked: ATTHandleRange, _ type: UInt16, _ value: ByteView) {
        let opcode = ATTOpcode.findByTypeValueRequest
        guard let range = asked.range else { return refuse(opcode, asked.first, .invalidHandle) }
        let type = BluetoothUUID(type)
        var entries = Entries(.findByTypeValueResponse, bearer: bearer)
        for attribute in server.table.attributes(in: range) where attribute.type == type {
            guard refusalOfRead(attribute) == nil, let bytes = currentValue(of: attribute),
                bytes.withByteView({ Self.equal($0, value, isService: attribute.isServiceDeclaration) })
            else { continue }
            guard entries.takes(4) else { break }
            bearer.writer.append(attribute.handle...attribute.groupEnd)
            entries.add(4)
        }
        guard entries.count > 0 else { return refuse(opcode, asked.first, .attributeNotFound) }
        bearer.sendResponse()
    }

    /// Compares values. The 16-bit and 128-bit forms of a service's UUID are equal.
    private static func equal(_ left: ByteView, _ right: ByteView, isService: Bool) -> Bool {
        if left.elementsEqual(right.unsafeBytes) { return true }
        guard isService, let wanted = BluetoothUUID(littleEndian: right) else { return false }
        return wanted.matches(littleEndian: left)
    }

    func readByType(_ asked: ATTHandleRange, _ type: BluetoothUUID) {
        let opcode = ATTOpcode.readByTypeRequest
        guard let range = asked.range else { return refuse(opcode, asked.first, .invalidHandle) }
        var entries = Entries(.readByTypeResponse, bearer: bearer)
        bearer.writer.uint8(0)
        for attribute in server.table.attributes(in: range) where attribute.type == type {
            if let code = refusalOfRead(attribute) {
                // An error at the first attribute is reported; an error at a later one ends the list.
                if entries.count == 0 { return refuse(opcode, attribute.handle, code) }
                break
            }
            guard let value = currentValue(of: attribute) else {
                if entries.count == 0 { return readByTypeFromDelegate(attribute.handle) }
                break
            }
            let length = 2 + min(value.count, bearer.mtu - 4, 253)
            guard entries.takes(length) else { break }
            bearer.writer.uint16(attribute.handle)
            value.withByteView { bearer.writer.append($0.prefix(length - 2)) }
            entries.add(length)
        }
        guard entries.count > 0 else { return refuse(opcode, asked.first, .attributeNotFound) }
        bearer.writer.set(UInt8(entries.length), at: 1)
        bearer.sendResponse()
    }

    private func readByTypeFromDelegate(_ handle: UInt16) {
        ask(handle, offset: 0) { [self] result in
            switch result {
            case .failure(let code): refuse(.readByTypeRequest, handle, code)
            case .success(let value):
                let length = min(value.count, bearer.mtu - 4, 253)
                bearer.beginResponse(.readByTypeResponse)
                bearer.writer.uint8(UInt8(2 + length))
                bearer.writer.uint16(handle)
                value.withByteView { bearer.writer.append($0.prefix(length)) }
                bearer.sendResponse()
            }
        }
    }

    func readByGroupType(_ asked: ATTHandleRange, _ type: BluetoothUUID) {
        let opcode = ATTOpcode.readByGroupTypeRequest
        guard let range = asked.range else { return refuse(opcode, asked.first, .invalidHandle) }
        guard type == GATTType.primaryService || type == GATTType.secondaryService else {
            return refuse(opcode, asked.first, .unsupportedGroupType)
        }
        var entries = Entries(.readByGroupTypeResponse, bearer: bearer)
        bearer.writer.uint8(0)
        for attribute in server.table.attributes(in: range) where attribute.type == type {
            guard case .declaration(let value) = attribute.value else { continue }
            let length = 4 + value.count
            guard entries.takes(length) else { break }
            bearer.writer.append(attribute.handle...attribute.groupEnd)
            value.withByteView { bearer.writer.append($0) }
            entries.add(length)
        }
        guard entries.count > 0 else { return refuse(opcode, asked.first, .attributeNotFound) }
        bearer.writer.set(UInt8(entries.length), at: 1)
        bearer.sendResponse()
    }
}

extension Attribute {
    /// True for the declaration of a service, which begins a group.
    var isServiceDeclaration: Bool { type == GATTType.primaryService || type == GATTType.secondaryService }

    /// Returns true if the attribute declares a service with this UUID.
    func declares(_ service: BluetoothUUID) -> Bool {
        guard isServiceDeclaration, case .declaration(let uuid) = value else { return false }
        return uuid.withByteView { service.matches(littleEndian: $0) }
    }
}

import BluetoothModel

/// Writes of values (Core 6.0, Vol 3, Part F, 3.4.5 and 3.4.6).
extension GATTServerSession {
    private static let maximumLength = LongRead.maximumLength

    func write(_ handle: UInt16, _ value: ByteView) {
        let opcode = ATTOpcode.writeRequest
        guard let attribute = server.table[handle] else { return refuse(opcode, handle, .invalidHandle) }
        if let code = refusalOfWrite(attribute, [.write]) { return refuse(opcode, handle, code) }
        let write = GATTAttributeWrite(handle: handle, offset: 0, value: value.array)
        accept([write], opcode) { [bearer] in
            bearer.beginResponse(.writeResponse)
            bearer.sendResponse()
        }
    }

    /// Processes a write command. Commands are never answered, so one that is not permitted is ignored.
    func receiveCommand(_ handle: UInt16, _ value: ByteView, isSigned: Bool = false) {
        guard !isKeptFromValues, let attribute = server.table[handle],
            refusalOfWrite(attribute, waysOfCommand(isSigned: isSigned)) == nil, value.count <= Self.maximumLength
        else { return bearer.faults.add(.ignoredCommand) }
        switch attribute.value {
        case .kept: attribute.value = .kept(value.array)
        case .dynamic: break
        default:
            let write = GATTAttributeWrite(handle: handle, offset: 0, value: value.array)
            if refusal(of: write, attribute) == nil { apply(write) } else { bearer.faults.add(.ignoredCommand) }
            return
        }
        server.delegate?.server(server, received: value, for: handle, from: self)
    }

    /// On an encrypted link a plain command replaces a signed one (Core 6.0, Vol 3, Part G, 4.9.2).
    private func waysOfCommand(isSigned: Bool) -> CharacteristicProperties {
        if isSigned { return .authenticatedSignedWrites }
        return bearer.channel.security.level == .none
            ? .writeWithoutResponse : [.writeWithoutResponse, .authenticatedSignedWrites]
    }

    private func refusalOfWrite(
        _ attribute: Attribute, _ ways: CharacteristicProperties, isPrepared: Bool = false
    ) -> ATTErrorCode? {
        attribute.refusalOfWrite(
            ways, isPrepared: isPrepared, bearer.channel.security,
            minimumKeySize: server.configuration.minimumKeySize)
    }

    // MARK: Prepared writes

    func prepareWrite(_ handle: UInt16, _ offset: Int, _ part: ByteView) {
        let opcode = ATTOpcode.prepareWriteRequest
        // The response echoes the whole part and has to fit the MTU as well.
        guard part.count + 5 <= bearer.mtu else { return refuse(opcode, handle, .invalidPDU) }
        guard let attribute = server.table[handle] else { return refuse(opcode, handle, .invalidHandle) }
        if let code = refusalOfWrite(attribute, [.write], isPrepared: true) { return refuse(opcode, handle, code) }
        guard prepared.append(GATTAttributeWrite(handle: handle, offset: offset, value: part.array)) else {
            return refuse(opcode, handle, .prepareQueueFull)
        }
        bearer.beginResponse(.prepareWriteResponse)
        bearer.writer.uint16(handle)
        bearer.writer.uint16(UInt16(truncatingIfNeeded: offset))
        bearer.writer.append(part)
        bearer.sendResponse()
    }

    func executeWrite(_ isWritten: Bool) {
        let (writes, isIncomplete) = (isWritten ? prepared.writes : [], isWritten && prepared.isIncomplete)
        prepared.removeAll()
        if isIncomplete { return refuse(.executeWriteRequest, 0, .databaseOutOfSync) }
        accept(writes, .executeWriteRequest) { [bearer] in
            bearer.beginResponse(.executeWriteResponse)
            bearer.sendResponse()
        }
    }

    // MARK: Atomic writes

    /// Checks all writes, asks the delegate about those of stored and dynamic values, and applies them. Ends with
    /// `respond`, or with an error response for the first write that is not permitted.
    private func accept(_ writes: [GATTAttributeWrite], _ opcode: ATTOpcode, respond: @escaping () -> Void) {
        var asked: [GATTAttributeWrite] = []
        // The lengths of the values after the writes checked so far.
        var lengths: [UInt16: Int] = [:]
        for write in writes {
            guard let attribute = server.table[write.handle] else {
                return refuse(opcode, write.handle, .invalidHandle)
            }
            if let code = refusal(of: write, attribute, length: lengths[write.handle]) {
                return refuse(opcode, write.handle, code)
            }
            lengths[write.handle] = write.offset + write.value.count
            switch attribute.value {
            case .kept, .dynamic: asked.append(write)
            default: break
            }
        }
        guard !asked.isEmpty else {
            // The response is sent first, before any values that a new subscription triggers.
            return answerAndApply(writes, respond)
        }
        ask(asked) { [self] result, handle in
            switch result {
            case .success:
                for write in writes { apply(write) }
                respond()
            case .failure(let code): refuse(opcode, handle, code)
            }
        }
    }

    private func answerAndApply(_ writes: [GATTAttributeWrite], _ respond: () -> Void) {
        respond()
        for write in writes { apply(write) }
    }

    /// Returns the error with which a write is refused independent of the delegate; nil if there is none. `length` is
    /// the length of the value if an earlier write changes it.
    private func refusal(
        of write: GATTAttributeWrite, _ attribute: Attribute, length: Int? = nil
    ) -> ATTErrorCode? {
        guard write.offset + write.value.count <= Self.maximumLength else { return .invalidValueLength }
        switch attribute.value {
        case .dynamic: return nil
        case .kept(let bytes): return write.offset > length ?? bytes.count ? .invalidOffset : nil
        case .clientConfiguration(_, let offered):
            guard write.offset == 0 else { return .invalidOffset }
            guard write.value.count == 2 else { return .invalidValueLength }
            let asked = GATTSubscription(rawValue: UInt16(write.value[0] & 3))
            return offered.isSuperset(of: asked) ? nil : .valueNotAllowed
        case .clientFeatures:
            guard write.offset == 0 else { return .invalidOffset }
            guard let first = write.value.first else { return .invalidValueLength }
            // A feature bit cannot be cleared once set (Core 6.0, Vol 3, Part G, 7.2).
            return clientFeatures & ~first == 0 ? nil : .valueNotAllowed
        case .declaration, .databaseHash: return .writeNotPermitted
        }
    }

    private func apply(_ write: GATTAttributeWrite) {
        guard let attribute = server.table[write.handle] else { return }
        switch attribute.value {
        case .kept(let bytes):
            attribute.value = .kept(bytes.prefix(write.offset) + write.value)
        case .clientConfiguration(let valueHandle, _):
            setSubscription(GATTSubscription(rawValue: UInt16(write.value[0] & 3)), to: valueHandle)
        case .clientFeatures:
            clientFeatures = (write.value.first ?? 0) & GATTClientFeatures.known
            stateChanged()
        case .dynamic, .declaration, .databaseHash: break
        }
    }
}

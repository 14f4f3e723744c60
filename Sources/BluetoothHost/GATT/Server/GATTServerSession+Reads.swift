import BluetoothModel

/// Reads of values by their handles (Core 6.0, Vol 3, Part F, 3.4.4.3 to 3.4.4.8 and 3.4.4.11).
extension GATTServerSession {
    func read(_ opcode: ATTOpcode, _ handle: UInt16, offset: Int) {
        guard let attribute = server.table[handle] else { return refuse(opcode, handle, .invalidHandle) }
        if let code = refusalOfRead(attribute) { return refuse(opcode, handle, code) }
        switch attribute.value {
        case .kept(let bytes), .declaration(let bytes):
            respond(opcode, handle, bytes, offset: offset)
        case .clientConfiguration, .clientFeatures, .databaseHash:
            respond(opcode, handle, ownValue(of: attribute), offset: offset)
        case .dynamic:
            ask(handle, offset: offset) { [self] result in
                switch result {
                // The delegate's value begins at the offset.
                case .success(let bytes): respond(opcode, handle, bytes, offset: 0)
                case .failure(let code): refuse(opcode, handle, code)
                }
            }
        }
    }

    private func respond(_ opcode: ATTOpcode, _ handle: UInt16, _ bytes: [UInt8], offset: Int) {
        guard offset <= bytes.count else { return refuse(opcode, handle, .invalidOffset) }
        bearer.beginResponse(opcode == .readRequest ? .readResponse : .readBlobResponse)
        bytes.withByteView { bearer.writer.append($0.dropFirst(offset).prefix(bearer.mtu - 1)) }
        bearer.sendResponse()
    }

    func refusalOfRead(_ attribute: Attribute) -> ATTErrorCode? {
        attribute.refusalOfRead(bearer.channel.security, minimumKeySize: server.configuration.minimumKeySize)
    }

    /// Returns the value for this client.
    private func ownValue(of attribute: Attribute) -> [UInt8] {
        switch attribute.value {
        case .kept(let bytes), .declaration(let bytes): return bytes
        case .dynamic: return []
        case .clientConfiguration(let valueHandle, _):
            return [UInt8(truncatingIfNeeded: subscription(to: valueHandle).rawValue), 0]
        case .clientFeatures: return [clientFeatures]
        case .databaseHash:
            hashWasRead()
            return server.databaseHash.reversed()
        }
    }

    /// Returns the current value; nil if the delegate provides it.
    func currentValue(of attribute: Attribute) -> [UInt8]? {
        if case .dynamic = attribute.value { return nil }
        return ownValue(of: attribute)
    }
}

/// A read of several values with one request, some of which the delegate may provide.
final class MultipleRead {
    private let handles: [UInt16]
    private let hasLengths: Bool
    private let session: GATTServerSession
    private var index = 0
    private var body: [UInt8] = []

    init(_ handles: ByteView, hasLengths: Bool, session: GATTServerSession) {
        self.handles = stride(from: 0, to: handles.count, by: 2).map { handles.uint16(at: $0) }
        self.hasLengths = hasLengths
        self.session = session
    }

    private var opcode: ATTOpcode { hasLengths ? .readMultipleVariableRequest : .readMultipleRequest }

    /// Collects values until one has to be requested from the delegate, or all are collected.
    func proceed() {
        while index < handles.count {
            let handle = handles[index]
            guard let attribute = session.server.table[handle] else {
                return session.refuse(opcode, handle, .invalidHandle)
            }
            if let code = session.refusalOfRead(attribute) { return session.refuse(opcode, handle, code) }
            index += 1
            guard let value = session.currentValue(of: attribute) else {
                return session.ask(handle, offset: 0) { [self] result in
                    switch result {
                    case .success(let value):
                        append(value)
                        proceed()
                    case .failure(let code): session.refuse(opcode, handle, code)
                    }
                }
            }
            append(value)
        }
        let bearer = session.bearer
        bearer.beginResponse(hasLengths ? .readMultipleVariableResponse : .readMultipleResponse)
        body.withByteView { bearer.writer.append($0.prefix(bearer.mtu - 1)) }
        bearer.sendResponse()
    }

    private func append(_ value: [UInt8]) {
        // Octets beyond the packet would be truncated anyway.
        guard body.count < session.bearer.mtu else { return }
        if hasLengths {
            body.append(UInt8(truncatingIfNeeded: value.count))
            body.append(UInt8(truncatingIfNeeded: value.count >> 8))
        }
        body += value
    }
}

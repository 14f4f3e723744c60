import BluetoothModel

/// A request or command of the peer, as views into the received packet (Core 6.0, Vol 3, Part F, 3.4).
package enum ATTIncomingRequest {
    case exchangeMTU(UInt16)
    case findInformation(ATTHandleRange)
    case findByTypeValue(ATTHandleRange, type: UInt16, value: ByteView)
    case readByType(ATTHandleRange, BluetoothUUID)
    case read(UInt16)
    case readBlob(UInt16, offset: Int)
    /// Two octets for each handle, at least two handles.
    case readMultiple(ByteView)
    case readByGroupType(ATTHandleRange, BluetoothUUID)
    case write(UInt16, ByteView)
    case prepareWrite(UInt16, offset: Int, ByteView)
    case executeWrite(isWritten: Bool)
    /// Two octets for each handle, at least two handles.
    case readMultipleVariable(ByteView)
    case writeCommand(UInt16, ByteView)

    /// Parses a request or command; nil if it is too short, too long, or contains an invalid value.
    package init?(_ opcode: ATTOpcode, _ packet: ByteView) {
        var reader = ByteReader(packet.dropFirst(1))
        switch opcode {
        case .exchangeMTURequest:
            guard let mtu = reader.uint16(), reader.isAtEnd else { return nil }
            self = .exchangeMTU(mtu)
        case .findInformationRequest:
            guard let range = ATTHandleRange(&reader), reader.isAtEnd else { return nil }
            self = .findInformation(range)
        case .findByTypeValueRequest:
            guard let range = ATTHandleRange(&reader), let type = reader.uint16() else { return nil }
            self = .findByTypeValue(range, type: type, value: reader.rest)
        case .readByTypeRequest:
            guard let range = ATTHandleRange(&reader), let type = Self.type(reader.rest) else { return nil }
            self = .readByType(range, type)
        case .readRequest:
            guard let handle = reader.uint16(), reader.isAtEnd else { return nil }
            self = .read(handle)
        case .readBlobRequest:
            guard let handle = reader.uint16(), let offset = reader.uint16(), reader.isAtEnd else { return nil }
            self = .readBlob(handle, offset: Int(offset))
        case .readMultipleRequest:
            guard reader.count >= 4, reader.count % 2 == 0 else { return nil }
            self = .readMultiple(reader.rest)
        case .readByGroupTypeRequest:
            guard let range = ATTHandleRange(&reader), let type = Self.type(reader.rest) else { return nil }
            self = .readByGroupType(range, type)
        case .writeRequest:
            guard let handle = reader.uint16() else { return nil }
            self = .write(handle, reader.rest)
        case .prepareWriteRequest:
            guard let handle = reader.uint16(), let offset = reader.uint16() else { return nil }
            self = .prepareWrite(handle, offset: Int(offset), reader.rest)
        case .executeWriteRequest:
            guard let flags = reader.uint8(), flags <= 1, reader.isAtEnd else { return nil }
            self = .executeWrite(isWritten: flags == 1)
        case .readMultipleVariableRequest:
            guard reader.count >= 4, reader.count % 2 == 0 else { return nil }
            self = .readMultipleVariable(reader.rest)
        case .writeCommand:
            guard let handle = reader.uint16() else { return nil }
            self = .writeCommand(handle, reader.rest)
        default:
            return nil
        }
    }

    /// Attribute types have 2 or 16 octets in this protocol; a 4-octet type is invalid.
    private static func type(_ view: ByteView) -> BluetoothUUID? {
        view.count == 4 ? nil : BluetoothUUID(littleEndian: view)
    }
}

/// The two handles of a request, not yet checked to form a range.
package struct ATTHandleRange {
    package let first: UInt16
    package let last: UInt16

    init?(_ reader: inout ByteReader) {
        guard let first = reader.uint16(), let last = reader.uint16() else { return nil }
        self.first = first
        self.last = last
    }

    /// The range; nil if it starts at 0 or ends before it starts, which is answered with Invalid Handle.
    package var range: ClosedRange<UInt16>? { first >= 1 && first <= last ? first...last : nil }
}

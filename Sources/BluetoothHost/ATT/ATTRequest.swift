import BluetoothModel

/// A request sent by the local client (Core 6.0, Vol 3, Part F, 3.4).
///
/// Queued as this value and encoded only when it is sent, into a buffer that is reused.
enum ATTRequest {
    case exchangeMTU(UInt16)
    case findInformation(ClosedRange<UInt16>)
    case findByTypeValue(ClosedRange<UInt16>, type: UInt16, value: BluetoothUUID)
    case readByType(ClosedRange<UInt16>, BluetoothUUID)
    /// With `isWhole`, reading continues when the response fills the MTU and the value may be longer.
    case read(UInt16, isWhole: Bool = false)
    case readBlob(UInt16, offset: UInt16)
    case readMultiple([UInt16])
    case readByGroupType(ClosedRange<UInt16>, BluetoothUUID)
    case write(UInt16, [UInt8])
    case prepareWrite(UInt16, offset: UInt16, part: ArraySlice<UInt8>)
    /// True writes the prepared values, false discards them.
    case executeWrite(Bool)
    case readMultipleVariable([UInt16])

    var opcode: ATTOpcode {
        switch self {
        case .exchangeMTU: .exchangeMTURequest
        case .findInformation: .findInformationRequest
        case .findByTypeValue: .findByTypeValueRequest
        case .readByType: .readByTypeRequest
        case .read: .readRequest
        case .readBlob: .readBlobRequest
        case .readMultiple: .readMultipleRequest
        case .readByGroupType: .readByGroupTypeRequest
        case .write: .writeRequest
        case .prepareWrite: .prepareWriteRequest
        case .executeWrite: .executeWriteRequest
        case .readMultipleVariable: .readMultipleVariableRequest
        }
    }

    /// Appends the encoded packet.
    func encode(into writer: inout ByteWriter) {
        writer.uint8(opcode.rawValue)
        switch self {
        case .exchangeMTU(let mtu):
            writer.uint16(mtu)
        case .findInformation(let range):
            writer.append(range)
        case .findByTypeValue(let range, let type, let value):
            writer.append(range)
            writer.uint16(type)
            value.write(to: &writer)
        case .readByType(let range, let type), .readByGroupType(let range, let type):
            writer.append(range)
            type.write(to: &writer)
        case .read(let handle, _):
            writer.uint16(handle)
        case .readBlob(let handle, let offset):
            writer.uint16(handle)
            writer.uint16(offset)
        case .readMultiple(let handles), .readMultipleVariable(let handles):
            for handle in handles { writer.uint16(handle) }
        case .write(let handle, let bytes):
            writer.uint16(handle)
            bytes.withByteView { writer.append($0) }
        case .prepareWrite(let handle, let offset, let part):
            writer.uint16(handle)
            writer.uint16(offset)
            part.withUnsafeBytes { writer.append(ByteView($0)) }
        case .executeWrite(let isWritten):
            writer.uint8(isWritten ? 1 : 0)
        }
    }
}

extension ByteWriter {
    /// Appends the first and the last handle of a range.
    mutating func append(_ range: ClosedRange<UInt16>) {
        uint16(range.lowerBound)
        uint16(range.upperBound)
    }
}

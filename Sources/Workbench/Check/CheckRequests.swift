import BluetoothHost
import BluetoothModel

/// Attribute requests and commands as octets (Core 5.4, Vol 3, Part F, 3.4). Rules also send malformed packets, so that
/// they do not use the typed requests of the attribute client.
extension [UInt8] {
    private init(_ opcode: ATTOpcode, _ handles: [UInt16], _ rest: some Sequence<UInt8> = []) {
        self = [opcode.rawValue] + handles.flatMap(le) + rest
    }

    static func exchangeMTU(_ size: UInt16) -> Self { Self(.exchangeMTURequest, [size]) }
    static func findInformation(_ first: UInt16, _ last: UInt16) -> Self {
        Self(.findInformationRequest, [first, last])
    }
    /// - Parameter rest: The type, and the octets of the value.
    static func findByTypeValue(_ first: UInt16, _ last: UInt16, _ rest: [UInt8]) -> Self {
        Self(.findByTypeValueRequest, [first, last], rest)
    }
    static func readByType(_ first: UInt16, _ last: UInt16, _ type: [UInt8]) -> Self {
        Self(.readByTypeRequest, [first, last], type)
    }
    static func readByGroupType(_ first: UInt16, _ last: UInt16, _ type: [UInt8]) -> Self {
        Self(.readByGroupTypeRequest, [first, last], type)
    }
    static func read(_ handle: UInt16) -> Self { Self(.readRequest, [handle]) }
    static func readBlob(_ handle: UInt16, offset: UInt16) -> Self { Self(.readBlobRequest, [handle, offset]) }
    static func readMultiple(_ handles: [UInt16]) -> Self { Self(.readMultipleRequest, handles) }
    static func readMultipleVariable(_ handles: [UInt16]) -> Self { Self(.readMultipleVariableRequest, handles) }
    static func write(_ handle: UInt16, _ value: some Sequence<UInt8>) -> Self { Self(.writeRequest, [handle], value) }
    static func writeCommand(_ handle: UInt16, _ value: some Sequence<UInt8>) -> Self {
        Self(.writeCommand, [handle], value)
    }
    /// A Signed Write Command with a signature that is wrong.
    static func wronglySignedWrite(_ handle: UInt16, _ value: [UInt8]) -> Self {
        Self(.signedWriteCommand, [handle], value + [UInt8](repeating: 0xA5, count: 12))
    }
    static func prepareWrite(_ handle: UInt16, offset: UInt16, _ part: some Sequence<UInt8>) -> Self {
        Self(.prepareWriteRequest, [handle, offset], part)
    }
    /// - Parameter isWritten: True writes the prepared values, false discards them.
    static func executeWrite(_ isWritten: Bool) -> Self { Self(.executeWriteRequest, [], [isWritten ? 1 : 0]) }
}

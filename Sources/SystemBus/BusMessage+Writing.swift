import CSystemBus

extension BusMessage {
    /// Appends values; returns false if one cannot be encoded, such as an invalid path.
    func append(_ values: [BusValue]) -> Bool { values.allSatisfy(append) }

    private func append(_ value: BusValue) -> Bool {
        switch value {
        case .byte(let value): basic("y", value)
        case .bool(let value): basic("b", Int32(value ? 1 : 0))
        case .int16(let value): basic("n", value)
        case .uint16(let value): basic("q", value)
        case .int32(let value): basic("i", value)
        case .uint32(let value): basic("u", value)
        case .int64(let value): basic("x", value)
        case .uint64(let value): basic("t", value)
        case .double(let value): basic("d", value)
        case .string(let text): string("s", text)
        case .path(let text): string("o", text)
        case .signature(let text): string("g", text)
        case .descriptor(let descriptor): descriptor.peeked.map { basic("h", $0) } ?? false
        case .bytes(let bytes):
            bytes.withUnsafeBytes { buffer in
                library.pointee.message_append_array(
                    pointer, CChar(UInt8(ascii: "y")), buffer.baseAddress, buffer.count) >= 0
            }
        case .array(let values, let element):
            values.allSatisfy { $0.type == element } && container("a", element, values)
        case .dictionary(let entries, let key, let value):
            entries.allSatisfy { $0.key.type == key && $0.value.type == value }
                && open("a", "{\(key)\(value)}")
                && entries.sorted { $0.key.precedes($1.key) }.allSatisfy {
                    container("e", key + value, [$0.key, $0.value])
                } && close()
        case .structure(let fields): container("r", fields.map(\.type).joined(), fields)
        case .variant(let inner): container("v", inner.type, [inner])
        }
    }

    private func basic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) -> Bool {
        withUnsafePointer(to: value) { library.pointee.message_append_basic(pointer, CChar(type.value), $0) >= 0 }
    }

    /// Appends a string. The library takes the text itself, not a pointer to it.
    private func string(_ type: Unicode.Scalar, _ text: String) -> Bool {
        // A zero byte would end the text early, and D-Bus strings contain none.
        guard !text.utf8.contains(0) else { return false }
        return text.withCString { library.pointee.message_append_basic(pointer, CChar(type.value), $0) >= 0 }
    }

    private func container(_ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]) -> Bool {
        open(type, contents) && values.allSatisfy(append) && close()
    }

    private func open(_ type: Unicode.Scalar, _ contents: String) -> Bool {
        library.pointee.message_open_container(pointer, CChar(type.value), contents) >= 0
    }

    private func close() -> Bool { library.pointee.message_close_container(pointer) >= 0 }
}

extension BusValue {
    /// The order of keys in a message. It is the same for equal messages, parents precede the objects below them, and
    /// `Adapter1` precedes the other interfaces of an adapter, without which `bluetoothctl` 5.66 crashes.
    fileprivate func precedes(_ other: BusValue) -> Bool {
        if let text, let other = other.text { return text < other }
        if let integer, let other = other.integer { return integer < other }
        return false
    }
}

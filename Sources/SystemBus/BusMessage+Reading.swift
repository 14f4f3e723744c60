import CSystemBus

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension BusMessage {
    /// Returns the arguments of the message; nil if the library finds it malformed.
    func arguments() -> [BusValue]? {
        var values: [BusValue] = []
        while true {
            switch next() {
            case .value(let value): values.append(value)
            case .end: return values
            case .malformed: return nil
            }
        }
    }

    private enum Step {
        case value(BusValue)
        /// The end of the container.
        case end
        case malformed
    }

    private func next() -> Step {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let found = library.pointee.message_peek_type(pointer, &type, &contents)
        if found <= 0 { return found == 0 ? .end : .malformed }
        let inner = contents.map { String(cString: $0) } ?? ""
        let value: BusValue? =
            switch UInt8(bitPattern: type) {
            case UInt8(ascii: "y"): basic(type, UInt8(0)).map { .byte($0) }
            // The library reads a Boolean into an int.
            case UInt8(ascii: "b"): basic(type, Int32(0)).map { .bool($0 != 0) }
            case UInt8(ascii: "n"): basic(type, Int16(0)).map { .int16($0) }
            case UInt8(ascii: "q"): basic(type, UInt16(0)).map { .uint16($0) }
            case UInt8(ascii: "i"): basic(type, Int32(0)).map { .int32($0) }
            case UInt8(ascii: "u"): basic(type, UInt32(0)).map { .uint32($0) }
            case UInt8(ascii: "x"): basic(type, Int64(0)).map { .int64($0) }
            case UInt8(ascii: "t"): basic(type, UInt64(0)).map { .uint64($0) }
            case UInt8(ascii: "d"): basic(type, Double(0)).map { .double($0) }
            case UInt8(ascii: "s"): string(type).map { .string($0) }
            case UInt8(ascii: "o"): string(type).map { .path($0) }
            case UInt8(ascii: "g"): string(type).map { .signature($0) }
            case UInt8(ascii: "h"): descriptor(type).map { .descriptor($0) }
            case UInt8(ascii: "a") where inner == "y": byteArray().map { .bytes($0) }
            case UInt8(ascii: "a"): array(inner)
            case UInt8(ascii: "v"): container(type, contents).flatMap { $0.first.map { .variant($0) } }
            case UInt8(ascii: "r"), UInt8(ascii: "e"): container(type, contents).map { .structure($0) }
            default: nil
            }
        return value.map { .value($0) } ?? .malformed
    }

    private func basic<Value: BitwiseCopyable>(_ type: CChar, _ zero: Value) -> Value? {
        var value = zero
        return library.pointee.message_read_basic(pointer, type, &value) > 0 ? value : nil
    }

    /// Reads a string. The library returns a pointer into the message.
    private func string(_ type: CChar) -> String? {
        var text: UnsafePointer<CChar>?
        guard library.pointee.message_read_basic(pointer, type, &text) > 0, let text else { return nil }
        return String(cString: text)
    }

    /// Reads a descriptor. The message owns its descriptor, so it is duplicated.
    private func descriptor(_ type: CChar) -> BusDescriptor? {
        guard let borrowed = basic(type, Int32(-1)) else { return nil }
        let own = fcntl(borrowed, F_DUPFD_CLOEXEC, 3)
        return own < 0 ? nil : BusDescriptor(owning: own)
    }

    private func byteArray() -> [UInt8]? {
        var (start, count): (UnsafeRawPointer?, Int) = (nil, 0)
        guard library.pointee.message_read_array(pointer, CChar(UInt8(ascii: "y")), &start, &count) >= 0 else {
            return nil
        }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    private func array(_ element: String) -> BusValue? {
        guard let values = element.withCString({ container(CChar(UInt8(ascii: "a")), $0) }) else { return nil }
        guard element.hasPrefix("{") else { return .array(values, of: element) }
        var entries: [BusValue: BusValue] = [:]
        for case .structure(let entry) in values where entry.count == 2 { entries[entry[0]] = entry[1] }
        let types = element.dropFirst().dropLast()
        return .dictionary(entries, key: String(types.prefix(1)), value: String(types.dropFirst()))
    }

    private func container(_ type: CChar, _ contents: UnsafePointer<CChar>?) -> [BusValue]? {
        guard library.pointee.message_enter_container(pointer, type, contents) > 0 else { return nil }
        guard let values = arguments(), library.pointee.message_exit_container(pointer) >= 0 else { return nil }
        return values
    }
}

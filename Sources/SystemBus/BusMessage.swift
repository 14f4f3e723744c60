import CSystemBus

/// A reference-counted message of the library.
final class BusMessage {
    let library: UnsafePointer<harald_system_bus>
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer, _ library: UnsafePointer<harald_system_bus>) {
        self.pointer = pointer
        self.library = library
    }

    /// Adds a reference.
    init(referring pointer: OpaquePointer, _ library: UnsafePointer<harald_system_bus>) {
        _ = library.pointee.message_ref(pointer)
        self.pointer = pointer
        self.library = library
    }

    deinit { _ = library.pointee.message_unref(pointer) }

    enum Kind: UInt8 {
        case call = 1
        case reply = 2
        case error = 3
        case signal = 4
    }

    var kind: Kind? {
        var type: UInt8 = 0
        return library.pointee.message_get_type(pointer, &type) < 0 ? nil : Kind(rawValue: type)
    }

    /// The cookie of the call that this message answers.
    var replyCookie: UInt64? {
        var cookie: UInt64 = 0
        return library.pointee.message_get_reply_cookie(pointer, &cookie) < 0 ? nil : cookie
    }

    var expectsReply: Bool { library.pointee.message_get_expect_reply(pointer) > 0 }
    var path: String { text(library.pointee.message_get_path) }
    var interface: String { text(library.pointee.message_get_interface) }
    var member: String { text(library.pointee.message_get_member) }
    var sender: String { text(library.pointee.message_get_sender) }

    private func text(_ function: (OpaquePointer?) -> UnsafePointer<CChar>?) -> String {
        function(pointer).map { String(cString: $0) } ?? ""
    }

    var error: BusError {
        var (name, words): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
        harald_bus_error_of(pointer, &name, &words)
        return BusError(name.map { String(cString: $0) } ?? "", words.map { String(cString: $0) } ?? "")
    }
}

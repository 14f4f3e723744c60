import SystemBus

/// The errors of the service, with the names and texts of `bluetoothd`.
extension BusError {
    static func bluez(_ kind: String, _ text: String) -> BusError {
        BusError("org.bluez.Error." + kind, text)
    }

    static let notReady = bluez("NotReady", "Resource Not Ready")
    static let inProgress = bluez("InProgress", "In Progress")
    static let busy = bluez("InProgress", "Operation already in progress")
    /// A write that cannot be sent.
    static let notSent = failed("Failed to initiate write")
    static let alreadyExists = bluez("AlreadyExists", "Already Exists")
    static let doesNotExist = bluez("DoesNotExist", "Does Not Exist")
    static let notSupported = bluez("NotSupported", "Operation is not supported")
    static let notAuthorized = bluez("NotAuthorized", "Operation Not Authorized")
    static let invalidArguments = bluez("InvalidArguments", "Invalid arguments in method call")

    /// An operation on an attribute without a link.
    static let notConnected = failed("Not connected")

    static func failed(_ text: String) -> BusError { bluez("Failed", text) }
    static func notPermitted(_ text: String) -> BusError { bluez("NotPermitted", text) }
    static func notAvailable(_ text: String) -> BusError { bluez("NotAvailable", text) }
    static func notReady(_ text: String) -> BusError { bluez("NotReady", text) }
    /// An error of authentication, such as `AuthenticationFailed`.
    static func authentication(_ kind: String, _ text: String) -> BusError { bluez("Authentication" + kind, text) }

    /// Invalid arguments: an error of BlueZ, or that of the standard interfaces.
    static func invalidArguments(_ text: String, isStandard: Bool = false) -> BusError {
        isStandard ? BusError("org.freedesktop.DBus.Error.InvalidArgs", text) : bluez("InvalidArguments", text)
    }

    static func unknownObject(_ call: BusCall) -> BusError { unknown("Object", call) }
    static func unknownMethod(_ call: BusCall) -> BusError { unknown("Method", call) }

    private static func unknown(_ kind: String, _ call: BusCall) -> BusError {
        let signature = call.arguments.map(\.type).joined()
        let interface = call.interface.isEmpty ? "(null)" : call.interface
        return BusError(
            "org.freedesktop.DBus.Error.Unknown" + kind,
            "Method \"\(call.member)\" with signature \"\(signature)\" on interface \"\(interface)\" doesn't exist\n"
        )
    }
}

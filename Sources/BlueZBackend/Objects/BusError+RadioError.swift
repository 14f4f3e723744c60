import BluetoothModel
import SystemBus

extension BusError {
    /// Returns the error that an answer of BlueZ means. `handle` is the attribute of the request, 0 if there is none.
    func radioError(handle: UInt16 = 0) -> RadioError {
        switch name {
        case Self.timeout: return .timeout
        case Self.closed, Self.noBus, Self.libraryMissing: return .radio(.unsupported, reason: text)
        case Self.invalidMessage: return .invalidArgument(text)
        default: break
        }
        switch kind {
        case "NotReady":
            return .radio(.poweredOff, reason: "the adapter is switched off; 'bluetoothctl power on' switches it on")
        case "NoReply", "Disconnected", "ServiceUnknown", "NameHasNoOwner":
            return .radio(.resetting, reason: "bluetoothd has stopped; 'sudo systemctl restart bluetooth' starts it")
        case "AccessDenied":
            return .radio(
                .unauthorized,
                reason:
                    "D-Bus denies this user access to bluetoothd; 'sudo usermod -aG bluetooth $USER', then log in "
                    + "again ('harald doctor' reports details)")
        case "NotConnected", "UnknownObject", "DoesNotExist": return .notConnected
        case "InProgress":
            return .limit(
                "another program on this machine is performing the same operation; BlueZ does not report which")
        case "NotPermitted": return notPermitted(handle)
        case "NotAuthorized": return .att(.insufficientAuthorization, handle: handle)
        case "NotSupported": return .att(.requestNotSupported, handle: handle)
        case "InvalidOffset": return .att(.invalidOffset, handle: handle)
        case "InvalidValueLength": return .att(.invalidValueLength, handle: handle)
        case "InvalidArguments" where text.hasSuffix("ffset"): return .att(.invalidOffset, handle: handle)
        case "InvalidArguments" where text.hasSuffix("ength"): return .att(.invalidValueLength, handle: handle)
        case "InvalidArguments": return .invalidArgument("BlueZ: \(text)")
        case "Failed": return failed(handle)
        case "AuthenticationCanceled", "AuthenticationRejected":
            return .security(.init(.refused, "pairing was refused, by this side or by the device"))
        case "AuthenticationFailed": return .security(.init(.failed, "pairing failed: \(text)"))
        case "AuthenticationTimeout":
            return .security(.init(.timeout, "the other device stopped responding during pairing"))
        case "ConnectionAttemptFailed": return .disconnected(.failedToEstablish)
        default: return .limit("BlueZ: \(self)")
        }
    }

    /// True for an operation on an attribute that ended without a response of the device: BlueZ fails those in progress
    /// before it reports the end of the link.
    var isWithoutResponse: Bool { kind == "Failed" && text == "Operation failed" }

    private func notPermitted(_ handle: UInt16) -> RadioError {
        switch text.lowercased() {
        case "read not permitted": return .att(.readNotPermitted, handle: handle)
        case "write not permitted": return .att(.writeNotPermitted, handle: handle)
        case "not paired": return .att(.insufficientAuthentication, handle: handle)
        case let words where words.contains("acquired"):
            return .limit("another program on this machine has acquired the characteristic exclusively")
        default: return .limit("BlueZ: \(self)")
        }
    }

    private func failed(_ handle: UInt16) -> RadioError {
        // "Operation failed with ATT error: 0x0e"
        if let mark = text.firstRange(of: "ATT error: 0x"),
            let code = UInt8(text[mark.upperBound...].prefix(2), radix: 16)
        {
            return .att(ATTErrorCode(rawValue: code), handle: handle)
        }
        let words = text.lowercased()
        if words.contains("not connected") || words.contains("disconnected") { return .notConnected }
        if handle != 0, words.hasPrefix("operation failed") { return .att(.unlikelyError, handle: handle) }
        return .limit("BlueZ: \(self)")
    }

    /// The error of BlueZ's answer to a change of the adapter's power.
    var powerError: RadioError {
        if kind == "Blocked" || text.lowercased().contains("rfkill") {
            return .radio(
                .poweredOff,
                reason: "the adapter is blocked by a radio switch; 'rfkill unblock bluetooth' unblocks it")
        }
        return radioError()
    }

    /// True if another attempt to connect may succeed: the first one often fails for radio reasons.
    var isWorthAnotherAttempt: Bool {
        switch kind {
        case "Failed", "ConnectionAttemptFailed", "InProgress", "NotAvailable", "NoReply": name != Self.timeout
        default: false
        }
    }
}

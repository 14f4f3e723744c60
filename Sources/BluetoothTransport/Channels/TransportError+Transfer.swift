#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension TransportError {
    /// Returns the error for an `errno` of a read or a write on `name`.
    static func transferring(_ operation: String, name: String, code: Int32) -> TransportError {
        switch code {
        case EPIPE, ECONNRESET: .closedByPeer(name)
        case EIO, ENXIO, ENODEV: .notFound(name, cure: "it was unplugged or switched off; plug it in and try again")
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN:
            .unreachable(name, reason: SystemCall.text(of: code))
        default: .system(operation: operation, target: name, code: code, reason: SystemCall.text(of: code))
        }
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system interface with which the loops of adapters wait for a socket and read it on Linux. Other systems have
/// poll, and no choice.
package enum LoopWait: String, CaseIterable, Sendable {
    /// `recv`, in which the loop's thread blocks while it has only one descriptor; epoll while it has several. This is
    /// the rule.
    case receive = "recv"
    /// epoll, then one system call for each packet.
    case epoll

    /// The environment variable that selects an interface by its name.
    package static let variable = "HARALD_WAIT"
    /// The value of ``variable``; nil if it is not set.
    package static var request: String? { getenv(variable).map { String(cString: $0) } }

    /// Creates the interface that `request` names, or the rule.
    package init(request: String?) { self = request.flatMap(Self.init) ?? .receive }

    /// The interface of the loops of this process.
    static let ofThisProcess = LoopWait(request: request)
}

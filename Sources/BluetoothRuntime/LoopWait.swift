#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system interface with which the loops of adapters wait for sockets and read them.
///
/// The rule is `recv` for the only socket of a loop, and io_uring for several, or epoll where the kernel does not
/// permit it. On systems other than Linux it is poll, and there is no choice.
package struct LoopWait: Hashable, Sendable {
    /// An interface of Linux.
    package enum Interface: String, CaseIterable, Sendable {
        /// io_uring: one system call sends, waits and receives.
        case ring
        /// epoll, then one system call for each packet.
        case epoll
        /// `recv`, in which the loop's thread blocks while it has only one descriptor; with several, the ring or epoll.
        case receive = "recv"
    }

    /// The environment variable that overrides the rule with the name of an interface.
    package static let variable = "HARALD_WAIT"

    /// The value of ``variable``; nil if it is not set.
    package var request: String?
    /// True if the kernel permits io_uring to this process.
    package var hasRing: Bool

    package init(request: String?, hasRing: Bool) {
        self.request = request
        self.hasRing = hasRing
    }

    /// The choice of this process. This opens an io_uring and closes it.
    package static var ofThisProcess: LoopWait {
        #if os(Linux) || os(Android)
        LoopWait(request: requested, hasRing: ReadRing.isAvailable)
        #else
        LoopWait(request: requested, hasRing: false)
        #endif
    }

    /// The interface that the request names; nil if it names none.
    package var override: Interface? { request.flatMap(Interface.init) }
    /// The interface that is used.
    package var interface: Interface {
        switch override {
        case .epoll?: .epoll
        case .receive?: .receive
        case .ring?: hasRing ? .ring : .receive
        case nil: .receive
        }
    }

    /// The interface that loops of this process try first. Without a ring, ``Interface/ring`` is
    /// ``Interface/receive``; without a signal for it, ``Interface/receive`` is ``Interface/ring``.
    static let preferred = requested.flatMap(Interface.init) ?? .receive

    private static var requested: String? { getenv(variable).map { String(cString: $0) } }
}

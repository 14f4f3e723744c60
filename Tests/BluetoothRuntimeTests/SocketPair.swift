#if os(Linux)
import Glibc
import Testing

/// Returns two connected sockets, which are closed by the caller.
func socketPair(_ type: __socket_type = SOCK_SEQPACKET) throws -> (own: Int32, other: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}
#endif

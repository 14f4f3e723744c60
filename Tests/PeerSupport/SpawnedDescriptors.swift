#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Closes the descriptors that a child would inherit, except its standard streams: a server's socket in a child of
/// another test keeps the port in use.
func closeInherited(_ actions: inout posix_spawn_file_actions_t) {
    // One that is not open is passed over.
    for descriptor in 3..<Int32(1024) { posix_spawn_file_actions_addclose(&actions, descriptor) }
}
#endif

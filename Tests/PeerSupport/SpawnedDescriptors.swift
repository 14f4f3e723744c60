#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Closes what a child would inherit but its standard streams: a server's socket that a child of another test holds
/// open keeps its port taken.
func closeInherited(_ actions: inout posix_spawn_file_actions_t) {
    // One that is not open is passed over.
    for descriptor in 3..<Int32(1024) { posix_spawn_file_actions_addclose(&actions, descriptor) }
}
#endif

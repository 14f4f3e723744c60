#if os(Linux)
import PeerSupport
import Testing

/// All tests against independent peers, one after the other: each of them keeps both cores busy.
///
/// `make test` counts a skipped test of this target as a failure when `HARALD_REQUIRE_PEERS=1`.
@Suite("Independent peers", .serialized, .needsPeers, .timeLimit(.minutes(5)))
enum PeerSuites {}

extension Trait where Self == ConditionTrait {
    /// Skips if the Python environment of the peers is missing.
    static var needsPeers: Self { .enabled(if: Peers.areAvailable, Comment(rawValue: Peers.howToGetThem)) }

    /// Skips if there is no RootCanal for this kind of machine.
    static var needsRootCanal: Self {
        .enabled(if: Peers.isRootCanalAvailable, "RootCanal's package has a program for x86-64 only")
    }
}
#endif

#if os(Linux)
import Foundation
import PeerSupport
import Testing

extension PeerSuites {
    /// `harald decode --advertisement` beside other decoders: random advertisements, which Python builds from the
    /// documents of the formats, and mutations of them. `make judges COUNT=100000` compares more.
    @Suite("Advertised values beside other decoders")
    struct AdvertisedValuesTests {
        @Test("Every difference has a known reason")
        func all() async throws {
            let directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            let names = ["harald", "HaraldCommand"].map { directory.appending(path: $0).path() }
            let harald = try #require(
                names.first { FileManager.default.isExecutableFile(atPath: $0) }, "the program was not built")
            let peer = try Peers.start(
                .advertised, ["--count", "4400", "--decoder", "\(harald) decode --advertisement - --json"])
            let result = try await peer.event("compared", timeout: .seconds(240))
            #expect(result["unknown"]?.int == 0, "\(peer.transcript)")
            #expect((result["comparisons"]?.int ?? 0) >= 4400)
        }
    }
}
#endif

/// One requirement for every backend, as a function that runs on a backend under test.
package struct Scenario: Sendable, CustomStringConvertible {
    /// The name, unique among all.
    package let name: String
    /// The capabilities without which the scenario is excluded.
    package let needs: Set<ConformanceCapability>
    private let body: @Sendable (Bench) async throws -> Void

    init(
        _ name: String, needs: Set<ConformanceCapability> = [], _ body: @escaping @Sendable (Bench) async throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.body = body
    }

    package var description: String { name }

    /// All scenarios.
    package static let all =
        connecting + sharing + operations + subscriptions + scans + observers + endings + pairing + users

    /// Runs the scenario in a world of its own.
    /// - Throws: ``ScenarioFailure``, or the error of opening the backend.
    package func run(on backend: some ConformanceBackend) async throws {
        let world = try await backend.makeWorld()
        let bench = Bench(world)
        do {
            try await body(bench)
            try await bench.finish()
        } catch {
            await bench.abandon()
            await world.shutDown()
            throw error
        }
        await world.shutDown()
    }
}

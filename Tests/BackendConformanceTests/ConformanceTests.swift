import BackendConformance
import BluetoothBackend
import Testing

/// Runs the scenarios of `Tests/Conformance` on every backend except BlueZ, which `BlueZBackendTests` tests.
@Suite(.timeLimit(.minutes(3))) struct ConformanceTests {
    @Test(arguments: FakeBackend().scenarios) func fake(_ scenario: Scenario) async throws {
        try await scenario.run(on: FakeBackend())
    }

    @Test(arguments: HostConformance().scenarios) func host(_ scenario: Scenario) async throws {
        try await scenario.run(on: HostConformance())
    }

    #if os(Linux)
    @Test(arguments: AppleConformance().scenarios) func apple(_ scenario: Scenario) async throws {
        try await scenario.run(on: AppleConformance())
    }
    #endif

    @Test func scenariosHaveDistinctNames() {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
    }

    @Test func ownBackendsPassAllScenarios() {
        #expect(FakeBackend().excludedPart == 0 && HostConformance().excludedPart == 0)
    }

    #if os(Linux)
    @Test func theSystemsBackendIsExcludedFromFew() async throws { try await checkExclusions(AppleConformance()) }
    #endif

    @Test func theHostBackendLacksNothing() async throws { try await checkExclusions(HostConformance()) }
    @Test func theFakeBackendLacksNothing() async throws { try await checkExclusions(FakeBackend()) }

    private func checkExclusions(_ backend: some ConformanceBackend) async throws {
        let problems = try await backend.problemsOfExclusions(limit: 0.15)
        #expect(problems == [])
    }
}

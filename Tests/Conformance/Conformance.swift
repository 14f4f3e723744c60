import Foundation

/// Runs the scenarios over the fake backend, as the tests do: for `Scripts/kernel-faults`, which builds nothing else.
@main
struct Conformance {
    static func main() async {
        let backend = FakeBackend()
        var failures = 0
        // A failure is a wait that ends; without a fault each takes milliseconds.
        let limit = Duration.milliseconds(ProcessInfo.processInfo.environment["LIMIT"].flatMap { Int($0) } ?? 60_000)
        for scenario in backend.scenarios {
            do {
                try await WaitLimit.$current.withValue(limit) { try await scenario.run(on: backend) }
            } catch {
                failures += 1
                print("FAILED \(scenario): \(error)")
            }
        }
        print("conformance: scenarios=\(backend.scenarios.count) failures=\(failures)")
        exit(failures == 0 ? 0 : 1)
    }
}

import TestSupport
import Testing

/// Closes the rigs of a test when it ends, also when it throws.
struct ClosesRigs: SuiteTrait, TestTrait, TestScoping {
    typealias Closing = @Sendable () async -> Void

    @TaskLocal private static var closings: Locked<[Closing]>?

    /// True: the tests of a suite have the trait too.
    var isRecursive: Bool { true }

    /// Registers what runs at the end of the test, the last first.
    static func atEnd(_ closing: @escaping Closing) throws {
        let closings = try #require(closings, "a suite with rigs needs the trait .closesRigs")
        closings.with { $0.append(closing) }
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.perform(function)
    }

    /// Performs what is not in a test's scope: the body of an exit test.
    static func perform(_ function: () async throws -> Void) async throws {
        let closings = Locked<[Closing]>([])
        let result: Result<Void, any Error>
        do {
            result = .success(try await $closings.withValue(closings) { try await function() })
        } catch {
            result = .failure(error)
        }
        for closing in closings.value.reversed() { await closing() }
        try result.get()
    }
}

extension Trait where Self == ClosesRigs {
    /// Rigs are closed when the test ends.
    static var closesRigs: Self { Self() }
}

extension Task where Success == Never, Failure == Never {
    /// The pause between two looks at a state that announces no change. A loop of yields would take a core from all
    /// other tests.
    /// - Throws: `CancellationError`, such as when the test exceeds its time limit.
    package static func pause() async throws { try await Task.sleep(for: .milliseconds(2)) }
}

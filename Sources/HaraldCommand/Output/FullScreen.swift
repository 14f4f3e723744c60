import TerminalScreen

/// A screen that fills the terminal while a command runs.
enum FullScreen {
    /// Runs `body` with the screen, then restores the terminal. Messages are held until then.
    /// - Parameter onMessage: called with each held message.
    /// - Throws: the error of `body`.
    static func run<Result>(
        onMessage: @escaping @Sendable (String) -> Void = { _ in }, _ body: (TerminalSession) async throws -> Result
    ) async throws -> Result {
        HeldMessages.shared.begin(onMessage)
        let session = TerminalSession(placement: .screen, readsKeys: true) { Console.write($0) }
        return try await closing {
            try await body(session)
        } with: {
            await session.close()
            HeldMessages.shared.end()
        }
    }
}

import AsyncHTTPClient

extension HTTPClient {
    /// The time for open connections to be closed.
    private static let patience = Duration.milliseconds(500)

    /// Closes the client. A connection that is being established ends only with its time limit, which would delay the
    /// end of the program: it is left to that.
    package func end() async {
        let (events, ended) = AsyncStream<Void>.makeStream()
        let tasks = [
            _Concurrency.Task {
                try? await shutdown()
                ended.finish()
            },
            _Concurrency.Task {
                try? await _Concurrency.Task.sleep(for: Self.patience)
                ended.finish()
            },
        ]
        for await _ in events {}
        // Only the pause ends with the cancellation.
        for task in tasks { task.cancel() }
    }
}

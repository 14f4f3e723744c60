/// Times of requests to BlueZ.
enum RemoteRequest {
    /// The number of attempts, and the pause between them, of a request that BlueZ refuses because another program's is
    /// in progress.
    static let attempts = 20
    static let pause = Duration.milliseconds(100)
    /// The time within which BlueZ reports the end of a link after it has failed the operations in progress.
    static let endOfLink = Duration.seconds(2)
}

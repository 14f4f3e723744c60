/// The number of attempts, and the pause between them, of a request that BlueZ refuses because another program's is in
/// progress.
enum RemoteRequest {
    static let attempts = 20
    static let pause = Duration.milliseconds(100)
}

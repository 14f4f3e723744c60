/// How often, and how long apart, a request is tried again that BlueZ refuses because somebody else's is in progress.
enum RemoteRequest {
    static let attempts = 20
    static let pause = Duration.milliseconds(100)
}

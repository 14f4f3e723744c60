/// The state that several servers share, so that a browser can use any of them.
package protocol SharedWebState: Sendable {
    /// Returns the secret with a name, for which the first server supplies the content.
    func secret(_ name: String, first: [UInt8]) async throws -> [UInt8]

    /// Returns true if a session was ended early.
    func isEnded(_ session: String) async throws -> Bool

    /// Ends a session that expires at a time in seconds since 1970.
    func end(_ session: String, expires: Int) async throws

    /// Uses a credit of a network, or of one of its accounts, for an attempt at a password.
    /// - Returns: nil if there was one; else the seconds until there is one.
    func takeTry(of network: String, limit: Double, secondsPerTry: Double) async throws -> Double?

    /// Returns the credit that an attempt used.
    func returnTry(of network: String) async throws
}

import Forwarding
import Foundation
import HealthHub

/// The address of a hub that receives readings.
package struct HubAddress: Sendable, Equatable {
    /// The URL of `POST /api/v1/readings`.
    package let readings: String

    /// Parses an address such as `https://hub.example:8093`.
    /// - Throws: ``HubProblem`` for an invalid address, and for plain HTTP beyond loopback, which would reveal the
    ///   token.
    package init(_ text: String) throws(HubProblem) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), url.host?.isEmpty == false, url.isPortValid, url.query == nil,
            url.fragment == nil, url.user == nil
        else { throw HubProblem(.invalid, "'\(text)' is not the address of a hub; use https://HOST:PORT") }
        guard scheme == "https" || url.isLoopback else {
            throw HubProblem(
                .invalid, "'\(text)' would send the token unencrypted; use https:// beyond this machine")
        }
        var base = text
        while base.hasSuffix("/") { base.removeLast() }
        let path = "/api/v1/readings"
        readings = base.hasSuffix(path) ? base : base + path
    }
}

import AsyncHTTPClient
import Foundation
import HealthHub
import JSON

/// The parts of a response that is no result.
extension ReadingSender {
    /// Returns true if a response is a ``Problem`` of a hub. A proxy may respond with the same statuses.
    static func isHubProblem(_ response: HTTPClientResponse, _ body: Data) -> Bool {
        let type = response.headers.first(name: "content-type")?.prefix { $0 != ";" }
        guard type?.trimmingCharacters(in: .whitespaces).lowercased() == "application/problem+json"
        else { return false }
        let object = try? JSONValue(parsing: Array(body))
        return object?["type"]?.string?.hasPrefix("/problems/") == true
    }

    static func detail(_ body: Data) -> String? {
        let object = try? JSONValue(parsing: Array(body))
        return (object?["detail"] ?? object?["title"])?.string.map(HubReply.line)
    }
}

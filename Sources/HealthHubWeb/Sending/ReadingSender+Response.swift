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

    /// Parses the time of `Retry-After`: seconds or a date (RFC 9110, 10.2.3); at most an hour.
    static func retryAfter(_ text: String?, now: Date = Date()) -> Duration? {
        guard let text = text?.trimmingCharacters(in: .whitespaces) else { return nil }
        // A number of any length is a number of seconds.
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int(text) ?? .max, 3600))
        }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text).map { .seconds(min(max($0.timeIntervalSince(now), 0), 3600)) }
    }
}

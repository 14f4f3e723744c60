import AsyncHTTPClient
import Foundation
import NIOCore

extension HTTPClient {
    /// Sends a request and collects the body of the response. The deadline of the client itself ends at the head of the
    /// response.
    /// - Parameters:
    ///   - limit: the time limit for both.
    ///   - size: the maximum number of octets of the body.
    /// - Throws: `HTTPClientError.deadlineExceeded` after the time limit, or the error of the client.
    package func exchange(
        _ request: HTTPClientRequest, within limit: Duration, upTo size: Int
    ) async throws -> (response: HTTPClientResponse, body: Data) {
        try await withThrowingTaskGroup(of: (HTTPClientResponse, Data).self) { group in
            group.addTask {
                let response = try await self.execute(request, deadline: .distantFuture)
                return (response, Data(try await response.body.collect(upTo: size).readableBytesView))
            }
            group.addTask {
                try await _Concurrency.Task.sleep(for: limit)
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw HTTPClientError.deadlineExceeded }
            return first
        }
    }
}

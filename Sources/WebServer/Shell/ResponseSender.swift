#if Programs
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Sends a response to the client of a connection.
struct ResponseSender: Sendable {
    let connection: NIOLoopBound<HTTPConnection>
    let eventLoop: any EventLoop

    /// - Parameter isHead: true if the request is HEAD; the response then ends after its head (RFC 9110, 9.3.2).
    func send(_ response: Response, isHead: Bool) async {
        var head = response.head
        head.headerFields[.date] = ResponseDate.text
        if isHead {
            return eventLoop.execute { [connection, head] in connection.value.finish(head) }
        }
        let writer = ResponseSenderWriter(sender: self, head: head, length: response.body.contentLength)
        do {
            try await response.body.write(writer)
        } catch {
            eventLoop.execute { [connection] in connection.value.fail() }
        }
    }
}

/// Writes the body of a response. A body of one piece is sent together with the head.
private struct ResponseSenderWriter: ResponseBodyWriter {
    let sender: ResponseSender
    /// The head, until it is sent.
    var head: HTTPResponse?
    let length: Int?
    /// The whole body.
    var body: ByteBuffer?

    init(sender: ResponseSender, head: HTTPResponse, length: Int?) {
        (self.sender, self.head, self.length) = (sender, head, length)
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        if head != nil, body == nil, buffer.readableBytes == length {
            body = buffer
            return
        }
        var bytes = body ?? ByteBuffer()
        if body == nil { bytes = buffer } else { bytes.writeImmutableBuffer(buffer) }
        let first = head
        (head, body) = (nil, nil)
        let sent = sender.eventLoop.makePromise(of: Void.self)
        sender.eventLoop.execute { [connection = sender.connection, bytes] in
            connection.value.stream(first, bytes, sent)
        }
        try await sent.futureResult.get()
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        sender.eventLoop.execute { [connection = sender.connection, head, body] in
            connection.value.finish(head, body, trailingHeaders)
        }
    }
}

/// The field `Date` of responses (RFC 9110, 5.6.7), which is formatted once a second.
private enum ResponseDate {
    private static let cached = Mutex<(second: Int, text: String)>((0, ""))

    static var text: String {
        let second = time(nil)
        return cached.withLock { cached in
            if cached.second != second { cached = (second, format(second)) }
            return cached.text
        }
    }

    private static func format(_ second: Int) -> String {
        var (second, parts) = (second, tm())
        gmtime_r(&second, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
#endif

import Hummingbird
import NIOCore
import Synchronization

extension EventHub {
    /// The response that carries a stream of events until the client or the server ends it.
    ///
    /// - Parameters:
    ///   - request: its `Last-Event-ID` determines the position to continue from.
    ///   - viewer: the key of the viewer; several streams may have the same.
    ///   - limit: the maximum number of open streams.
    ///   - first: returns the first event, after the stream has opened.
    /// - Throws: ``Problem`` 503 if too many streams are open.
    package func response(
        to request: Request, viewer: String, limit: Int = 256,
        first: @escaping @Sendable () -> (name: String, data: String)
    ) throws -> Response {
        guard let place = takePlace(limit: limit) else {
            throw Problem.unavailable("\(limit) event streams are already open.")
        }
        let lastEventID = request.headers[.lastEventID]
        let headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .init("X-Accel-Buffering") ?? .via: "no",
        ]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { [self] writer in
                let (stream, cursor, isUnknown) = open(viewer: viewer, lastEventID: lastEventID)
                defer { withExtendedLifetime(place) { close(stream: stream, viewer: viewer) } }
                // The task is cancelled when the client disconnects. A client that disconnects without ending its
                // connection is detected when the next comment is written.
                try await run(
                    stream: stream, from: cursor, isUnknown: isUnknown, viewer: viewer, first: first(), writer: &writer)
                try await writer.finish(nil)
            })
    }

    private func run(
        stream: Int, from start: EventLog.Cursor, isUnknown: Bool, viewer: String,
        first: (name: String, data: String), writer: inout any ResponseBodyWriter
    ) async throws {
        var cursor = start
        var head = EventLog.encoded(id: "\(boot)-\(cursor.sequence)", name: first.name, data: first.data)
        if isUnknown {
            // The position in an earlier start is unknown: at least one event was missed.
            head.writeImmutableBuffer(missed(max(1, cursor.ordinal), sequence: cursor.sequence))
        }
        try await writer.write(head)
        let heartbeat = Task { [self] in
            while !Task.isCancelled {
                await pause(keepAlive)
                wake(stream: stream)
            }
        }
        defer { heartbeat.cancel() }
        while await wait(stream: stream, at: cursor) {
            var isSilent = true
            while let batch = read(&cursor, viewer: viewer) {
                isSilent = false
                var bytes = batch.missed > 0 ? missed(batch.missed, sequence: batch.missedSequence) : ByteBuffer()
                bytes.writeImmutableBuffer(batch.bytes)
                try await writer.write(bytes)
            }
            if isSilent { try await writer.write(ByteBuffer(string: ":\n\n")) }
        }
    }

    private func missed(_ count: UInt64, sequence: UInt64) -> ByteBuffer {
        EventLog.encoded(id: "\(boot)-\(sequence)", name: "missed", data: "{\"count\":\(count)}")
    }
}

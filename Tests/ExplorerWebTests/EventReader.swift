import AsyncHTTPClient
import Explorer
import NIOCore
import Synchronization

@testable import ExplorerWeb

/// The time limit of one wait, long enough for a busy machine.
let patience = Duration.seconds(45)

/// Returns the result of the body. Fails when it takes longer than `limit`, and cancels it.
func within<Value: Sendable>(
    _ what: String, limit: Duration = patience, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await Task.sleep(for: limit)
            throw InputError("waited \(limit) in vain for \(what)")
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

/// Reads server-sent events, until it is released.
final class EventReader: Sendable {
    private struct State {
        var text = ""
        var events: [APIRig.Event] = []
        /// The events that were taken or passed over, for the report of a failure.
        var heard: [String] = []
        var end: String?
    }

    private final class Inbox: Sendable {
        let state = Mutex(State())
        let changes: AsyncStream<Void>
        let change: AsyncStream<Void>.Continuation

        init() { (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1)) }

        func take(_ chunk: String) {
            state.withLock { state in
                state.text += chunk
                while let end = state.text.range(of: "\n\n") {
                    let event = EventReader.event(state.text[..<end.lowerBound])
                    state.text = String(state.text[end.upperBound...])
                    if let event { state.events.append(event) }
                }
            }
            change.yield()
        }

        func finish(_ reason: String) {
            state.withLock { $0.end = reason }
            change.yield()
        }
    }

    private let inbox = Inbox()
    private let reading: Task<Void, Never>

    init(_ body: HTTPClientResponse.Body) {
        let inbox = inbox
        reading = Task {
            do {
                for try await chunk in body { inbox.take(String(buffer: chunk)) }
                inbox.finish("the server ended it")
            } catch {
                inbox.finish("\(error)")
            }
        }
    }

    deinit { reading.cancel() }

    /// The next event, or the next one with this name for which the condition holds.
    func next(
        _ name: String? = nil, limit: Duration = patience, where isMeant: (JSONValue) -> Bool = { _ in true }
    ) async throws -> APIRig.Event {
        let deadline = ContinuousClock.now + limit
        let alarm = Task { [inbox] in
            try await Task.sleep(until: deadline)
            inbox.change.yield()
        }
        defer { alarm.cancel() }
        var changes = inbox.changes.makeAsyncIterator()
        while true {
            let (event, end, heard) = inbox.state.withLock { state in
                let index = state.events.firstIndex { ($0.name == name || name == nil) && isMeant($0.data) }
                let event = index.map { state.events[$0] }
                let passed = state.events.prefix(index.map { $0 + 1 } ?? state.events.count)
                state.heard += passed.map { "\($0.name) \($0.data.text)" }
                state.events.removeFirst(passed.count)
                return (event, state.end, state.heard)
            }
            if let event { return event }
            let what = "event \(name ?? "of any name"), after:\n" + heard.suffix(40).joined(separator: "\n")
            if let end { throw InputError("the stream ended (\(end)) before the \(what)") }
            guard ContinuousClock.now < deadline else { throw InputError("waited \(limit) in vain for the \(what)") }
            _ = await changes.next()
            try Task.checkCancellation()
        }
    }

    private static func event(_ block: Substring) -> APIRig.Event? {
        var fields: [String: String] = [:]
        for line in block.split(separator: "\n") {
            guard let colon = line.range(of: ": ") else { continue }
            fields[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        guard let name = fields["event"], let data = fields["data"] else { return nil }
        return APIRig.Event(
            id: fields["id"] ?? "", name: name, data: (try? JSONValue(parsing: Array(data.utf8))) ?? .null)
    }
}

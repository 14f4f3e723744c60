import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// Answers the requests of centrals on the loop, or runs the user's handlers, in the order of each central's requests.
final class LocalResponder: LocalDeviceDelegate {
    weak var core: LocalCore?
    var handlers: [AttributeID: LocalCore.Handlers] = [:]
    private var queues: [PeripheralID: RequestQueue] = [:]

    func end() {
        for queue in queues.values { queue.finish() }
        queues = [:]
    }

    func localDevice(connected central: PeripheralID) { core?.emit(.connected(central)) }

    func localDevice(disconnected central: PeripheralID, _ error: RadioError) {
        queues.removeValue(forKey: central)?.finish()
        core?.senders.value.forget(central)
        core?.emit(.disconnected(central, BluetoothError(error, "connection of central \(central)")))
    }

    func localDevice(read request: LocalReadRequest) {
        guard let core, let read = handlers[request.attribute]?.read else {
            return request.respond(.failure(.readNotPermitted))
        }
        let answer = LoopAnswer(loop: core.radio.loop) { (result: Result<[UInt8], ATTErrorCode>) in
            request.respond(result)
        }
        let (offset, question) = (request.offset, ReadRequest(central: request.central))
        let (activities, attribute) = (core.activities, request.attribute)
        queue(for: request.central, on: core.radio.loop).add {
            let result = await Self.result { try await read(question) }
            if offset == 0 { activities.push(.read(question.central, attribute, result)) }
            answer.give(
                result.flatMap { value in
                    offset <= value.count ? .success(Array(value.dropFirst(offset))) : .failure(.invalidOffset)
                })
        }
    }

    func localDevice(write request: LocalWriteRequest) {
        guard let core else { return }
        guard let values = assembled(request) else {
            request.respond?(.failure(.invalidOffset))
            return
        }
        if values.allSatisfy({ handlers[$0.attribute]?.write == nil }) {
            for value in values {
                core.activities.push(.written(request.central, value.attribute, value.bytes, nil))
            }
            request.respond?(.success(()))
            return
        }
        let respond = request.respond
        let answer = LoopAnswer(loop: core.radio.loop) { (result: Result<Void, ATTErrorCode>) in respond?(result) }
        let (central, expectsResponse, current) = (request.central, request.respond != nil, handlers)
        let activities = core.activities
        let body = { @Sendable in
            var outcome: Result<Void, ATTErrorCode> = .success(())
            for value in values {
                guard case .success = outcome else { break }
                guard let write = current[value.attribute]?.write else {
                    activities.push(.written(central, value.attribute, value.bytes, nil))
                    continue
                }
                let question = WriteRequest(central: central, value: value.bytes, expectsResponse: expectsResponse)
                outcome = await Self.result { try await write(question) }
                var refusal: ATTErrorCode?
                if case .failure(let code) = outcome { refusal = code }
                activities.push(.written(central, value.attribute, value.bytes, refusal))
            }
            answer.give(outcome)
        }
        let queue = queue(for: central, on: core.radio.loop)
        if expectsResponse {
            queue.add(body)
        } else if !queue.addCommand(body) {
            core.countDroppedWrite()
        }
    }

    /// Joins the parts of each attribute: a queued write may consist of several. Returns nil if a part for a handler
    /// leaves a gap: handlers receive whole values.
    private func assembled(_ request: LocalWriteRequest) -> [(attribute: AttributeID, bytes: [UInt8])]? {
        var values: [(attribute: AttributeID, bytes: [UInt8])] = []
        for part in request.parts {
            if let last = values.indices.last, values[last].attribute == part.attribute,
                part.offset == values[last].bytes.count
            {
                values[last].bytes += part.value
            } else {
                if part.offset != 0, handlers[part.attribute]?.write != nil { return nil }
                values.append((part.attribute, part.value))
            }
        }
        return values
    }

    func localDevice(security: LinkSecurity, of central: PeripheralID) {
        core?.emit(.secured(central, security))
    }

    func localDevice(subscribed central: PeripheralID, to characteristic: AttributeID, kind: SubscriptionKind) {
        core?.emit(.subscribed(central, characteristic, kind))
    }

    func localDevice(unsubscribed central: PeripheralID, from characteristic: AttributeID) {
        core?.emit(.unsubscribed(central, characteristic))
    }

    func localDeviceIsReadyToUpdate() {
        guard let core, let device = core.device.value else { return }
        core.senders.value.proceed(on: device)
    }

    func localDevicePasskeyBlocked() { core?.events.push(.passkeyBlocked) }

    func localDevice(advertisingEnded error: RadioError) {
        core?.emit(.advertisingEnded(BluetoothError(error, "advertise")))
    }

    private func queue(for central: PeripheralID, on loop: RadioLoop) -> RequestQueue {
        if let queue = queues[central] { return queue }
        let queue = RequestQueue(executor: loop.handlerExecutor)
        queues[central] = queue
        return queue
    }

    private static func result<Value>(_ body: () async throws -> Value) async -> Result<Value, ATTErrorCode> {
        do {
            return .success(try await body())
        } catch let code as ATTErrorCode {
            return .failure(code)
        } catch {
            return .failure(.unlikelyError)
        }
    }
}

/// Runs the user's handlers for one central, one request after the other.
private final class RequestQueue: Sendable {
    /// The maximum number of pending writes without response; further ones are dropped.
    private static let limit = 1024
    private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation
    private let task: Task<Void, Never>
    /// The number of pending writes without response.
    private let commands: Commands

    private final class Commands: Sendable {
        let count = Atomic<Int>(0)
    }

    init(executor: (any TaskExecutor)?) {
        let (stream, continuation) = AsyncStream<@Sendable () async -> Void>.makeStream()
        self.continuation = continuation
        commands = Commands()
        task = Task(executorPreference: executor) { for await body in stream { await body() } }
    }

    /// Adds a request that is answered. They need no limit: a client sends one after the other (Core 6.0, Vol 3, Part
    /// F, 3.3.2).
    func add(_ body: @escaping @Sendable () async -> Void) { continuation.yield(body) }

    /// Adds a write without response. Returns false if the queue is full of them.
    func addCommand(_ body: @escaping @Sendable () async -> Void) -> Bool {
        guard commands.count.load(ordering: .relaxed) < Self.limit else { return false }
        commands.count.add(1, ordering: .relaxed)
        continuation.yield { [commands] in
            commands.count.subtract(1, ordering: .relaxed)
            await body()
        }
        return true
    }

    func finish() {
        continuation.finish()
        task.cancel()
    }
}

import AsyncHTTPClient
import Forwarding
import Foundation
import HealthHub
import JSON
import NIOCore
import NIOSSL
import Synchronization

/// Sends the readings of a ``SendQueue`` to a hub, with retries, until the hub has stored, recognised or refused each.
package final class ReadingSender: Sendable {
    /// The maximum number of readings in a request.
    package static let batch = 100
    private static let shortestPause = 1.0
    private static let longestPause = 300.0

    private let queue: SendQueue
    private let address: HubAddress
    private let tokenFile: TokenFile
    private let client: HTTPClient
    private let onEvent: @Sendable (Event) -> Void
    private let responseTimeout: Duration
    private let batchSize = Mutex(ReadingSender.batch)
    /// The places of the entries that the hub refused, and that stay in the queue because the disk is full.
    private let skipped = Mutex<Set<Int64>>([])
    /// True if the hub has responded since ``flush(within:)`` began.
    private let hasFlushed = Mutex(false)
    /// The time before which the hub wants no further request, and the reason why the last one failed.
    private let requestedPause = Mutex<(end: ContinuousClock.Instant, reason: String)?>(nil)
    private let wakes: AsyncStream<Void>
    private let waking: AsyncStream<Void>.Continuation

    /// Creates a sender.
    /// - Parameters:
    ///   - tokenFile: the file of the bearer token; read for each request, unless it is a pipe.
    ///   - certificates: the file of trusted certificates in PEM, instead of the system's.
    ///   - connectionTimeout: the time after which an attempt to reach the hub fails.
    ///   - responseTimeout: the time limit for a request with its whole response.
    /// - Throws: ``HubProblem`` for files that cannot be read.
    package init(
        queue: SendQueue, address: HubAddress, tokenFile: String, certificates: String? = nil,
        connectionTimeout: Duration = .seconds(10), responseTimeout: Duration = .seconds(60),
        onEvent: @escaping @Sendable (Event) -> Void
    ) throws(HubProblem) {
        self.responseTimeout = responseTimeout
        (self.queue, self.address, self.onEvent) = (queue, address, onEvent)
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
        settings.timeout = .init(connect: .init(connectionTimeout), read: .seconds(60))
        if let certificates {
            try ReadableFile.check(certificates)
            var tls = TLSConfiguration.makeClientConfiguration()
            do {
                guard try !NIOSSLCertificate.fromPEMFile(certificates).isEmpty else {
                    throw HubProblem(.invalid, "\(certificates) contains no certificate")
                }
            } catch {
                throw HubProblem(.invalid, "\(certificates) is not a PEM certificate file")
            }
            tls.trustRoots = .file(certificates)
            settings.tlsConfiguration = tls
        }
        // Failed requests are retried here, with pauses.
        settings.connectionPool.retryConnectionEstablishment = false
        self.tokenFile = try TokenFile(tokenFile)
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
        (wakes, waking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the sender after a reading was queued.
    package func wake() { waking.yield() }

    /// Sends readings until the task is cancelled.
    package func run() async {
        var pause = Self.shortestPause
        while !Task.isCancelled {
            switch await attempt() {
            case .progress: pause = Self.shortestPause
            case .nothing:
                pause = Self.shortestPause
                for await _ in wakes { break }
            case .failed(let reason, let after): await rest(reason, atLeast: after ?? .zero, &pause)
            case .blocked(let reason): await rest(reason, atLeast: .zero, &pause)
            }
        }
    }

    /// Reports a failure, and waits until the next attempt.
    /// - Parameters:
    ///   - least: the pause that the hub requested. It may request a longer pause, but no shorter one.
    ///   - pause: the pause in seconds, which is doubled.
    private func rest(_ reason: String, atLeast least: Duration, _ pause: inout Double) async {
        guard !Task.isCancelled else { return }
        // The random factor spreads the attempts of gateways that lost the hub at the same time.
        let wait = max(least, .seconds(pause * Double.random(in: 0.75...1)))
        pause = min(pause * 2, Self.longestPause)
        let queued = try? await queue.count()
        onEvent(.waiting(reason: reason, queued: queued, again: wait))
        try? await Task.sleep(for: wait)
    }

    /// Sends the queued readings without retries, within the time limit. A pause that the hub requested is kept.
    /// - Returns: `nothing` if the queue is empty; else the failure.
    package func flush(within limit: Duration) async -> Attempt {
        let late = Attempt.failed("the hub did not respond in time", after: nil)
        hasFlushed.withLock { $0 = false }
        let requested = requestedPause.withLock { $0 }
        if let requested, requested.end - .now >= limit {
            return .failed(requested.reason, after: requested.end - .now)
        }
        return await withTaskGroup(of: Attempt.self) { group in
            group.addTask {
                if let requested { try? await Task.sleep(until: requested.end, clock: .continuous) }
                while !Task.isCancelled {
                    let attempt = await self.attempt()
                    if attempt != .progress { return attempt }
                    self.hasFlushed.withLock { $0 = true }
                }
                return late
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return late
            }
            let first = await group.next() ?? late
            group.cancelAll()
            guard first == late, hasFlushed.withLock({ $0 }) else { return first }
            return .failed("the time at the end was over; the hub has responded to the others", after: nil)
        }
    }

    package func close() async { await client.end() }

    // Ends the connections of a sender that an error left open.
    deinit { client.shutdown { _ in } }

    // MARK: One request

    package func attempt() async -> Attempt {
        let attempt = await attemptOnce()
        requestedPause.withLock { pause in
            if case .failed(let reason, let after?) = attempt {
                pause = (ContinuousClock.now + after, reason)
            } else {
                pause = nil
            }
        }
        return attempt
    }

    private func attemptOnce() async -> Attempt {
        do {
            while true {
                let entries = try await nextEntries()
                if entries.isEmpty { return endOfQueue() }
                let before = skipped.withLock { $0.count }
                for entry in entries {
                    guard let problem = entry.problem else { continue }
                    try await setAside(entry, status: "unusable", problem: problem)
                }
                let usable = entries.filter { $0.problem == nil }
                let attempt = usable.isEmpty ? .progress : try await send(usable)
                // Nothing has left the queue if all entries were skipped.
                let isStuck = skipped.withLock { $0.count } - before == entries.count
                if attempt != .progress || !isStuck { return attempt }
            }
        } catch let problem as QueueProblem {
            return .blocked(problem.description)
        } catch let problem as HubProblem {
            return .failed(problem.description, after: nil)
        } catch  where ConnectionProblem.isClosing(error) {
            return .failed("the hub at \(address.readings) closed the connection", after: nil)
        } catch let error as NIOTooManyBytesError {
            return .failed("\(address.readings): \(ConnectionProblem.text(of: error))", after: nil)
        } catch {
            return .failed(
                "the hub at \(address.readings) cannot be reached: \(ConnectionProblem.text(of: error))", after: nil)
        }
    }

    private func nextEntries() async throws(QueueProblem) -> [SendQueue.Entry] {
        let (count, skipped) = (batchSize.withLock { $0 }, skipped.withLock { $0 })
        let entries = try await queue.first(count + skipped.count).filter { !skipped.contains($0.place) }
        return Array(entries.prefix(count))
    }

    /// Returns the result of an attempt without entries. The next one sends the skipped entries again.
    private func endOfQueue() -> Attempt {
        let count = skipped.withLock { places in
            defer { places = [] }
            return places.count
        }
        guard count > 0 else { return .nothing }
        return .blocked("the disk is full, so that refused readings cannot be moved to \(queue.refusedFile)")
    }

    /// Moves an entry to the file of refused readings, and reports it. If the disk is full, the entry is skipped, so
    /// that others can leave the queue.
    private func setAside(_ entry: SendQueue.Entry, status: String, problem: String) async throws(QueueProblem) {
        if try await isSetAside(entry, problem: problem) { reportProblem(entry, status: status, problem: problem) }
    }

    /// Moves an entry to the file of refused readings.
    /// - Returns: false if the disk is full; the entry is then skipped.
    private func isSetAside(_ entry: SendQueue.Entry, problem: String) async throws(QueueProblem) -> Bool {
        do throws(QueueProblem) {
            try await queue.setAside(entry, problem: problem)
            return true
        } catch {
            guard error.isDiskFull else { throw error }
            skipped.withLock { _ = $0.insert(entry.place) }
            return false
        }
    }

    private func send(_ entries: [SendQueue.Entry]) async throws -> Attempt {
        var request = HTTPClientRequest(url: address.readings)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "authorization", value: "Bearer \(try tokenFile.token())")
        request.body = .bytes(
            ByteBuffer(string: #"{"readings":["# + entries.map(\.body).joined(separator: ",") + "]}"))
        let (response, body) = try await client.exchange(request, within: responseTimeout, upTo: 16 << 20)
        switch response.status.code {
        case 200: return try await take(body, entries)
        case 400, 413, 422:
            // A proxy, too, may limit the size of a body.
            let isHubs = Self.isHubProblem(response, body)
            guard isHubs || (response.status.code == 413 && entries.count > 1) else {
                return .failed(
                    "\(address.readings) did not respond like a hub (status \(response.status.code))", after: nil)
            }
            // A single reading that the hub cannot read must not block the others.
            guard entries.count > 1 else {
                let problem = Self.detail(body) ?? "the hub responded with status \(response.status.code)"
                try await setAside(entries[0], status: "refused", problem: problem)
                return .progress
            }
            batchSize.withLock { $0 = max(1, entries.count / 2) }
            return .progress
        case 401, 403:
            return .failed(
                "the hub refused the token in \(tokenFile.path) (status \(response.status.code))", after: nil)
        case let code:
            let detail = Self.detail(body).map { ": " + $0 } ?? ""
            let after = HTTPPoster.retryAfter(response.headers.first(name: "retry-after"))
            return .failed("the hub responded with status \(code)\(detail)", after: after)
        }
    }

    private func take(_ body: Data, _ entries: [SendQueue.Entry]) async throws -> Attempt {
        guard let reply = HubReply(body) else {
            throw HubProblem(.unavailable, "\(address.readings) did not respond like a hub")
        }
        var done: [SendQueue.Entry] = []
        var answered: [Answered] = []
        var unknown: String?
        var isSkipping = false
        for (place, result) in reply.results.enumerated() {
            let index = result.index ?? place
            guard entries.indices.contains(index) else { continue }
            let entry = entries[index]
            let reading = Self.reading(entry)
            let measurement = reading.flatMap { try? HealthMeasurement.decode($0).first }
            let text = reply.text(of: result, measurement)
            let problem = result.problem.map(HubReply.line)
            switch result.status {
            case "stored", "known": done.append(entry)
            case "refused":
                guard try await isSetAside(entry, problem: problem ?? "no reason") else {
                    isSkipping = true
                    continue
                }
            default:
                unknown = result.status
                continue
            }
            answered.append(
                Answered(
                    entry, reading, status: result.status, problem: problem, person: result.person,
                    judgement: result.judgement, text: text))
        }
        try await queue.remove(done)
        guard !answered.isEmpty || isSkipping else {
            let status = unknown.map { HubReply.line(String($0.prefix(32))) }
            let reason = status.map { "with the unknown status '\($0)'" } ?? "to none of \(entries.count) readings"
            throw HubProblem(.unavailable, "the hub responded \(reason)")
        }
        for answer in answered { onEvent(.answered(answer)) }
        batchSize.withLock { $0 = min(Self.batch, $0 * 2) }
        return .progress
    }

    private func reportProblem(_ entry: SendQueue.Entry, status: String, problem: String) {
        onEvent(
            .answered(
                Answered(
                    entry, Self.reading(entry), status: status, problem: problem,
                    text: "reading: \(status): \(problem)")))
    }

    private static func reading(_ entry: SendQueue.Entry) -> SubmittedReading? {
        (try? JSONValue(parsing: Array(entry.body.utf8))).flatMap { try? SubmittedReading($0) }
    }
}

extension ReadingSender.Answered {
    fileprivate init(
        _ entry: SendQueue.Entry, _ reading: SubmittedReading?, status: String, problem: String?,
        person: String? = nil, judgement: JSONValue? = nil, text: String
    ) {
        self.init(
            id: entry.id, device: reading?.device?.name ?? reading?.device?.id, time: reading?.time, status: status,
            problem: problem, person: person, judgement: judgement, text: text)
    }
}

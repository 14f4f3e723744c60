import AsyncHTTPClient
import Forwarding
import Foundation
import NIOCore
import Synchronization

/// Simulates gateways that post readings to hubs over HTTP.
///
/// Posts arrive at random, as those of independent gateways do. Some are sent twice, as from the memory of a device,
/// and failed ones are sent again to any of the hubs.
package struct GatewaySimulation: Sendable {
    package struct Settings: Sendable {
        package var hubs: [HubAddress]
        package var token: String
        package var gateways: Int
        /// The mean time between two posts of a gateway, in seconds.
        package var interval: Double
        /// The duration, in seconds.
        package var seconds: Double

        package init(hubs: [HubAddress], token: String, gateways: Int, interval: Double, seconds: Double) {
            (self.hubs, self.token, self.gateways) = (hubs, token, gateways)
            (self.interval, self.seconds) = (interval, seconds)
        }
    }

    /// The result of a simulation. Times are in milliseconds, from the arrival of a post to its acknowledgement.
    package struct Report: Sendable, Encodable {
        package var gateways = 0, posts = 0, stored = 0, known = 0, refused = 0, retries = 0
        /// The number of posts that were not acknowledged before the end.
        package var failed = 0
        package var seconds = 0.0, median = 0.0, p95 = 0.0, p99 = 0.0, longest = 0.0
        package var problem: String?
    }

    private struct State {
        var report = Report()
        var times: [Double] = []
    }

    /// The number of simultaneous posts. Further ones wait, and their time counts.
    private static let concurrent = 400
    /// The share of posts that repeat the previous one of their gateway.
    private static let repeated = 0.05
    /// The time limit for a post with all its retries.
    private static let patience = Duration.seconds(60)
    /// The time limit, after the end of the simulation, for posts that a hub is processing.
    private static let grace = Duration.seconds(5)

    private let settings: Settings
    private let client: HTTPClient
    private let onProblem: @Sendable (String) -> Void

    /// Creates a simulation.
    /// - Parameter onProblem: called with the reason of the first post that failed and is sent again.
    package init(_ settings: Settings, onProblem: @escaping @Sendable (String) -> Void = { _ in }) {
        self.settings = settings
        let isTold = Atomic(false)
        self.onProblem = { reason in if !isTold.exchange(true, ordering: .relaxed) { onProblem(reason) } }
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.concurrent
        // Failed posts are sent again here, with pauses.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(configuration: configuration)
    }

    /// Runs until the time is over, or the task is cancelled. Posts that a hub is processing then have five more
    /// seconds; the others are counted as failed.
    package func run() async -> Report {
        var state = State()
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(settings.seconds)
        var numbers = Array(repeating: 0, count: settings.gateways)
        await withTaskGroup(of: (time: Double, outcome: Outcome).self) { group in
            var (arrival, running) = (0.0, 0)
            while arrival < settings.seconds, !Task.isCancelled {
                // The pauses between independent arrivals are distributed exponentially.
                arrival -=
                    log(Double.random(in: .leastNonzeroMagnitude..<1)) * settings.interval
                    / Double(settings.gateways)
                let instant = start + .seconds(arrival)
                if instant > clock.now { try? await clock.sleep(until: min(instant, end)) }
                guard instant < end, !Task.isCancelled else { break }
                if running >= Self.concurrent, let done = await group.next() {
                    Self.add(done, to: &state)
                    running -= 1
                }
                let gateway = Int.random(in: 0..<settings.gateways)
                if numbers[gateway] == 0 || Double.random(in: 0..<1) > Self.repeated { numbers[gateway] += 1 }
                let number = numbers[gateway]
                running += 1
                group.addTask {
                    let outcome = await post(gateway, number, until: end)
                    return ((clock.now - instant) / .milliseconds(1), outcome)
                }
            }
            for await done in group { Self.add(done, to: &state) }
        }
        await client.end()
        var report = state.report
        let times = state.times.sorted()
        func time(_ share: Double) -> Double {
            times.isEmpty ? 0 : (times[Int(Double(times.count - 1) * share)] * 10).rounded() / 10
        }
        report.gateways = settings.gateways
        report.seconds = ((clock.now - start) / .milliseconds(100)).rounded() / 10
        (report.median, report.p95, report.p99, report.longest) = (time(0.5), time(0.95), time(0.99), time(1))
        return report
    }

    private struct Outcome: Sendable {
        var stored = 0, known = 0, refused = 0, retries = 0
        var isAcknowledged = false
        var problem: String?
    }

    private static func add(_ done: (time: Double, outcome: Outcome), to state: inout State) {
        state.report.posts += 1
        state.report.stored += done.outcome.stored
        state.report.known += done.outcome.known
        state.report.refused += done.outcome.refused
        state.report.retries += done.outcome.retries
        state.report.problem = done.outcome.problem ?? state.report.problem
        if done.outcome.isAcknowledged { state.times.append(done.time) } else { state.report.failed += 1 }
    }

    private struct Answer: Decodable {
        struct Result: Decodable { let status: String }
        let results: [Result]
    }

    /// Sends a post until it is acknowledged. After `last` no attempt begins.
    private func post(_ gateway: Int, _ number: Int, until last: ContinuousClock.Instant) async -> Outcome {
        var outcome = Outcome()
        let end = min(ContinuousClock.now + Self.patience, last)
        var pause = 0.1
        let body = Self.body(gateway, number)
        while ContinuousClock.now < end {
            var request = HTTPClientRequest(url: settings.hubs.randomElement()?.readings ?? "")
            do {
                request.method = .POST
                request.headers.add(name: "authorization", value: "Bearer \(settings.token)")
                request.headers.add(name: "content-type", value: "application/json")
                request.body = .bytes(ByteBuffer(string: body))
                let time = min(.seconds(20), max(last - .now, .zero) + Self.grace)
                let response = try await client.execute(request, timeout: .nanoseconds(Int64(time / .nanoseconds(1))))
                let bytes = try await response.body.collect(upTo: 1 << 22)
                if response.status == .ok {
                    let answer = try JSONDecoder().decode(Answer.self, from: Data(bytes.readableBytesView))
                    for result in answer.results {
                        switch result.status {
                        case "stored": outcome.stored += 1
                        case "known": outcome.known += 1
                        default: outcome.refused += 1
                        }
                    }
                    outcome.isAcknowledged = true
                    return outcome
                }
                outcome.problem = "status \(response.status.code)"
                // Other errors of the client are permanent, such as a wrong token.
                guard response.status.code >= 500 || [408, 429].contains(response.status.code) else { return outcome }
            } catch {
                outcome.problem = ConnectionProblem.text(of: error)
            }
            if Task.isCancelled { return outcome }
            onProblem("\(request.url): \(outcome.problem ?? "no response")")
            let next = ContinuousClock.now + .seconds(pause * Double.random(in: 0.5...1))
            guard next < end else { return outcome }
            try? await Task.sleep(until: next, clock: .continuous)
            if Task.isCancelled { return outcome }
            outcome.retries += 1
            pause = min(pause * 2, 5)
        }
        return outcome
    }

    /// The values of a cuff of the gateway, the same for the same number.
    private static func body(_ gateway: Int, _ number: Int) -> String {
        let readings = (0..<(1 + (gateway + number) % 3)).map { index in
            let minute = number * 3 + index
            let systolic = 105 + (gateway * 7 + minute * 13) % 60
            let octets = [
                0x06, systolic, 0, systolic - 45, 0, systolic - 25, 0, 2026 & 0xFF, 2026 >> 8,
                1 + minute / 40320 % 12, 1 + minute / 1440 % 28, minute / 60 % 24, minute % 60, 0, 70, 0,
            ]
            let hex = octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
            return """
                {"device":{"serial":"SIM-\(gateway)"},"characteristic":"2A35","hex":"\(hex)","clockOffset":0,\
                "gateway":"simulated \(gateway)","simulated":true}
                """
        }
        return #"{"readings":["# + readings.joined(separator: ",") + "]}"
    }
}

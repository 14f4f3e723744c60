import BluetoothProfiles
import Explorer
import Harald

/// The notified values of several characteristics in one stream with a time limit.
struct MergedValues: Sendable {
    /// The values. The stream ends when the time has elapsed, or with an error.
    let stream: AsyncThrowingStream<CharacteristicValue, any Error>
    /// The number of values dropped between the subscriptions and the stream.
    private let overflow = DropCount()
    private let subscriptions: [BluetoothStream<[UInt8]>]

    /// The number of values dropped because they were not consumed in time.
    var dropped: Int { subscriptions.reduce(overflow.value) { $0 + $1.droppedCount } }

    /// - Parameters:
    ///   - limit: the time after which the stream ends; nil for no limit.
    ///   - silence: the longest time without a value; nil for no limit.
    ///   - capacity: the number of buffered values per characteristic, and in total, beyond which the oldest are
    ///     dropped.
    init(
        _ characteristics: [Characteristic], kind: SubscriptionKind, limit: Duration?, silence: Duration?,
        capacity: Int = 65536
    ) {
        // Subscribed here, so that all subscriptions start together.
        let streams = characteristics.map { ($0, $0.notifications(kind, buffering: .newest(capacity))) }
        subscriptions = streams.map(\.1)
        let overflow = overflow
        stream = AsyncThrowingStream(bufferingPolicy: .bufferingNewest(capacity)) { continuation in
            let task = Task {
                await withTaskGroup(of: Result<Void, any Error>.self) { group in
                    let pulse = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                    for (characteristic, values) in streams {
                        group.addTask {
                            do {
                                var format: CharacteristicPresentationFormat??
                                for try await bytes in values {
                                    pulse.continuation.yield()
                                    if format == nil {
                                        format = .some(await characteristic.presentationFormat(timeout: .seconds(10)))
                                    }
                                    let value = CharacteristicValue(bytes, of: characteristic, format: format ?? nil)
                                    if case .dropped = continuation.yield(value) { overflow.add(1) }
                                }
                                return .success(())
                            } catch {
                                return .failure(error)
                            }
                        }
                    }
                    if let limit {
                        group.addTask {
                            try? await Task.sleep(for: limit)
                            return .success(())
                        }
                    }
                    if let silence { group.addTask { await Self.watch(pulse.stream, silence) } }
                    // The first task that ends ends all others.
                    let result = await group.next() ?? .success(())
                    group.cancelAll()
                    switch result {
                    case .success: continuation.finish()
                    case .failure(let error): continuation.finish(throwing: error)
                    }
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Fails if no pulse arrives for `silence`.
    private static func watch(_ pulse: AsyncStream<Void>, _ silence: Duration) async -> Result<Void, any Error> {
        await withTaskGroup(of: Bool.self) { group in
            let last = Latest()
            group.addTask {
                for await _ in pulse { await last.note() }
                return true
            }
            group.addTask {
                while !Task.isCancelled {
                    let age = await last.age
                    if age >= silence { return false }
                    try? await Task.sleep(for: silence - age)
                }
                return true
            }
            let isWell = await group.next() ?? true
            group.cancelAll()
            return isWell
                ? .success(())
                : .failure(ProgramError(.timeout, "no value arrived in \(silence.secondsText)"))
        }
    }

    /// The time of the last value.
    private actor Latest {
        private var time = ContinuousClock.now
        func note() { time = .now }
        /// The time since the last value, without the time in which the person at the terminal was prompted.
        var age: Duration { ContinuousClock.now - max(time, CommandDeadline.shared.lastPause ?? time) }
    }
}

#if Programs
import Explorer
import Harald

/// The values of several characteristics in one stream, for a while, as long as they come.
struct MergedValues: Sendable {
    /// The values; the stream ends with the time, or with an error.
    let stream: AsyncThrowingStream<CharacteristicValue, any Error>
    /// Values that were dropped between the subscriptions and the stream.
    private let overflow = DropCount()
    private let subscriptions: [BluetoothStream<[UInt8]>]

    /// Values that were dropped because nobody took them in time.
    var dropped: Int { subscriptions.reduce(overflow.value) { $0 + $1.droppedCount } }

    /// - Parameters:
    ///   - limit: when to end; nil for never.
    ///   - silence: for how long no value may come; nil for any time.
    ///   - capacity: how many values of one characteristic, and of all, wait before the oldest are dropped.
    init(
        _ characteristics: [Characteristic], kind: SubscriptionKind, limit: Duration?, silence: Duration?,
        capacity: Int = 65536
    ) {
        // Subscribed here, so that all begin together.
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
                                for try await bytes in values {
                                    pulse.continuation.yield()
                                    let value = CharacteristicValue(bytes, of: characteristic)
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
                    // Whichever ends first ends all.
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

    /// Ends with an error where the pulse stops for so long.
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
                : .failure(ProgramError(.timeout, "no value came in \(silence.secondsText)"))
        }
    }

    /// When the last value came.
    private actor Latest {
        private var time = ContinuousClock.now
        func note() { time = .now }
        /// The time in which a person was asked does not count.
        var age: Duration { ContinuousClock.now - max(time, CommandDeadline.shared.lastPause ?? time) }
    }
}
#endif

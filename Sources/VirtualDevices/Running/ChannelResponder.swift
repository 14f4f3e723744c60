import BluetoothRuntime
import Harald
import Synchronization

/// Accepts the L2CAP channels of a device until it ends.
final class ChannelResponder: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]?>([])

    /// Accepts channels as the device file specifies.
    /// - Throws: ``BluetoothError`` if the adapter has no channels, or a PSM is in use.
    func start(
        _ channels: [DeviceChannel], on peripheral: LocalPeripheral, loop: RadioLoop
    ) async throws(BluetoothError) {
        for channel in channels {
            let (_, opened) = try await peripheral.publishL2CAPChannel(
                psm: channel.psm, requiresEncryption: channel.requiresEncryption)
            let behaviour = channel.behaviour
            let task = Task(executorPreference: loop) {
                await withDiscardingTaskGroup { group in
                    do {
                        for try await channel in opened {
                            group.addTask { await Self.respond(on: channel, behaviour) }
                        }
                    } catch {
                        // The device was closed.
                    }
                    group.cancelAll()
                }
            }
            let isOver = tasks.withLock { tasks in
                tasks?.append(task)
                return tasks == nil
            }
            if isOver { task.cancel() }
        }
    }

    func stop() {
        let all = tasks.withLock { tasks in
            defer { tasks = nil }
            return tasks ?? []
        }
        for task in all { task.cancel() }
    }

    /// Serves a channel until the central closes it.
    private static func respond(on channel: L2CAPChannel, _ behaviour: DeviceChannel.Behaviour) async {
        do {
            switch behaviour {
            case .echo:
                for try await message in channel.messages { try await channel.send(message) }
            case .sink:
                for try await _ in channel.messages {}
            case .source(let length):
                // Received messages are dropped, so that the central can send.
                async let drain: Void = { for try await _ in channel.messages {} }()
                let length = min(length, channel.maximumMessageLength)
                var number: UInt32 = 0
                while !Task.isCancelled {
                    let head = withUnsafeBytes(of: number.littleEndian) { Array($0) }
                    let message = head + Array(repeating: UInt8(truncatingIfNeeded: number), count: max(0, length - 4))
                    try await channel.send(message.prefix(length))
                    number &+= 1
                }
                try await drain
            }
        } catch {
            // The central closed the channel, or the link ended.
        }
        await channel.close()
    }
}

import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Synchronization

/// The frames of a link to a device, below the protocols; see ``Peripheral/connectRaw(timeout:parameters:)``.
package final class RawLink: Sendable {
    /// The attribute protocol, signalling, and the security manager protocol.
    package static let attribute: UInt16 = 0x0004, signalling: UInt16 = 0x0005, security: UInt16 = 0x0006

    /// A received frame.
    package struct Frame: Hashable, Sendable {
        /// The channel identifier.
        package var channel: UInt16
        /// The frame without its basic header.
        package var bytes: [UInt8]
        /// The time of arrival.
        package var time: RadioInstant
    }

    /// The next thing that happened on the link.
    package enum Event: Sendable {
        case frame(Frame)
        /// The link ended, for a reason such as "connection timeout (0x08)".
        case ended(String)
        /// No event within the time of the call.
        case nothing
    }

    private struct State {
        var frames: [Frame] = []
        var end: String?
        var waiter: (number: Int, CheckedContinuation<Void, Never>)?
        var number = 0
    }

    private let frames: LoopBound<any RawFrames>
    private let state = Mutex(State())

    init(_ frames: LoopBound<any RawFrames>) async {
        self.frames = frames
        let loop = frames.loop
        await loop.run { [weak self] in
            frames.value.attach { cid, payload in
                let frame = Frame(channel: cid, bytes: payload.array, time: loop.now)
                self?.change { $0.frames.append(frame) }
            } ended: { error in
                let reason = if case .disconnected(let status) = error { "\(status)" } else { "\(error)" }
                self?.change { $0.end = reason }
            }
        }
    }

    /// The clock of the adapter, on which deadlines are.
    var clock: AdapterClock { AdapterClock(loop: frames.loop) }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.1.resume()
    }

    /// Sends a frame on a channel. Returns false if the link is down.
    package func send(_ bytes: [UInt8], on channel: UInt16 = attribute) async -> Bool {
        await frames.loop.run { [frames] in frames.value.send(cid: channel, bytes) }
    }

    /// Leaves the security manager protocol to the caller, or returns it to the host stack.
    package func takeSecurity(_ isTaken: Bool) async {
        await frames.loop.run { [frames] in frames.value.takeSecurity(isTaken) }
    }

    /// A bond that was removed from the store.
    package struct TakenBond: Sendable {
        fileprivate let put: LoopBound<() -> Void>

        /// Stores the bond again, in place of a newer one with the device.
        package func putBack() async { await put.loop.run { [put] in put.value() } }
    }

    /// Removes the bond with the device from the store; the link stays encrypted. Returns nil if there is none.
    package func takeBond() async -> TakenBond? {
        await frames.loop.run { [frames] in
            frames.value.takeBond().map { TakenBond(put: LoopBound(confined: $0, loop: frames.loop)) }
        }
    }

    /// Sets the properties of the keys that this host offers in pairings from now on.
    package func offer(secureConnections: Bool = true, keySizes: ClosedRange<UInt8> = 7...16) async {
        await frames.loop.run { [frames] in
            frames.value.offer(secureConnections: secureConnections, keySizes: keySizes)
        }
    }

    /// True while the link is up.
    package var isOpen: Bool { state.withLock { $0.end == nil } }

    /// Returns the next frame, in the order of arrival; waits for it until `deadline` on the adapter's clock. One task
    /// at a time may call it.
    package func next(until deadline: RadioInstant) async -> Event {
        while true {
            let event: Event? = state.withLock { state in
                if !state.frames.isEmpty { return .frame(state.frames.removeFirst()) }
                return state.end.map { .ended($0) }
            }
            if let event { return event }
            if deadline <= clock.now || Task.isCancelled { return .nothing }
            await wait(until: deadline)
        }
    }

    private func wait(until deadline: RadioInstant) async {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let clock = clock
        let alarm = Task(executorPreference: frames.loop.handlerExecutor) { [weak self] in
            try? await clock.sleep(until: deadline)
            self?.wake(number)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.frames.isEmpty || state.end != nil { return true }
                    if Task.isCancelled || deadline <= clock.now { return true }
                    state.waiter = (number, continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            wake(number)
        }
        alarm.cancel()
    }

    private func wake(_ number: Int) {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter, waiter.number == number else {
                return nil as CheckedContinuation<Void, Never>?
            }
            state.waiter = nil
            return waiter.1
        }
        waiter?.resume()
    }
}

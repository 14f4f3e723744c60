import BluetoothRuntime

/// The opening of an adapter. Confined to its loop.
///
/// It ends once: with a channel, with an error, or by ``cancel()``.
package final class TransportOpening {
    typealias Outcome = Result<any HCIChannel, TransportError>

    private enum State {
        case pending(completion: (Outcome) -> Void, abort: () -> Void)
        case ended
    }

    private var state: State
    let name: String
    let loop: RadioLoop

    /// The address at which a controller can connect, once the program listens: with the port that the system chose.
    package internal(set) var listenAddress: ListenAddress?

    init(name: String, loop: RadioLoop, completion: @escaping (Outcome) -> Void) {
        self.name = name
        self.loop = loop
        state = .pending(completion: completion, abort: {})
    }

    /// Cancels the opening, if it has not ended: the completion is called with ``TransportError/cancelled(_:)``, after
    /// this call.
    package func cancel() {
        guard case .pending(let completion, let abort) = state else { return }
        state = .ended
        abort()
        loop.executeNext { [name] in completion(.failure(.cancelled(name))) }
    }

    var isPending: Bool {
        if case .pending = state { return true }
        return false
    }

    /// Sets the closure that undoes the current step on cancellation.
    func onCancel(_ abort: @escaping () -> Void) {
        guard case .pending(let completion, _) = state else {
            abort()
            return
        }
        state = .pending(completion: completion, abort: abort)
    }

    /// Ends the current step, as a cancellation would, before ``finish(_:)``.
    func stop() {
        guard case .pending(let completion, let abort) = state else { return }
        state = .pending(completion: completion, abort: {})
        abort()
    }

    /// Completes with a channel or an error; a channel of a cancelled opening is closed.
    func finish(_ outcome: Outcome) {
        guard case .pending(let completion, _) = state else {
            if case .success(let channel) = outcome { channel.close() }
            return
        }
        state = .ended
        completion(outcome)
    }
}

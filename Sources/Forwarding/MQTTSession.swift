import CMosquitto
import Foundation
import Synchronization

/// The address and the credentials of an MQTT broker.
package struct MQTTBroker: Sendable, Hashable {
    /// The address: `mqtt://USER@HOST:1883`, or `mqtts://`.
    package var url: String
    /// The password of the user in the address; nil if the address contains it, or there is none.
    package var password: String?
    /// The file of trusted certificates in PEM, instead of the system's.
    package var certificates: String?

    package init(url: String, password: String? = nil, certificates: String? = nil) {
        (self.url, self.password, self.certificates) = (url, password, certificates)
    }
}

/// A connection to a broker that is reestablished when it ends.
package final class MQTTSession: Sendable {
    package enum Event: Sendable { case connected, homeAssistantIsBack }

    private struct State {
        var isConnected = false
        var reason = "not connected yet"
        var nextKey = 0
        /// The messages without an acknowledgement.
        var waiting: [Int: CheckedContinuation<Delivery, Never>] = [:]
        /// Their keys, by libmosquitto's numbers, which are used again.
        var keys: [CInt: Int] = [:]
        var isClosed = false
    }

    /// The timeout for the broker's acknowledgement of a message.
    private static let patience = Duration.seconds(15)
    /// The timeout for it after the task that publishes was cancelled, because the hub stops.
    private static let lastPatience = Duration.milliseconds(500)

    /// The events, in order.
    package let events: AsyncStream<Event>
    private let event: AsyncStream<Event>.Continuation
    private let state = Mutex(State())
    /// Proof of `nonisolated(unsafe)`: the pointer is set once, before the client's thread starts and before any other
    /// code has the session, and libmosquitto's functions may be called from any thread. `send` uses the client only
    /// while it holds the lock and `isClosed` is false, and ``close()`` sets `isClosed` with the lock before it frees
    /// the client. `handle` uses it on the client's thread, which `harald_mqtt_free` ends first.
    nonisolated(unsafe) private let client: OpaquePointer?
    /// Retains the context of the handler until ``close()``.
    private let context: Unmanaged<Context>

    /// The context of the handler. The reference is weak, so that an unused session is released.
    private final class Context: Sendable {
        private let session = Mutex<WeakSession>(WeakSession())
        struct WeakSession { weak var value: MQTTSession? }
        var value: MQTTSession? {
            get { session.withLock { $0.value } }
            set { session.withLock { $0.value = newValue } }
        }
    }

    /// Begins to connect.
    /// - Parameter will: the topic at which the broker publishes `offline`, retained, when the connection is lost.
    package init(_ broker: MQTTBroker, will: String) {
        (events, event) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
        let context = Context()
        self.context = .passRetained(context)
        client = harald_mqtt_new(nil, self.context.toOpaque()) { context, event, value, topic, payload, length in
            guard let context else { return }
            let session = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().value
            let text = payload.map {
                String(decoding: UnsafeRawBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
            }
            session?.handle(event, Int(value), topic.map { String(cString: $0) }, text)
        }
        context.value = self
        guard let client else {
            let reason = harald_mqtt_problem().map { String(cString: $0) } ?? "no memory"
            state.withLock { $0.reason = reason }
            return
        }
        if let problem = Self.start(client, broker, will: will) { state.withLock { $0.reason = problem } }
    }

    private static func start(_ client: OpaquePointer, _ broker: MQTTBroker, will: String) -> String? {
        guard let url = URLComponents(string: broker.url), var host = url.host else { return "no address" }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        let isEncrypted = url.scheme?.lowercased() == "mqtts"
        var error: CInt = 0
        if let user = url.user { error = harald_mqtt_login(client, user, url.password ?? broker.password) }
        if error == 0, isEncrypted {
            let own = broker.certificates
            error = harald_mqtt_tls(client, own, own == nil ? "/etc/ssl/certs" : nil)
        }
        if error == 0 { error = harald_mqtt_will(client, will, "offline") }
        if error == 0 {
            error = harald_mqtt_start(client, host, CInt(clamping: url.port ?? (isEncrypted ? 8883 : 1883)))
        }
        return error == 0 ? nil : String(cString: harald_mqtt_text(error))
    }

    private func handle(_ kind: CInt, _ value: Int, _ topic: String?, _ text: String?) {
        switch UInt32(kind) {
        case HARALD_MQTT_CONNECTED.rawValue:
            let isConnected = value == 0
            state.withLock { state in
                state.isConnected = isConnected
                if !isConnected {
                    let refusal = String(cString: harald_mqtt_refusal(CInt(value)))
                    state.reason = "the broker refused the connection: \(refusal)"
                }
            }
            guard isConnected, let client else { return }
            _ = harald_mqtt_subscribe(client, "homeassistant/status")
            event.yield(.connected)
        case HARALD_MQTT_UNREACHABLE.rawValue:
            // In the form of the other reasons; libmosquitto's are sentences.
            var reason = text ?? "no reason"
            if reason.hasSuffix(".") { reason.removeLast() }
            reason = reason.prefix(1).lowercased() + reason.dropFirst()
            state.withLock { [reason] in $0.reason = "the broker cannot be reached: \(reason)" }
        case HARALD_MQTT_DISCONNECTED.rawValue:
            let waiting = state.withLock { state in
                if state.isConnected { state.reason = "the broker ended the connection" }
                state.isConnected = false
                defer { (state.waiting, state.keys) = ([:], [:]) }
                return state.waiting.values.map { $0 }
            }
            for continuation in waiting {
                continuation.resume(returning: .failed("the broker ended the connection", after: nil))
            }
        case HARALD_MQTT_PUBLISHED.rawValue:
            state.withLock { state in
                state.keys.removeValue(forKey: CInt(value)).flatMap { state.waiting.removeValue(forKey: $0) }
            }?.resume(returning: .delivered)
        case HARALD_MQTT_MESSAGE.rawValue:
            if topic == "homeassistant/status", text == "online" { event.yield(.homeAssistantIsBack) }
        default: break
        }
    }

    /// Publishes with QoS 1.
    /// - Returns: `delivered` after the broker has acknowledged.
    package func publish(_ text: String, to topic: String, retained: Bool) async -> Delivery {
        await publish({ text }, to: topic, retained: retained)
    }

    /// Publishes with QoS 1.
    ///
    /// The text is made when it is sent, so that of two texts about something that changes the broker receives the
    /// later one last.
    /// - Parameter text: makes the text, unless there is no connection. It must not use this session.
    /// - Returns: `delivered` after the broker has acknowledged.
    package func publish(_ text: () -> String, to topic: String, retained: Bool) async -> Delivery {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { send(text, topic, retained, key, $0) }
        } onCancel: {
            giveUp(key, after: Self.lastPatience)
        }
    }

    private func send(
        _ text: () -> String, _ topic: String, _ retained: Bool, _ key: Int,
        _ continuation: CheckedContinuation<Delivery, Never>
    ) {
        // The lock blocks the handling of the acknowledgement until the message number is registered.
        let now: Delivery? = state.withLock { state in
            guard let client, !state.isClosed, state.isConnected else {
                return .failed("\(state.reason)", after: nil)
            }
            var number: CInt = 0
            let octets = Array(text().utf8)
            let error = octets.withUnsafeBytes {
                harald_mqtt_publish(client, &number, topic, $0.baseAddress, CInt($0.count), retained ? 1 : 0)
            }
            guard error == 0 else { return .failed(String(cString: harald_mqtt_text(error)), after: nil) }
            state.waiting[key] = continuation
            state.keys[number] = key
            return nil
        }
        if let now { continuation.resume(returning: now) } else { giveUp(key, after: Self.patience) }
    }

    /// Ends the wait for the acknowledgement of a message after a time.
    private func giveUp(_ key: Int, after patience: Duration) {
        Task { [weak self] in
            try? await Task.sleep(for: patience)
            self?.state.withLock { $0.waiting.removeValue(forKey: key) }?
                .resume(returning: .failed("the broker did not acknowledge", after: nil))
        }
    }

    package func close() async {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard wasOpen else { return }
        event.finish()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            // `harald_mqtt_free` waits for the client's thread.
            DispatchQueue.global().async { [self] in
                if let client { harald_mqtt_free(client) }
                context.release()
                done.resume()
            }
        }
    }
}

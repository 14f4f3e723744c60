import BluetoothRuntime
import CSystemBus

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connection to a message bus, driven by a loop: it has no thread, and no call blocks.
///
/// Calls complete with their answer, an error, their timeout, or the end of the connection. Confined to the loop.
package final class BusConnection {
    private struct Pending {
        var completion: (Result<[BusValue], BusError>) -> Void
        var timer: QueuedTimer?
    }

    /// The loop that drives the connection.
    package let loop: RadioLoop
    private let library: UnsafePointer<harald_system_bus>
    private var bus: OpaquePointer?
    private var watch: FileWatch?
    private lazy var timer = loop.makeTimer { [weak self] in self?.serve() }
    private var pending: [UInt64: Pending] = [:]
    /// Messages received while the library runs. They are dispatched afterwards, so that handlers may call any method.
    private var received: [BusMessage] = []
    private var isServing = false

    /// Called for every signal that matches a rule of ``addMatch(_:)``.
    package var onSignal: ((BusSignal) -> Void)?
    /// Called for calls to exported objects; returns false if there is no such object.
    package var onCall: ((BusCall) -> Bool)?
    /// Called once when the bus ends the connection.
    package var onClosed: ((BusError) -> Void)?

    /// The address of the system bus.
    package static var systemAddress: String {
        ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "unix:path=/run/dbus/system_bus_socket"
    }

    /// Starts to connect to the bus at `address`; messages sent before are queued.
    /// - Throws: ``BusError`` if the library is missing or the connection cannot be started.
    package init(address: String = systemAddress, loop: RadioLoop) throws(BusError) {
        loop.preconditionOnLoop()
        guard let library = harald_system_bus_open() else {
            throw BusError(
                BusError.libraryMissing,
                "the D-Bus library cannot be loaded: \(String(cString: harald_system_bus_problem())); install it "
                    + "('apt install libsystemd0'), or use a controller without BlueZ (hci:N)")
        }
        self.loop = loop
        self.library = library
        var bus: OpaquePointer?
        var code = library.pointee.new_(&bus)
        self.bus = bus
        if code >= 0 { code = library.pointee.set_address(bus, address) }
        if code >= 0 { code = library.pointee.set_bus_client(bus, 1) }
        if code >= 0 { code = library.pointee.negotiate_fds(bus, 1) }
        if code >= 0 { code = library.pointee.start(bus) }
        if code >= 0 {
            let context = Unmanaged.passUnretained(self).toOpaque()
            // The context is valid whenever this runs: only `serve`, a method of this object, makes the library call
            // it.
            code = library.pointee.add_filter(
                bus, nil,
                { message, context, _ in
                    guard let message, let context else { return 0 }
                    let connection = Unmanaged<BusConnection>.fromOpaque(context).takeUnretainedValue()
                    return connection.took(message) ? 1 : 0
                }, context)
        }
        guard code >= 0 else {
            release()
            throw BusError(BusError.noBus, "no D-Bus at \(address): \(Self.words(code))")
        }
        let descriptor = library.pointee.get_fd(bus)
        watch = loop.watch(descriptor, for: .readable) { [weak self] _ in self?.serve() }
        settle()
    }

    deinit { release() }

    /// The unique name of this connection; empty before the first answer of the bus.
    package var uniqueName: String {
        var name: UnsafePointer<CChar>?
        guard let bus, library.pointee.is_ready(bus) > 0, library.pointee.get_unique_name(bus, &name) >= 0, let name
        else { return "" }
        return String(cString: name)
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(-code)) }

    private func release() {
        watch?.cancel()
        watch = nil
        timer.disarm()
        guard let bus else { return }
        self.bus = nil
        library.pointee.close(bus)
        _ = library.pointee.unref(bus)
    }

    /// Closes the connection; pending calls fail.
    package func close() { end(BusError(BusError.closed, "the connection to D-Bus was closed"), tells: false) }

    private func end(_ error: BusError, tells: Bool) {
        guard bus != nil else { return }
        release()
        let waiting = pending
        pending = [:]
        for call in waiting.sorted(by: { $0.key < $1.key }) {
            call.value.timer?.disarm()
            call.value.completion(.failure(error))
        }
        let closed = onClosed
        (onSignal, onCall, onClosed) = (nil, nil, nil)
        if tells { closed?(error) }
    }

    // MARK: Driving the library

    /// Called by the library with a message. Returns false if the library itself handles the message.
    private func took(_ pointer: OpaquePointer) -> Bool {
        let message = BusMessage(referring: pointer, library)
        switch message.kind {
        case .call where message.interface == "org.freedesktop.DBus.Peer": return false
        case .call, .reply, .error, .signal: received.append(message)
        case nil: return false
        }
        return true
    }

    private func serve() {
        guard !isServing else { return }
        isServing = true
        // A bounded number per turn; the watch reports again, so that other sockets get their turn.
        for _ in 0..<64 {
            guard let bus else { break }
            let code = library.pointee.process(bus, nil)
            let messages = received
            received = []
            for message in messages where self.bus != nil { dispatch(message) }
            if code < 0 {
                end(BusError(BusError.closed, "the connection to D-Bus ended: \(Self.words(code))"), tells: true)
                break
            }
            if code == 0 { break }
        }
        isServing = false
        settle()
    }

    /// Updates the watch and the timer to the events that the library waits for.
    private func settle() {
        guard let bus, !isServing else { return }
        let events = library.pointee.get_events(bus)
        watch?.interest = events >= 0 && events & Int32(POLLOUT) != 0 ? [.readable, .writable] : .readable
        var deadline: UInt64 = .max
        guard library.pointee.get_timeout(bus, &deadline) >= 0, deadline != .max else { return timer.disarm() }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let now = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
        timer.arm(at: loop.now + .microseconds(deadline > now ? Int64(min(deadline - now, 1 << 40)) : 0))
    }

    private func dispatch(_ message: BusMessage) {
        switch message.kind {
        case .reply: answer(message, message.arguments().map { .success($0) })
        case .error: answer(message, .failure(message.error))
        case .signal:
            guard let arguments = message.arguments() else { return }
            onSignal?(
                BusSignal(
                    path: message.path, interface: message.interface, member: message.member, sender: message.sender,
                    arguments: arguments))
        case .call: called(message)
        case nil: break
        }
    }

    private func answer(_ message: BusMessage, _ result: Result<[BusValue], BusError>?) {
        guard let cookie = message.replyCookie, let call = pending.removeValue(forKey: cookie) else { return }
        call.timer?.disarm()
        call.completion(result ?? .failure(BusError(BusError.invalidMessage, "the reply is malformed")))
    }

    // MARK: Calls

    /// Calls a method of another program's object. `completion` never runs inside this call; without it the other
    /// program does not reply, and the call does not count towards the replies that a bus lets a program wait for.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        timeout: Duration? = .seconds(30), completion: ((Result<[BusValue], BusError>) -> Void)?
    ) {
        var pointer: OpaquePointer?
        guard let bus else {
            return loop.executeNext {
                completion?(.failure(BusError(BusError.closed, "the connection to D-Bus was closed")))
            }
        }
        var code = library.pointee.message_new_method_call(bus, &pointer, destination, path, interface, member)
        var cookie: UInt64 = 0
        if code >= 0, let pointer {
            let message = BusMessage(owning: pointer, library)
            // Without a place for the cookie, the library tells the other program that no reply is expected.
            code = withUnsafeMutablePointer(to: &cookie) {
                message.append(arguments)
                    ? library.pointee.send(bus, pointer, completion == nil ? nil : $0) : -EINVAL
            }
        }
        guard code >= 0 else {
            let error = BusError(BusError.invalidMessage, "\(member) cannot be sent: \(Self.words(code))")
            return loop.executeNext { completion?(.failure(error)) }
        }
        guard let completion else { return settle() }
        var timer: QueuedTimer?
        if let timeout {
            timer = loop.makeTimer { [weak self] in
                self?.pending.removeValue(forKey: cookie)?.completion(
                    .failure(BusError(BusError.timeout, "no reply to \(member)")))
            }
            timer?.arm(at: loop.now + timeout)
        }
        pending[cookie] = Pending(completion: completion, timer: timer)
        settle()
    }

    /// Subscribes to signals (D-Bus Specification, "Match Rules").
    package func addMatch(_ rule: String, completion: @escaping (Result<[BusValue], BusError>) -> Void = { _ in }) {
        bus("AddMatch", [.string(rule)], completion: completion)
    }

    /// Requests a well-known name, which no other program may have (D-Bus Specification, "RequestName").
    package func requestName(_ name: String, completion: @escaping (Result<Void, BusError>) -> Void) {
        // 4: do not wait in the queue of an owned name. The answer 1 is "primary owner".
        bus("RequestName", [.string(name), .uint32(4)]) { result in
            completion(
                result.flatMap { answer in
                    answer.first?.integer == 1
                        ? .success(()) : .failure(BusError(BusError.nameOwned, "another program owns \(name)"))
                })
        }
    }

    /// Calls a method of the bus itself.
    package func bus(
        _ member: String, _ arguments: [BusValue], completion: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments,
            completion: completion)
    }

    // MARK: Exported objects

    /// Emits a signal of an exported object.
    package func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
        var pointer: OpaquePointer?
        guard let bus, library.pointee.message_new_signal(bus, &pointer, path, interface, member) >= 0, let pointer
        else { return }
        let message = BusMessage(owning: pointer, library)
        if message.append(arguments) { _ = library.pointee.send(bus, pointer, nil) }
        settle()
    }

    private func called(_ message: BusMessage) {
        let expectsReply = message.expectsReply
        var isAnswered = false
        let respond: (Result<[BusValue], BusError>) -> Void = { [weak self] result in
            guard let self, bus != nil, !isAnswered else { return }
            isAnswered = true
            if expectsReply { reply(to: message, result) }
        }
        guard let arguments = message.arguments() else {
            return respond(.failure(BusError("org.freedesktop.DBus.Error.InvalidArgs", "malformed arguments")))
        }
        let call = BusCall(
            path: message.path, interface: message.interface, member: message.member, sender: message.sender,
            arguments: arguments, respond: respond)
        if onCall?(call) == true { return }
        respond(
            .failure(
                BusError("org.freedesktop.DBus.Error.UnknownMethod", "no method \(message.member) at \(message.path)")))
    }

    private func reply(to message: BusMessage, _ result: Result<[BusValue], BusError>) {
        switch result {
        case .success(let values):
            var pointer: OpaquePointer?
            guard let bus, library.pointee.message_new_method_return(message.pointer, &pointer) >= 0, let pointer else {
                return
            }
            let answer = BusMessage(owning: pointer, library)
            if answer.append(values) {
                _ = library.pointee.send(bus, pointer, nil)
            } else {
                _ = harald_bus_reply_error(message.pointer, "org.freedesktop.DBus.Error.Failed", "no such value")
            }
        case .failure(let error): _ = harald_bus_reply_error(message.pointer, error.name, error.text)
        }
        settle()
    }
}

import BluetoothBackend
import BluetoothRuntime
import TestSupport
import Testing
import VirtualTransport

@testable import Harald
@testable import HostBackend
@testable import VirtualBluetooth

/// `connect()` that is cancelled at every step, and the effect of a second call.
@Suite(.closesRigs, .timeLimit(.minutes(3))) struct ConnectCancellationTests {
    @Test func connectOnAConnectedPeripheralKeepsItsReconnectPolicy() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected(reconnect: .always)
        try await peripheral.connect()
        var states = peripheral.states.makeAsyncIterator()
        let first = try await states.next()
        #expect(first == .connected)
        let central = try #require(await rig.device.centrals.first)
        try await rig.device.disconnect(central)
        guard case .reconnecting = try await states.next() else {
            Issue.record("the link does not come back")
            return
        }
        while try await states.next() != .connected {}
    }

    /// The peer of a connection attempt.
    enum Peer: CaseIterable {
        case present, silent, refusing
    }

    /// The start of the count of events.
    enum Begin: CaseIterable {
        case call, link
    }

    /// Cancels before each of the first events of the loop. The peer's attributes were discovered before, so that they
    /// are validated after the connection.
    @Test(arguments: Peer.allCases, Begin.allCases)
    func aCancelledConnectLeavesNoLinkAndNoCommand(_ peer: Peer, _ begin: Begin) async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        try await peripheral.discoverAll()
        await peripheral.disconnect()
        await rig.radio.injectFaults(adapterNamed: "peripheral") { faults in
            switch peer {
            case .present: break
            case .silent: faults.isSilent = true
            case .refusing: faults.failedEstablishments = 1000
            }
        }
        // With a silent peer there is no link from which to count.
        let counts = begin == .link && peer == .silent ? [] : Array(0..<48)
        for count in counts {
            let outcome = await Self.connect(peripheral, cancelledBefore: count, after: begin)
            if case .success = outcome {
                #expect(peripheral.isConnected)
                await peripheral.disconnect()
            } else {
                // An existing link ends with the packets of its disconnection.
                let (links, initiators) = await Self.leftovers(on: rig.radio)
                #expect(links == 0 && initiators == 0, "\(count): \(outcome)")
                #expect(!peripheral.isConnected, "\(count)")
            }
        }
        await rig.radio.injectFaults(adapterNamed: "peripheral") { $0 = ControllerFaults() }
        try await peripheral.connect()
    }

    /// Returns the links and initiators that remain after twenty seconds at the most.
    private static func leftovers(on radio: VirtualRadio) async -> (links: Int, initiators: Int) {
        var left = (links: 0, initiators: 0)
        for _ in 0..<10_000 {
            left = await radio.loop.run { (radio.air.value.allLinks.count, radio.air.value.initiators.count) }
            if left == (0, 0) { break }
            try? await Task.pause()
        }
        return left
    }

    private static func connect(
        _ peripheral: Peripheral, cancelledBefore count: Int, after begin: Begin
    ) async -> Result<Void, RadioError> {
        let (session, loop, backend) = (peripheral.session, peripheral.radio.loop, peripheral.radio.backend)
        return await withCheckedContinuation { continuation in
            loop.execute {
                let countdown = Countdown(loop, count)
                if begin == .link {
                    let watcher = LinkWatcher { countdown.start() }
                    backend.value.addObserver(watcher)
                    countdown.watcher = watcher
                }
                let attempt = session.value.connect(ConnectRequest(timeout: .seconds(5)), .never) { result in
                    countdown.stop()
                    continuation.resume(returning: result)
                }
                countdown.body = { attempt.cancel() }
                if begin == .call { countdown.start() }
            }
        }
    }

    /// A call that waits for the next attempt of a reconnecting link ends at its timeout, and the link still
    /// reconnects.
    @Test func aConnectCanBeCancelledDuringAPause() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected(reconnect: ReconnectPolicy(pause: .seconds(3600)))
        await rig.radio.injectFaults(adapterNamed: "peripheral") { $0.failedEstablishments = 1000 }
        let states = peripheral.states
        let central = try #require(await rig.device.centrals.first)
        try await rig.device.disconnect(central)
        for try await state in states { if case .reconnecting(attempt: 2, _) = state { break } }
        #expect(await Self.connectAndGiveUp(peripheral) == [.cancelled])
        guard case .reconnecting(attempt: 2, _) = peripheral.state else {
            Issue.record("the link does not come back: \(peripheral.state)")
            return
        }
    }

    /// The same during a disconnection: the device is not connected afterwards.
    @Test func aConnectCanBeCancelledWhileTheOldLinkEnds() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let states = peripheral.states
        #expect(await Self.connectAndGiveUp(peripheral, whileDisconnecting: true) == [.cancelled])
        var ends = false
        for try await state in states {
            if state == .disconnected(nil) { break }
            ends = ends || state == .disconnecting
        }
        #expect(ends && !peripheral.isConnected)
    }

    /// Returns the outcome of a call that was cancelled as soon as it was made.
    private static func connectAndGiveUp(
        _ peripheral: Peripheral, whileDisconnecting: Bool = false
    ) async -> [RadioError?] {
        await peripheral.radio.loop.run { [session = peripheral.session] in
            if whileDisconnecting { session.value.disconnect {} }
            var ends: [RadioError?] = []
            let attempt = session.value.connect(ConnectRequest(timeout: nil), .never) { result in
                if case .failure(let error) = result { ends.append(error) } else { ends.append(nil) }
            }
            attempt.cancel()
            return ends
        }
    }

    /// A call made while another one's attempt is being stopped is not cancelled with it.
    @Test func aConnectAfterACancelledOneSucceeds() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.find()
        let (session, loop) = (peripheral.session, peripheral.radio.loop)
        let result: Result<Void, RadioError> = await withCheckedContinuation { continuation in
            loop.execute {
                let operation = session.value.connect(ConnectRequest(timeout: nil), .never) { _ in }
                let attempt = LoopBound(confined: operation, loop: loop)
                loop.execute {
                    attempt.value.cancel()
                    _ = session.value.connect(ConnectRequest(timeout: nil), .never) {
                        continuation.resume(returning: $0)
                    }
                }
            }
        }
        #expect(throws: Never.self) { try result.get() }
        #expect(peripheral.isConnected)
    }
}

/// Counts events of a loop, then runs a closure.
///
/// Proof of `@unchecked Sendable`: accessed on the loop only.
private final class Countdown: @unchecked Sendable {
    private let loop: RadioLoop
    private var left: Int
    private var isOver = false
    var body: () -> Void = {}
    var watcher: LinkWatcher?

    init(_ loop: RadioLoop, _ count: Int) {
        self.loop = loop
        left = count
    }

    func start() {
        guard !isOver else { return }
        guard left > 0 else { return body() }
        left -= 1
        loop.execute { self.start() }
    }

    func stop() {
        isOver = true
        body = {}
        watcher = nil
    }
}

/// Proof of `@unchecked Sendable`: `body` is constant, and the backend calls its observers on the loop only.
final class LinkWatcher: RadioObserver, @unchecked Sendable {
    private let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    func radioStateChanged(_ backend: any RadioBackend) {}
    func peripheralConnected(_ peripheral: PeripheralID) { body() }
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}

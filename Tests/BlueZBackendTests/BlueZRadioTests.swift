import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation
import PeerSupport
import SystemBus
import Testing

@testable import BlueZBackend

/// Tests of the backend with a fake `bluetoothd`: failures of `bluetoothd`, and their effects.
@Suite(
    .enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized, .timeLimit(.minutes(3))
)
struct BlueZRadioTests {
    let world: FakeWorld
    static let value = AttributeID(rawValue: 0x000C)

    init() async throws { world = try await FakeWorld() }

    var loop: RadioLoop { world.loop }

    func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (FakeBlueZ, any RadioBackend, @escaping (Value) -> Void) -> Void
    ) async -> Value { await world.onLoop(body) }

    func calls(_ member: String) async -> Int { await world.calls(member) }

    func isConnected(_ link: LoopBound<any PeripheralLink>) async -> Bool {
        await loop.run { link.value.isConnected }
    }

    typealias Link = LoopBound<any PeripheralLink>

    func connect(
        timeout: Duration? = .seconds(20), retries: Int = 3, _ prepare: @escaping @Sendable (FakeBlueZ) -> Void
    ) async -> Result<Link, RadioError> {
        let loop = loop
        let result: Result<Link, RadioError> = await onLoop { fake, radio, done in
            prepare(fake)
            _ = radio.connect(FakeWorld.id, ConnectRequest(timeout: timeout, retries: retries)) { result in
                done(result.map { LoopBound(confined: $0, loop: loop) })
            }
        }
        // The signal that follows BlueZ's answer, that the services are resolved, has been received.
        await world.settle()
        return result
    }

    @Test("An open adapter has its address and BlueZ's version")
    func opens() async throws {
        let (state, info) = await loop.run { [radio = world.radio] in (radio.value.state, radio.value.adapter) }
        #expect(state == .poweredOn)
        #expect(info.uri == "bluez:hci0" && info.address?.text == "C0:FF:EE:00:00:01")
        #expect(info.summary == "BlueZ 5.66 adapter hci0 'test'")
        let list = try await BlueZAdapters(address: world.privateBus.address).list(on: loop)
        #expect(list.map(\.name) == ["hci0"] && list.first?.isPowered == true)
    }

    @Test("A discovered device is reported with its advertisement")
    func scans() async {
        let report: ScanReport = await onLoop { fake, radio, done in
            var operation: (any BackendOperation)?
            operation = radio.scan(ScanRequest()) { report in
                operation?.cancel()
                operation?.cancel()
                fake.when("StopDiscovery") { done(report) }
            } ended: { _ in
            }
            fake.when("StartDiscovery") { fake.addDevice() }
        }
        #expect(report.peripheral == FakeWorld.id && report.rssi == -44)
        #expect(
            report.advertisement.localName == "Fake" && report.advertisement.serviceUUIDs == [BluetoothUUID(0x180D)])
        #expect(report.advertisement.manufacturerData.first?.data == [2, 0x15])
    }

    @Test("Devices found before BlueZ confirms the discovery are reported")
    func hearsBeforeTheAnswer() async {
        let report: ScanReport = await onLoop { fake, radio, done in
            fake.answers["StartDiscovery"] = { call in
                fake.addDevice()
                call.respond(.success([]))
            }
            _ = radio.scan(ScanRequest()) {
                done($0)
            } ended: { _ in
            }
        }
        #expect(report.peripheral == FakeWorld.id)
    }

    @Test("A connect during a disconnection makes a new link")
    func reconnectsAtOnce() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let again = await connect { fake in
            fake.answers["Disconnect"] = { call in
                call.respond(.success([]))
                // The signal arrives long after the reply, as on a bus under load.
                fake.bus.bus("GetId", []) { _ in
                    fake.bus.bus("GetId", []) { _ in
                        fake.change(call.path, BlueZ.device, ["Connected": .bool(false)])
                    }
                }
            }
            link.value.release {}
        }
        let second = try again.get()
        #expect(await isConnected(second))
        #expect(await calls("Connect") == 2)
    }

    @Test("An aborted connection is retried a limited number of times")
    func retries() async throws {
        let result = await connect { fake in
            fake.addDevice()
            nonisolated(unsafe) var failures = 2
            fake.answers["Connect"] = { call in
                if failures > 0 {
                    failures -= 1
                    return call.respond(.failure(FakeBlueZ.abort))
                }
                fake.change(call.path, BlueZ.device, ["Connected": .bool(true)])
                call.respond(.success([]))
            }
        }
        _ = try result.get()
        #expect(await calls("Connect") == 3)
        let diagnostics = await loop.run { [radio = world.radio] in radio.value.diagnostics }
        #expect(diagnostics.connections.attempts == 1 && diagnostics.connections.established == 1)
        #expect(diagnostics.connections.retries == 2 && diagnostics.connections.failures.isEmpty)
        #expect(diagnostics.links == 1 && diagnostics.openLinks.map(\.peripheral) == [FakeWorld.id])
        // BlueZ shows no packets and no controller.
        #expect(diagnostics.packets == nil && diagnostics.anomalies == nil && diagnostics.refusedCommands == nil)
    }

    @Test("An aborted connection fails after the last retry")
    func givesUp() async {
        let result = await connect(retries: 1) { fake in
            fake.addDevice()
            fake.answers["Connect"] = { $0.respond(.failure(FakeBlueZ.abort)) }
        }
        #expect(result.failure == .disconnected(.failedToEstablish))
        #expect(await calls("Connect") == 2)
        let counters = await loop.run { [radio = world.radio] in radio.value.diagnostics.connections }
        #expect(counters.failures == [.disconnected(.failedToEstablish): 1] && counters.retries == 1)
    }

    @Test("A connect waits for another program's attempt")
    func waitsForOthers() async throws {
        let result = await connect { fake in
            fake.addDevice()
            nonisolated(unsafe) var isBusy = true
            fake.answers["Connect"] = { call in
                if isBusy {
                    isBusy = false
                    return call.respond(
                        .failure(BusError("org.bluez.Error.InProgress", "Operation already in progress")))
                }
                fake.change(call.path, BlueZ.device, ["Connected": .bool(true)])
                call.respond(.success([]))
            }
        }
        _ = try result.get()
    }

    @Test("A device that BlueZ has removed is scanned for, then connected")
    func findsForgotten() async throws {
        let result = await connect { fake in fake.when("StartDiscovery") { fake.addDevice() } }
        let link = try result.get()
        #expect(await isConnected(link))
    }

    @Test("A cancelled connect ends after BlueZ has aborted the attempt")
    func cancels() async {
        let result: Result<Void, RadioError> = await onLoop { fake, radio, done in
            fake.addDevice()
            nonisolated(unsafe) var pending: BusCall?
            fake.answers["Connect"] = { pending = $0 }
            fake.answers["Disconnect"] = { call in
                call.respond(.success([]))
                pending?.respond(.failure(BusError("org.bluez.Error.Failed", "le-connection-abort-by-local")))
            }
            let operation = radio.connect(FakeWorld.id, ConnectRequest()) { done($0.map { _ in }) }
            fake.when("Connect") { operation.cancel() }
        }
        #expect(result.failure == .cancelled)
        #expect(await calls("Disconnect") == 1)
    }

    @Test("Attributes have the handles of their object paths")
    func discovers() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let services: Result<[RemoteService], RadioError> = await onLoop { _, _, done in
            link.value.discoverServices(nil, timeout: .seconds(10)) { done($0) }
        }
        #expect(try services.get().map(\.id.rawValue) == [0x0A])
        let found: Result<[RemoteCharacteristic], RadioError> = await onLoop { _, _, done in
            link.value.discoverCharacteristics(of: AttributeID(rawValue: 0x0A), nil, timeout: .seconds(10)) { done($0) }
        }
        #expect(try found.get().map(\.id) == [Self.value])
        let mtu = await loop.run { link.value.mtu }
        #expect(mtu == 185)
    }

    @Test("A request is retried while another program's is in progress")
    func readsAgain() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let value: Result<[UInt8], RadioError> = await onLoop { fake, _, done in
            nonisolated(unsafe) var refusals = 2
            fake.answers["ReadValue"] = { call in
                refusals -= 1
                call.respond(
                    refusals >= 0
                        ? .failure(BusError("org.bluez.Error.InProgress", "In Progress")) : .success([.bytes([1, 2])]))
            }
            link.value.read(Self.value, timeout: .seconds(10)) { done($0.map(\.array)) }
        }
        #expect(try value.get() == [1, 2])
    }

    @Test("A part of a value is written with its offset")
    func writesParts() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let options: [String: BusValue]? = await onLoop { fake, _, done in
            fake.answers["WriteValue"] = { call in
                call.respond(.success([]))
                done(call.arguments.last?.properties)
            }
            link.value.write([9], to: Self.value, at: 3, timeout: .seconds(10)) { _ in }
        }
        #expect(options == ["type": .string("request"), "offset": .uint16(3)])
    }

    @Test("An operation that BlueZ fails before it reports the end of the link ends with the link")
    func operationsEndWithTheLink() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let error: Result<[UInt8], RadioError> = await onLoop { fake, _, done in
            fake.answers["ReadValue"] = { call in
                call.respond(.failure(BusError("org.bluez.Error.Failed", "Operation failed")))
                fake.change(
                    FakeBlueZ.devicePath, BlueZ.device, ["Connected": .bool(false), "ServicesResolved": .bool(false)])
            }
            link.value.read(Self.value, timeout: .seconds(10)) { done($0.map(\.array)) }
        }
        #expect(error == .failure(.disconnected(.unspecified)))
    }

    @Test("A link that BlueZ ends to switch the adapter off ends because of that")
    func linksEndWithThePower() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let error: Result<[UInt8], RadioError> = await onLoop { fake, _, done in
            fake.answers["ReadValue"] = { _ in
                fake.change(FakeBlueZ.adapterPath, BlueZ.adapter, ["PowerState": .string("on-disabling")])
                fake.change(FakeBlueZ.devicePath, BlueZ.device, ["Connected": .bool(false)])
            }
            link.value.read(Self.value, timeout: .seconds(10)) { done($0.map(\.array)) }
        }
        #expect(error == .failure(.radio(.poweredOff, reason: BlueZRadio.offReason)))
    }

    private static let answers: [(BusError, ATTErrorCode)] = [
        (BusError("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80"), ATTErrorCode(rawValue: 0x80)),
        (BusError("org.bluez.Error.NotPermitted", "Read not permitted"), .readNotPermitted),
        (BusError("org.bluez.Error.NotPermitted", "Not paired"), .insufficientAuthentication),
        (BusError("org.bluez.Error.NotAuthorized", "x"), .insufficientAuthorization),
    ]

    @Test("An ATT error keeps its code and handle", arguments: answers)
    func keepsCodes(_ error: BusError, _ code: ATTErrorCode) {
        #expect(error.radioError(handle: 0x0C) == .att(code, handle: 0x0C))
    }

    @Test("Notifications arrive as BlueZ's signals")
    func notifies() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let value: [UInt8] = await onLoop { fake, _, done in
            fake.answers["StartNotify"] = { call in
                // The first value arrives before BlueZ has replied.
                fake.change(call.path, BlueZ.gattCharacteristic, ["Value": .bytes([0, 60])])
                call.respond(.success([]))
                fake.change(call.path, BlueZ.gattCharacteristic, ["Value": .bytes([0, 61])])
            }
            link.value.subscribe(Self.value, kind: .any, timeout: .seconds(10)) {
                done($0.array)
            } completion: { _ in
            }
        }
        #expect(value == [0, 60])
    }

    @Test("Notifications arrive by BlueZ's socket, which closes with the last subscriber")
    func acquires() async throws {
        let link = try await connect { $0.addDevice(acquires: true) }.get()
        let values: [[UInt8]] = await onLoop { fake, _, done in
            var ends: [Int32] = [0, 0]
            // Processes that other tests start meanwhile must not keep the ends open.
            _ = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
            let ours = ends[0]
            fake.answers["AcquireNotify"] = { call in
                send(ours, [1 as UInt8, 2], 2, 0)
                // A value may be empty.
                send(ours, [] as [UInt8], 0, 0)
                call.respond(
                    .success([.descriptor(BusDescriptor(owning: fcntl(ends[1], F_DUPFD_CLOEXEC, 0))), .uint16(185)]))
                close(ends[1])
                send(ours, [3 as UInt8], 1, 0)
            }
            nonisolated(unsafe) var values: [[UInt8]] = []
            nonisolated(unsafe) var id = OperationID(rawValue: 0)
            id = link.value.subscribe(Self.value, kind: .any, timeout: .seconds(10)) { value in
                values.append(value.array)
                guard values.count == 3 else { return }
                link.value.unsubscribe(id, timeout: nil) { _ in
                    // The only open end is that of the test, unless a process is just being started.
                    var (byte, event): (UInt8, pollfd) = (0, pollfd(fd: ours, events: Int16(POLLIN), revents: 0))
                    if poll(&event, 1, 10_000) == 1, recv(ours, &byte, 1, Int32(MSG_DONTWAIT)) == 0 {
                        values.append([])
                    }
                    close(ours)
                    done(values)
                }
                fake.change(FakeBlueZ.characteristicPath, BlueZ.gattCharacteristic, ["NotifyAcquired": .bool(false)])
            } completion: { _ in
            }
        }
        #expect(values == [[1, 2], [], [3], []])
    }

    @Test("A battery service that BlueZ hides is discovered")
    func showsBattery() async throws {
        let link = try await connect { fake in
            fake.addDevice()
            fake.add(FakeBlueZ.devicePath, BlueZ.battery, ["Percentage": .byte(87)])
        }.get()
        let level: Result<[UInt8], RadioError> = await onLoop { _, _, done in
            link.value.discoverServices([BluetoothUUID(0x180F)], timeout: .seconds(10)) { services in
                guard let service = try? services.get().first else { return done(.failure(.notConnected)) }
                link.value.discoverCharacteristics(of: service.id, nil, timeout: .seconds(10)) { found in
                    guard let level = try? found.get().first else { return done(.failure(.notConnected)) }
                    link.value.read(level.id, timeout: .seconds(10)) { done($0.map(\.array)) }
                }
            }
        }
        #expect(try level.get() == [87])
    }

    @Test("A link of another program is shared, and stays up after our disconnect")
    func leavesForeignLinks() async throws {
        let link = try await connect { $0.addDevice(isConnected: true) }.get()
        await onLoop { (_, _, done: @escaping (()) -> Void) in link.value.release { done(()) } }
        #expect(await calls("Connect") == 0)
        #expect(await calls("Disconnect") == 0)
    }

    @Test("Without access to the kernel, the signal strength is that of a scan")
    func readsStrength() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let strength: Result<Int, RadioError> = await onLoop { _, _, done in
            link.value.readRSSI(timeout: .seconds(20)) { done($0) }
        }
        #expect(try strength.get() == -44)
    }

    @Test("The error of a channel that cannot be opened names the cause", arguments: [UInt16(0), 0x80, 0x100])
    func refusesChannels(psm: UInt16) async throws {
        let link = try await connect { $0.addDevice() }.get()
        let error: RadioError? = await onLoop { _, _, done in
            link.value.openChannel(psm: psm, timeout: .seconds(20)) { done($0.failure) }
        }
        switch error {
        case .invalidArgument: #expect(psm != 0x80)
        case .unsupported(let reason): #expect(!L2CAPSocket.isAvailable && reason.contains("--net=host"))
        // An adapter of this machine is not the one of the fake `bluetoothd`.
        default: #expect(error != nil && L2CAPSocket.isAvailable)
        }
    }

    @Test("Our own link ends with its last user")
    func endsOwnLinks() async throws {
        let link = try await connect { $0.addDevice() }.get()
        await onLoop { (_, _, done: @escaping (()) -> Void) in link.value.release { done(()) } }
        #expect(await calls("Disconnect") == 1)
        #expect(await !isConnected(link))
    }

    @Test("A restart of bluetoothd ends pending operations; later ones succeed")
    func survivesRestart() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let ends: [RadioError] = await onLoop { fake, radio, done in
            fake.answers["ReadValue"] = { _ in }
            nonisolated(unsafe) var ends: [RadioError] = []
            let end: (RadioError) -> Void = { error in
                ends.append(error)
                if ends.count == 2 { done(ends) }
            }
            link.value.read(Self.value, timeout: nil) { if case .failure(let error) = $0 { end(error) } }
            _ = radio.scan(ScanRequest()) { _ in
            } ended: {
                end($0)
            }
            fake.when("ReadValue") { fake.when("StartDiscovery") { fake.bus.close() } }
        }
        #expect(ends.count == 2)
        for case .radio(let state, _) in ends { #expect(state == .resetting) }
        let state = await loop.run { [radio = world.radio] in radio.value.state }
        #expect(state == .resetting)
        let states = StateWatcher()
        await loop.run { [radio = world.radio] in radio.value.addObserver(states) }
        let again = try await FakeWorld.startFake(world.privateBus, loop)
        await states.wait(for: .poweredOn, world.radio)
        await loop.run { again.value.addDevice() }
        let result: Result<Void, RadioError> = await onLoop { _, radio, done in
            _ = radio.connect(FakeWorld.id, ConnectRequest(timeout: .seconds(20))) { done($0.map { _ in }) }
        }
        #expect(result.failure == nil)
    }

    @Test("The reason of an adapter that is off names the command that switches it on")
    func poweredOff() async {
        let (state, reason): (RadioState, String) = await onLoop { fake, radio, done in
            let watcher = ClosureObserver { done((radio.state, radio.stateReason)) }
            radio.addObserver(watcher)
            fake.change(FakeBlueZ.adapterPath, BlueZ.adapter, ["Powered": .bool(false)])
            fake.when("never") { withExtendedLifetime(watcher) {} }
        }
        #expect(state == .poweredOff && reason.contains("bluetoothctl power on"))
    }

    @Test("Switching the adapter sets BlueZ's property, and reports a blocking radio switch")
    func setsPower() async {
        let arguments: [BusValue] = await onLoop { fake, radio, done in
            nonisolated(unsafe) var arguments: [BusValue] = []
            fake.answers["Set"] = { call in
                arguments = call.arguments
                call.respond(.success([]))
            }
            radio.setPowered(true) { _ in done(arguments) }
        }
        #expect(arguments == [.string(BlueZ.adapter), .string("Powered"), .variant(.bool(true))])
        let result: Result<Void, RadioError> = await onLoop { fake, radio, done in
            fake.answers["Set"] = { $0.respond(.failure(BusError("org.bluez.Error.Failed", "Blocked through rfkill"))) }
            radio.setPowered(true) { done($0) }
        }
        guard case .radio(.poweredOff, let reason)? = result.failure else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.contains("rfkill unblock"))
    }

    /// The ways to lose the adapter while a connection is pending.
    enum Loss: String, CaseIterable { case switchedOff, unplugged, serviceEnded }

    @Test("A pending connection ends once when the adapter is switched off", arguments: Loss.allCases, [false, true])
    func endsPendingConnections(_ loss: Loss, isKnown: Bool) async {
        let errors: [RadioError] = await onLoop { fake, radio, done in
            // BlueZ receives the call and does not answer; or it does not know the device, which is discovered.
            if isKnown { fake.addDevice() }
            fake.answers["Connect"] = { _ in }
            // Proof: accessed on the loop only, like the radio.
            nonisolated(unsafe) var errors: [RadioError] = []
            _ = radio.connect(FakeWorld.id, ConnectRequest(timeout: nil)) { result in
                if let error = result.failure { errors.append(error) }
                // When the loop is idle again, all later events have been processed.
                radio.loop.executeNext { radio.loop.executeNext { done(errors) } }
            }
            fake.when(isKnown ? "Connect" : "StartDiscovery") {
                switch loss {
                case .switchedOff: fake.change(FakeBlueZ.adapterPath, BlueZ.adapter, ["Powered": .bool(false)])
                case .unplugged: fake.remove(FakeBlueZ.adapterPath)
                case .serviceEnded: fake.bus.close()
                }
            }
        }
        let wanted: [Loss: RadioState] = [
            .switchedOff: .poweredOff, .unplugged: .unsupported, .serviceEnded: .resetting,
        ]
        guard errors.count == 1, case .radio(let state, _) = errors[0] else {
            Issue.record("\(errors)")
            return
        }
        #expect(state == wanted[loss])
    }

    @Test("Pairing questions reach the pairing handler, and its answers reach BlueZ")
    func pairs() async throws {
        let handler = Handler()
        let answer: Result<[BusValue], BusError> = await onLoop { fake, radio, done in
            fake.addDevice()
            radio.addUser(RadioUser(pairingHandler: handler))
            fake.when("RequestDefaultAgent") {
                let agent = fake.senders["RegisterAgent"] ?? ""
                fake.bus.call(
                    agent, PairingAgent.path, BlueZ.agent, "RequestPasskey", [.path(FakeBlueZ.devicePath)]
                ) { done($0) }
            }
        }
        #expect(try answer.get() == [.uint32(123_456)])
        let asked = await loop.run { handler.asked }
        #expect(asked == [.enterPasskey])
    }

    @Test("A pairing question goes to the user that pairs; a closed user leaves other handlers")
    func severalUsers() async throws {
        let (first, second, third) = (Handler(), Handler(), Handler())
        let answer: Result<[BusValue], BusError> = await onLoop { fake, radio, done in
            fake.addDevice()
            let users = [first, second, third].map { RadioUser(pairingHandler: $0) }
            for user in users { radio.addUser(user) }
            radio.removeUser(users[2])
            fake.answers["Pair"] = { _ in }
            // Proof: accessed on the loop only; retained for the duration of the test.
            nonisolated(unsafe) var links: [any PeripheralLink] = []
            for user in users[..<2] {
                _ = radio.connect(FakeWorld.id, ConnectRequest(timeout: nil), for: user) { result in
                    guard let link = try? result.get() else { return }
                    links.append(link)
                    if links.count == 2 { link.pair(to: .encrypted, timeout: nil) { _ in } }
                }
            }
            fake.when("Pair") {
                let agent = fake.senders["RegisterAgent"] ?? ""
                fake.bus.call(
                    agent, PairingAgent.path, BlueZ.agent, "RequestPasskey", [.path(FakeBlueZ.devicePath)]
                ) {
                    withExtendedLifetime(links) {}
                    done($0)
                }
            }
        }
        #expect(try answer.get() == [.uint32(123_456)])
        let asked = await loop.run { (first.asked, second.asked, third.asked) }
        #expect(asked.0 == [] && asked.1 == [.enterPasskey] && asked.2 == [])
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

private final class ClosureObserver: RadioObserver {
    private var body: (() -> Void)?
    init(_ body: @escaping () -> Void) { self.body = body }
    /// Handles the first change; later ones come from the end of the test's bus.
    func radioStateChanged(_ backend: any RadioBackend) {
        body?()
        body = nil
    }
    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}

/// Proof of `@unchecked Sendable`: accessed on the loop only.
private final class StateWatcher: RadioObserver, @unchecked Sendable {
    private var waiting: (RadioState, CheckedContinuation<Void, Never>)?

    func wait(for state: RadioState, _ radio: LoopBound<any RadioBackend>) async {
        await withCheckedContinuation { continuation in
            radio.loop.execute {
                if radio.value.state == state { continuation.resume() } else { self.waiting = (state, continuation) }
            }
        }
    }

    func radioStateChanged(_ backend: any RadioBackend) {
        guard let (state, continuation) = waiting, backend.state == state else { return }
        waiting = nil
        continuation.resume()
    }
    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}

/// Proof of `@unchecked Sendable`: accessed on the loop only.
private final class Handler: PairingHandler, @unchecked Sendable {
    let capability = PairingCapability.keyboardDisplay
    let passkey: UInt32? = nil
    var asked: [PairingQuestion] = []

    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
    ) {
        asked.append(question)
        answer(.passkey(123_456))
    }
    func pairingQuestionWithdrawn(with peripheral: PeripheralID) {}
}

import BluetoothBackend
import BluetoothRuntime
import Foundation
import TestSupport
import Testing
import VirtualTransport

@testable import Harald

/// Two users of one adapter: their pairing questions, their security policies, and their options.
@Suite(.timeLimit(.minutes(2))) struct LeaseTests {
    /// A device with protected values, and an adapter for several centrals.
    private struct Air {
        let radio = VirtualRadio()
        let adapter: Adapter
        let device: LocalPeripheral

        init(_ user: any PairingDelegate = .justWorks, requiredSecurity: LinkSecurity.Level = .none) async throws {
            adapter = radio.adapter(named: "shared")
            device = try await LocalPeripheral(
                adapter: radio.adapter(named: "device"), name: "Lock", pairing: user,
                requiredSecurity: requiredSecurity)
            try await device.publish(
                ServiceDefinition(
                    "FFE0",
                    [
                        CharacteristicDefinition("FFE1", .read, value: [1]),
                        CharacteristicDefinition(
                            "FFE2", .read, value: [2], permissions: [.readable, .readEncryptionRequired]),
                    ]))
            try await device.advertise()
        }

        /// Publishes FFE6, whose reads yield to `began` and then wait for a value of `end`.
        func publishSlowValue() async throws -> (began: AsyncStream<Void>, end: AsyncStream<Void>.Continuation) {
            let (began, begin) = AsyncStream<Void>.makeStream()
            let (ends, end) = AsyncStream<Void>.makeStream()
            let slow = CharacteristicDefinition(
                "FFE6", .read,
                onRead: { _ in
                    begin.yield()
                    for await _ in ends { break }
                    return [6]
                })
            try await device.publish(ServiceDefinition("FFE5", [slow]))
            return (began, end)
        }

        func central(_ pairing: PairingUser? = nil, _ options: AdapterOptions = .init()) async throws -> Central {
            let central = try await Central(adapter: adapter, pairing: pairing, options: options)
            try await central.waitUntilPoweredOn()
            return central
        }

        func peripheral(of central: Central) async throws -> Peripheral {
            let address = try #require(await device.address)
            return try #require(await central.peripheral(address: address))
        }

        func connected(_ central: Central) async throws -> Peripheral {
            let peripheral = try await peripheral(of: central)
            try await peripheral.connect()
            return peripheral
        }

        func close(_ centrals: Central...) async {
            for central in centrals { await central.close() }
            await device.close()
        }
    }

    private static let strict = AdapterOptions(security: SecurityPolicy(requiresSecureConnections: true))

    // MARK: Questions

    @Test(arguments: [true, false]) func questionsGoToTheCentralThatStartedPairing(isFirst: Bool) async throws {
        let air = try await Air()
        let users = (PairingUser(), PairingUser())
        let centrals = (try await air.central(users.0), try await air.central(users.1))
        let peripherals = (try await air.connected(centrals.0), try await air.connected(centrals.1))
        // The value requires encryption, and the reader begins to pair.
        let reader = isFirst ? peripherals.0 : peripherals.1
        #expect(try await reader.characteristic("FFE0", "FFE2").read() == [2])
        #expect(users.0.questions.value == (isFirst ? [.confirm] : []))
        #expect(users.1.questions.value == (isFirst ? [] : [.confirm]))
        await air.close(centrals.0, centrals.1)
    }

    @Test func aCentralWithoutADelegateDoesNotUseAnothersDelegate() async throws {
        let air = try await Air()
        let user = PairingUser()
        let centrals = (try await air.central(), try await air.central(user))
        let peripherals = (try await air.connected(centrals.0), try await air.connected(centrals.1))
        let error = await #expect(throws: BluetoothError.self) {
            try await peripherals.0.characteristic("FFE0", "FFE2").read()
        }
        #expect(error?.code == .att(.insufficientAuthentication) || error?.code == .att(.insufficientEncryption))
        #expect(user.questions.value.isEmpty)
        _ = peripherals.1
        await air.close(centrals.0, centrals.1)
    }

    @Test func closingOneCentralLeavesTheOthersDelegate() async throws {
        let air = try await Air()
        let (first, second) = (PairingUser(), PairingUser { _ in .refuse })
        let centrals = (try await air.central(first), try await air.central(second))
        await centrals.1.close()
        let peripheral = try await air.connected(centrals.0)
        #expect(try await peripheral.characteristic("FFE0", "FFE2").read() == [2])
        #expect(first.questions.value == [.confirm] && second.questions.value.isEmpty)
        await air.close(centrals.0)
    }

    @Test func closingACentralRefusesItsOpenQuestion() async throws {
        let air = try await Air()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (withdrawn, withdraw) = AsyncStream<Void>.makeStream()
        let user = PairingUser { _ in
            ask.yield()
            await withTaskCancellationHandler {
                let (never, continuation) = AsyncStream<Void>.makeStream()
                for await _ in never {}
                withExtendedLifetime(continuation) {}
            } onCancel: {
                withdraw.yield()
            }
            return .accept
        }
        let centrals = (try await air.central(user), try await air.central(PairingUser()))
        let peripherals = (try await air.connected(centrals.0), try await air.connected(centrals.1))
        let locked = try await peripherals.0.characteristic("FFE0", "FFE2")
        let reading = Task { try await locked.read() }
        for await _ in asked { break }
        await centrals.0.close()
        for await _ in withdrawn { break }
        _ = await reading.result
        // The other central still has the link, and nothing was paired.
        #expect(try await peripherals.1.characteristic("FFE0", "FFE1").read() == [1])
        #expect(peripherals.1.security.level == .none)
        await air.close(centrals.1)
    }

    @Test func aPeersRequestGoesToTheOldestCentralWithADelegate() async throws {
        let air = try await Air(requiredSecurity: .encrypted)
        let users = (PairingUser(), PairingUser())
        let without = try await air.central()
        let centrals = (try await air.central(users.0), try await air.central(users.1))
        // All of them wait for one connection.
        let peripherals = [
            try await air.peripheral(of: centrals.1), try await air.peripheral(of: without),
            try await air.peripheral(of: centrals.0),
        ]
        await air.radio.injectFaults(adapterNamed: "device") { $0.isSilent = true }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for peripheral in peripherals {
                group.addTask { try await peripheral.connect() }
                for try await state in peripheral.states where state == .connecting { break }
            }
            await air.radio.injectFaults(adapterNamed: "device") { $0.isSilent = false }
            try await group.waitForAll()
        }
        for try await security in peripherals[2].securityChanges where security.level == .encrypted { break }
        #expect(users.0.questions.value == [.confirm] && users.1.questions.value.isEmpty)
        await air.close(without, centrals.0, centrals.1)
    }

    /// The adapter stays open for the central on it.
    @Test func aClosedDeviceDisconnectsItsCentrals() async throws {
        let air = try await Air()
        let beside = try await air.central()
        let device = try await LocalPeripheral(adapter: air.adapter, name: "Beside")
        try await device.advertise()
        let visitor = try await Central(adapter: air.radio.adapter(named: "visitor"))
        let found = try await visitor.peripheral(of: device)
        try await found.connect()
        await device.close()
        for _ in 0..<200_000 where found.isConnected { await Task.yield() }
        #expect(!found.isConnected)
        await visitor.close()
        await air.close(beside)
    }

    /// Also where another central keeps the link: the device has acknowledged the end of the subscription.
    @Test func aSubscriptionOnASharedLinkEndsBeforeTheDisconnectionReturns() async throws {
        let air = try await Air()
        let notifying = CharacteristicDefinition("FFE6", .notify, value: [0])
        try await air.device.publish(ServiceDefinition("FFE5", [notifying]))
        let centrals = (try await air.central(), try await air.central())
        let leaving = try await air.connected(centrals.0), staying = try await air.connected(centrals.1)
        let events = Locked<[LocalPeripheral.Event]>([])
        let listening = Task { [stream = air.device.events] in
            for try await event in stream { events.with { $0.append(event) } }
        }
        let values = try await leaving.characteristic("FFE5", "FFE6").notifications()
        while !events.value.contains(where: { if case .subscribed = $0 { true } else { false } }) {
            try await Task.pause()
        }
        await air.radio.injectFaults(adapterNamed: "device") { $0.delay = .milliseconds(200) }
        await leaving.disconnect()
        #expect(events.value.contains { if case .unsubscribed = $0 { true } else { false } })
        #expect(staying.isConnected)
        listening.cancel()
        withExtendedLifetime(values) {}
        await air.close(centrals.0, centrals.1)
    }

    @Test func aCentralThatLeavesASharedLinkEndsItsOperationsAndChannelsAlone() async throws {
        let air = try await Air()
        let (began, end) = try await air.publishSlowValue()
        let (psm, accepted) = try await air.device.publishL2CAPChannel()
        var peers = accepted.makeAsyncIterator()
        let centrals = (try await air.central(), try await air.central())
        let leaving = try await air.connected(centrals.0), staying = try await air.connected(centrals.1)
        let ending = try await leaving.openL2CAPChannel(psm: psm)
        let first = try await peers.next()
        let lasting = try await staying.openL2CAPChannel(psm: psm)
        let second = try await peers.next()
        let values = (
            try await leaving.characteristic("FFE5", "FFE6"), try await staying.characteristic("FFE5", "FFE6")
        )
        let reads = (Task { try await values.0.read() }, Task { try await values.1.read() })
        for await _ in began { break }
        await leaving.disconnect()
        let failed = await #expect(throws: BluetoothError.self) { try await reads.0.value }
        #expect(failed?.code == .disconnected(.localHostTerminated), "\(failed as Any)")
        let closed = await #expect(throws: BluetoothError.self) { for try await _ in ending.messages {} }
        #expect(closed?.code == .disconnected(.localHostTerminated), "\(closed as Any)")
        // The device receives the end of the channel; the rest of the link continues.
        if let first { for try await _ in first.messages {} }
        end.yield()
        end.yield()
        #expect(try await reads.1.value == [6])
        try await lasting.send([1])
        let message = try await #require(second).messages.first { _ in true }
        #expect(message == [1])
        #expect(staying.isConnected)
        await air.close(centrals.0, centrals.1)
    }

    /// A device without a handler of its own uses that of the oldest central on its adapter.
    @Test func aCentralAnswersForTheDeviceBesideIt() async throws {
        let air = try await Air()
        let user = PairingUser()
        let beside = try await air.central(user)
        let device = try await LocalPeripheral(adapter: air.adapter, name: "Beside")
        try await device.advertise()
        let visitor = try await Central(adapter: air.radio.adapter(named: "visitor"), pairing: PairingUser())
        let found = try await visitor.peripheral(of: device)
        try await found.connect()
        try await found.pair()
        #expect(found.security.level >= .encrypted && !user.questions.value.isEmpty)
        await visitor.close()
        await device.close()
        await air.close(beside)
    }

    // MARK: Policies

    @Test(arguments: [true, false]) func theStrictestPolicyOfALinksUsersHolds(isStrictFirst: Bool) async throws {
        let air = try await Air()
        let centrals = (try await air.central(PairingUser()), try await air.central(PairingUser(), Self.strict))
        let early = isStrictFirst ? nil : try await air.connected(centrals.0)
        let strict = try await air.connected(centrals.1)
        let refused = await #expect(throws: BluetoothError.self) { try await strict.pair() }
        #expect(refused?.code == .security && strict.security.level == .none)
        // This also holds if another user of the same link requires less, in either order.
        let lax = if let early { early } else { try await air.connected(centrals.0) }
        let second = await #expect(throws: BluetoothError.self) { try await lax.pair() }
        #expect(second?.code == .security && lax.security.level == .none)
        // Without the other user it succeeds.
        await strict.disconnect()
        try await lax.pair(timeout: .seconds(20))
        #expect(lax.security.level == .encrypted)
        await air.close(centrals.0, centrals.1)
    }

    @Test func onlyTheUserThatRequiresMoreSecurityFails() async throws {
        let air = try await Air()
        let centrals = (try await air.central(PairingUser()), try await air.central(PairingUser(), Self.strict))
        let lax = try await air.connected(centrals.0)
        try await lax.pair()
        let strict = try await air.peripheral(of: centrals.1)
        let error = await #expect(throws: BluetoothError.self) { try await strict.connect() }
        #expect(error?.code == .security, "\(error as Any)")
        #expect(error?.reason.contains("encrypted") == true && error?.reason.contains("Secure Connections") == true)
        #expect(!strict.isConnected && lax.isConnected)
        #expect(try await lax.characteristic("FFE0", "FFE2").read() == [2])
        await air.close(centrals.0, centrals.1)
    }

    /// The second central connects while the question to the first one's user is pending.
    @Test func aStricterUserThatJoinsDuringPairingLosesTheLinkAlone() async throws {
        let air = try await Air()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let user = PairingUser { _ in
            ask.yield()
            for await _ in answers { break }
            return .accept
        }
        let centrals = (try await air.central(user), try await air.central(PairingUser(), Self.strict))
        let (began, end) = try await air.publishSlowValue()
        let lax = try await air.connected(centrals.0)
        let locked = try await lax.characteristic("FFE0", "FFE2")
        let reading = Task { try await locked.read() }
        for await _ in asked { break }
        let strict = try await air.connected(centrals.1)
        let waiting = try await strict.characteristic("FFE5", "FFE6")
        let pending = Task { try await waiting.read() }
        for await _ in began { break }
        answer.yield()
        for try await state in strict.states {
            guard case .disconnected(let error?) = state else { continue }
            #expect(error.code == .security, "\(error)")
            break
        }
        // Its operations end as well, although the link continues.
        let error = await #expect(throws: BluetoothError.self) { try await pending.value }
        #expect(error?.code == .security, "\(error as Any)")
        end.yield()
        #expect(try await reading.value == [2])
        #expect(lax.isConnected)
        await air.close(centrals.0, centrals.1)
    }

    // MARK: Options

    @Test func conflictingOptionsAreAnErrorWithBothValues() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("harald-lease-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let radio = VirtualRadio()
        let adapter = radio.adapter()
        let own = try #require(BluetoothAddress("C0:00:00:00:00:01", kind: .random))
        let other = try #require(BluetoothAddress("C0:00:00:00:00:02", kind: .random))
        let first = try await Central(
            adapter: adapter, options: AdapterOptions(storage: .directory(directory), address: .randomStatic(own)))
        let wrong: [(AdapterOptions, [String])] = [
            (AdapterOptions(storage: .directory(directory + "/2")), [directory, directory + "/2"]),
            (AdapterOptions(storage: .none), [directory, "none"]),
            (AdapterOptions(captureFile: directory + "/capture"), ["none", directory + "/capture"]),
            (AdapterOptions(address: .randomStatic(other)), [own.text, other.text]),
            (AdapterOptions(address: .public), [own.text, "public"]),
            (AdapterOptions(privateAddressRotationInterval: .seconds(900)), ["none", "900"]),
        ]
        for (options, values) in wrong {
            let error = await #expect(throws: BluetoothError.self) {
                try await Central(adapter: adapter, options: options)
            }
            #expect(error?.code == .invalidArgument, "\(error as Any)")
            for value in values { #expect(error?.reason.contains(value) == true, "\(error as Any)") }
        }
        // Options that agree, or are defaults, are shared.
        for options in [AdapterOptions(), AdapterOptions(storage: .directory(directory), address: .randomStatic(own))] {
            await (try await Central(adapter: adapter, options: options)).close()
        }
        try await first.waitUntilPoweredOn()
        await first.close()
    }

    // MARK: Damaged bonds

    @Test func anAdapterWithDamagedBondsIsNotOpened() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("harald-lease-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(fileURLWithPath: directory + "/bonds.json"))
        let options = AdapterOptions(storage: .directory(directory))
        let error = await #expect(throws: BluetoothError.self) {
            try await Central(adapter: VirtualRadio().adapter(), options: options)
        }
        #expect(error?.reason.contains(directory + "/bonds.json") == true, "\(error as Any)")
        #expect(throws: BluetoothError.self) { try SavedBonds.all(in: options.storage) }
        try SavedBonds.forgetAll(in: options.storage)
        #expect(try SavedBonds.all(in: options.storage).isEmpty)
        await (try await Central(adapter: VirtualRadio().adapter(), options: options)).close()
    }

    // MARK: Connecting

    /// The second user connects while the controller stops the cancelled attempt of the first one.
    @Test func aConnectBesideACancelledOneIsNotCancelled() async throws {
        let air = try await Air()
        let (first, second) = (try await air.central(), try await air.central())
        let peripherals = (try await air.peripheral(of: first), try await air.peripheral(of: second))
        let (radio, users) = (second.radio, (first.radio.user, second.radio.user))
        let id = peripherals.1.id
        let results: [Result<Void, RadioError>] = await withCheckedContinuation { continuation in
            radio.loop.execute {
                var results: [Result<Void, RadioError>?] = [nil, nil]
                let ended = { (index: Int, result: Result<any PeripheralLink, RadioError>) in
                    // Released at once: the link ends with it.
                    results[index] = result.map { $0.release {} }
                    if let first = results[0], let second = results[1] {
                        continuation.resume(returning: [first, second])
                    }
                }
                let given = radio.backend.value.connect(id, ConnectRequest(), for: users.0.value) { ended(0, $0) }
                // The first attempt begins after this call.
                radio.loop.executeNext {
                    given.cancel()
                    _ = radio.backend.value.connect(id, ConnectRequest(), for: users.1.value) { ended(1, $0) }
                }
            }
        }
        #expect(throws: RadioError.cancelled) { try results[0].get() }
        #expect(throws: Never.self) { try results[1].get() }
        await air.close(first, second)
    }
}

import BluetoothBackend
import Testing
import VirtualTransport

@testable import Harald

@Suite(.closesRigs, .timeLimit(.minutes(3))) struct LinkTests {
    @Test func phyParametersAndDataLength() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        #expect(try await peripheral.phy() == LinkPHY(transmit: .le1M, receive: .le1M))
        #expect(
            try await peripheral.setPHY(transmit: [.le2M], receive: [.le2M]) == LinkPHY(transmit: .le2M, receive: .le2M)
        )
        let wish = ConnectionParametersRequest(
            interval: .milliseconds(50) ... .milliseconds(50), latency: 2, supervisionTimeout: .seconds(3))
        let agreed = try await peripheral.updateConnectionParameters(wish)
        #expect(
            agreed == ConnectionParameters(interval: .milliseconds(50), latency: 2, supervisionTimeout: .seconds(3)))
        #expect(peripheral.connectionParameters == agreed)
    }

    @Test func thePeripheralRequestsConnectionParameters() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let central = try #require(await rig.device.centrals.first)
        let wish = ConnectionParametersRequest(
            interval: .milliseconds(100) ... .milliseconds(100), supervisionTimeout: .seconds(4))
        let agreed = try await rig.device.updateConnectionParameters(wish, of: central)
        #expect(agreed.interval == .milliseconds(100))
        // The central receives a separate event.
        _ = try await peripheral.readRSSI()
        #expect(peripheral.connectionParameters?.interval == .milliseconds(100))
    }

    @Test func attributesThatWereNotDiscoveredAreRefused() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let errors = await rig.radio.loop.run { [session = peripheral.session] in
            var errors: [RadioError?] = []
            guard let link = try? session.value.link() else { return errors }
            let unknown = AttributeID(rawValue: 0x7777)
            link.discoverCharacteristics(of: unknown, nil, timeout: nil) { errors.append($0.error) }
            link.discoverDescriptors(of: unknown, timeout: nil) { errors.append($0.error) }
            return errors
        }
        #expect(errors == Array(repeating: .att(.invalidHandle, handle: 0), count: 2))
    }

    @Test func unusableConnectionParametersAreRefusedWithTheRanges() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.find()
        let wrong = ConnectionParametersRequest(
            interval: .milliseconds(1) ... .milliseconds(2), supervisionTimeout: .milliseconds(10))
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.connect(parameters: wrong) }
        #expect(error?.code == .invalidArgument)
    }

    @Test(arguments: RigStack.centrals) func twoUsersOfOneLinkEndOnlyTheirOwnUse(_ stack: RigStack) async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(), name: "Shared")
        try await device.publish(ServiceDefinition("180F", [CharacteristicDefinition("2A19", .read, value: [5])]))
        try await device.advertise()
        let adapter = stack.central(on: radio, named: "shared")
        let (first, second) = (try await Central(adapter: adapter), try await Central(adapter: adapter))
        let address = try #require(await device.address)
        let ours = try #require(await first.device(at: address))
        let theirs = try #require(await second.device(at: address))
        try await ours.connect()
        try await theirs.connect()
        #expect(await radio.linkCount == 1)
        await ours.disconnect()
        let level = try await theirs.characteristic("180F", "2A19")
        #expect(try await level.read() == [5])
        #expect(await second.connectedPeripherals(withServices: ["180F"]).map(\.id) == [theirs.id])
        await theirs.disconnect()
        #expect(await radio.linkCount == 0)
        await first.close()
        await second.close()
        await device.close()
    }

    @Test(arguments: RigStack.centrals) func aReleasedPeripheralIsDisconnected(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let events = rig.device.events
        do {
            let peripheral = try await rig.connected()
            #expect(peripheral.isConnected)
        }
        _ = try await events.first { if case .disconnected = $0 { true } else { false } }
    }

    @Test(arguments: RigStack.centrals) func anAbsentDeviceDelaysNoOther(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let address = try #require(BluetoothAddress("C0:00:00:00:00:01", kind: .random))
        let absent = try #require(await rig.central.device(at: address))
        let states = absent.states
        let waiting = Task { try await absent.connect(timeout: nil) }
        _ = try await states.first { $0 == .connecting }
        let peripheral = try await rig.connected()
        let level = try await peripheral.characteristic("180F", "2A19")
        #expect(try await level.read() == [87])
        waiting.cancel()
        await #expect(throws: BluetoothError.self) { try await waiting.value }
    }

    @Test(arguments: RigStack.centrals) func aReconnectionDependsOnTheReason(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let onlyTimeouts = ReconnectPolicy(reasons: [.connectionTimeout])
        let peripheral = try await rig.connected(reconnect: onlyTimeouts)
        let states = peripheral.states
        let central = try #require(await rig.device.centrals.first)
        try await rig.device.disconnect(central)
        for try await state in states {
            guard case .disconnected(let error) = state else { continue }
            #expect(error?.code == .disconnected(.remoteUserTerminated))
            break
        }
    }

    @Test(arguments: RigStack.centrals) func theReadAfterACancelledOneReceivesItsOwnResponse(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let computed = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.computed))
        let fixed = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.fixed))
        for _ in 0..<50 {
            let cancelled = Task { try await computed.read() }
            cancelled.cancel()
            #expect(try await fixed.read() == Array(0..<20))
            _ = try? await cancelled.value
        }
    }

    @Test(arguments: RigStack.centrals) func aCancelledTaskDisconnects(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.find()
        let states = peripheral.states
        let visit = Task {
            try await peripheral.withConnection {
                let values = try await peripheral.characteristic("180F", "2A19").notifications()
                for try await _ in values {}
                try Task.checkCancellation()
            }
        }
        _ = try await states.first { $0 == .connected }
        visit.cancel()
        await #expect(throws: (any Error).self) { try await visit.value }
        #expect(peripheral.state == .disconnected(nil))
        #expect(await rig.device.centrals.isEmpty)
    }

    @Test(.timeLimit(.minutes(1)), arguments: RigStack.centrals) func writesBeforeADisconnectionArrive(
        _ stack: RigStack
    ) async throws {
        let rig = try await Rig(stack, pace: .connectionInterval)
        let peripheral = try await rig.connected()
        let sink = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.sink))
        for number in UInt8(0)..<10 { try await sink.write([number]) }
        await peripheral.disconnect()
        var arrived: [[UInt8]] = []
        for await value in rig.sinking {
            arrived.append(value)
            if arrived.count == 10 { break }
        }
        #expect(arrived == (UInt8(0)..<10).map { [$0] })
    }

    @Test(arguments: RigStack.centrals) func withConnectionDisconnectsWhenItsBodyThrows(_ stack: RigStack) async throws
    {
        struct Failure: Error {}
        let rig = try await Rig(stack)
        let peripheral = try await rig.find()
        await #expect(throws: Failure.self) { try await peripheral.withConnection { throw Failure() } }
        #expect(peripheral.state == .disconnected(nil))
    }
}

extension Result where Failure == RadioError {
    fileprivate var error: RadioError? { if case .failure(let error) = self { error } else { nil } }
}

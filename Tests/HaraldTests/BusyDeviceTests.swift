import BluetoothBackend
import BluetoothRuntime
import TestSupport
import Testing
import VirtualTransport

@testable import Harald

/// A local peripheral whose handlers are slower than its central, or whose values are longer than its packets.
@Suite(.timeLimit(.minutes(1))) struct BusyDeviceTests {
    private static let central = PeripheralID(BluetoothAddress(value: 1, kind: .public))
    private static let attribute = AttributeID(rawValue: 3)

    /// A responder of its own, to which a test gives the requests.
    private static func responder(of device: LocalPeripheral) async -> LoopBound<LocalResponder> {
        let loop = device.core.radio.loop
        return await loop.run {
            let responder = LocalResponder()
            responder.core = device.core
            return LoopBound(confined: responder, loop: loop)
        }
    }

    @Test func aReadIsAnsweredBehindAFullQueueOfWrites() async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "device")
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (answers, answering) = AsyncStream<Result<[UInt8], ATTErrorCode>>.makeStream()
        let loop = device.core.radio.loop
        let responder = await Self.responder(of: device)
        await loop.run {
            responder.value.handlers[Self.attribute] = LocalCore.Handlers(
                read: { _ in [7] }, write: { _ in for await _ in gate {} })
            let part = LocalWriteRequest.Part(attribute: Self.attribute, offset: 0, value: [1])
            // Beyond its limit the queue drops writes without response.
            while device.droppedWrites == 0 {
                responder.value.localDevice(
                    write: LocalWriteRequest(central: Self.central, parts: [part], respond: nil))
            }
            responder.value.localDevice(
                write: LocalWriteRequest(central: Self.central, parts: [part]) { answering.yield($0.map { [] }) })
            responder.value.localDevice(
                read: LocalReadRequest(central: Self.central, attribute: Self.attribute, offset: 0) {
                    answering.yield($0)
                })
        }
        opening.finish()
        var iterator = answers.makeAsyncIterator()
        #expect(await iterator.next() == .success([]))
        #expect(await iterator.next() == .success([7]))
        await loop.run { responder.value.end() }
        await device.close()
    }

    /// Only work on the loop holds up a clock that is stepped: a handler elsewhere can be hours late.
    @Test(arguments: [true, false]) func handlersRunOnTheLoopOfASteppedClock(isStepped: Bool) async throws {
        let radio = VirtualRadio(clock: isStepped ? .manual() : .real)
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "device")
        let (places, place) = AsyncStream<Bool>.makeStream()
        let loop = device.core.radio.loop
        let responder = await Self.responder(of: device)
        await loop.run {
            responder.value.handlers[Self.attribute] = LocalCore.Handlers(
                read: { _ in
                    place.yield(loop.isOnLoop)
                    return []
                }, write: nil)
            responder.value.localDevice(
                read: LocalReadRequest(central: Self.central, attribute: Self.attribute, offset: 0) { _ in })
        }
        #expect(await places.first { _ in true } == isStepped)
        await loop.run { responder.value.end() }
        await device.close()
    }

    @Test func aValueThatIsTooLongForASubscriberIsReportedOnce() async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "device")
        let published = try await device.publish(
            ServiceDefinition("FFF0", [CharacteristicDefinition("FFF1", [.read, .notify])]))
        let notifying = try #require(published["FFF1"])
        try await device.advertise()
        let central = try await Central(adapter: radio.adapter(named: "central"))
        var found: Peripheral?
        for try await result in central.scan() {
            found = result.peripheral
            break
        }
        let peripheral = try #require(found)
        try await peripheral.connect()
        var activities = device.activities.makeAsyncIterator()
        let values = try await peripheral.characteristic("FFF0", "FFF1").subscribe()
        let room = peripheral.maximumWriteLength(for: .withoutResponse)
        for length in [room, room + 5, room + 6] { try await notifying.update([UInt8](repeating: 1, count: length)) }
        var lengths: [Int] = []
        for try await value in values {
            lengths.append(value.count)
            if lengths.count == 3 { break }
        }
        #expect(lengths == [room, room, room])
        await device.close()
        var truncations: [[Int]] = []
        while let activity = try? await activities.next() {
            if case .truncated(_, notifying.attribute, let length, let sent) = activity {
                truncations.append([length, sent])
            }
        }
        #expect(truncations == [[room + 5, room]])
        await central.close()
    }
}

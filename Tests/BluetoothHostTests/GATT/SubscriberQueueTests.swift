import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

/// One stalled subscriber among others that receive values.
@Suite struct SubscriberQueueTests {
    private let server = GATTServer()
    private let delegate = RoomDelegate()
    private let time = SteppedTime()
    private let handle: UInt16

    init() throws {
        let service = try server.add(
            GATTServiceDefinition(
                uuid: "FFF0",
                characteristics: [
                    GATTCharacteristicDefinition(uuid: "FFF1", properties: [.notify, .indicate], value: .kept([]))
                ]))
        handle = service.characteristics[0].valueHandle
        server.delegate = delegate
    }

    /// Returns a client that subscribed to notifications (1) or indications (2).
    private func subscriber(_ kind: UInt16) -> Subscriber {
        let subscriber = Subscriber(server, time)
        subscriber.link.serverSession.setSubscription(GATTSubscription(rawValue: kind), to: handle)
        return subscriber
    }

    private final class Subscriber {
        let fake: FakeLink
        let link: L2CAPLink

        init(_ server: GATTServer, _ time: SteppedTime) {
            fake = FakeLink(role: .peripheral, time: time)
            link = L2CAPLink(transmitter: fake, server: server)
        }

        var session: GATTServerSession { link.serverSession }
        /// The last octet of each value received since the last call.
        func take() -> [String] { fake.take().map { String($0.suffix(2)) } }
    }

    @Test func theOldestNotificationOfAFullQueueIsDroppedAndCounted() {
        let deaf = subscriber(1), honest = subscriber(1)
        deaf.fake.room = 0
        var failures: [Int] = []
        for index in 0..<70 {
            server.send([UInt8(index)], for: handle) { if case .failure(.limit) = $0 { failures.append(index) } }
        }
        #expect(honest.take().count == 70)
        #expect(failures == Array(0..<6))
        #expect(server.droppedValues == 6)
        deaf.fake.room = .max
        deaf.link.roomAvailable()
        #expect(deaf.take() == (6..<70).map { [UInt8($0)].hexText() })
    }

    @Test func anIndicationIntoAFullQueueIsAnError() {
        let silent = subscriber(2)
        let outcomes = (0..<66).map { _ in Outcome<Void>() }
        for outcome in outcomes { server.send([1], for: handle, completion: outcome.callAsFunction) }
        #expect(silent.take().count == 1)
        #expect(outcomes.dropLast().allSatisfy { $0.count == 0 })
        guard case .limit = outcomes[65].error else {
            Issue.record("\(outcomes[65].results)")
            return
        }
        #expect(server.droppedValues == 1)
    }

    @Test func anUnresponsiveIndicationSubscriberDelaysNoOther() {
        let silent = subscriber(2), honest = subscriber(1)
        var count = 0
        for _ in 0..<300 {
            server.send([1], for: handle) { _ in }
            count += honest.take().count
            _ = silent.take()
            time.advance(by: .milliseconds(200))
            // A link without a confirmation ends after 30 s; the silent client connects again.
            if silent.fake.disconnection != nil { silent.link.linkClosed(.disconnected(.localHostTerminated)) }
        }
        #expect(count == 300)
        #expect(silent.fake.disconnection != nil)
    }

    @Test func onlyAResponsiveSubscriberReportsAFullQueue() {
        let deaf = subscriber(1)
        deaf.fake.room = 0
        for _ in 0..<64 { server.send([1], for: handle) { _ in } }
        #expect(server.room(for: handle) == 0)
        time.advance(by: .milliseconds(999))
        #expect(server.room(for: handle) == 0 && delegate.ready == 0)
        time.advance(by: .milliseconds(1))
        #expect(server.room(for: handle) == .max && delegate.ready == 1)
        #expect(server.canNotify)
        // It completes a value, so it is no longer stalled.
        deaf.fake.room = 1
        deaf.link.roomAvailable()
        #expect(server.room(for: handle) == 1)
        deaf.fake.room = .max
        deaf.link.roomAvailable()
        #expect(server.room(for: handle) == 64)
    }

    @Test(arguments: [UInt16(1), 2]) func aStalledSubscriberCountsForASenderThatWaitsForIt(kind: UInt16) {
        let deaf = subscriber(kind)
        deaf.fake.room = 0
        for _ in 0..<64 { server.send([1], for: handle) { _ in } }
        time.advance(by: .seconds(1))
        #expect(server.room(for: handle) == .max)
        #expect(server.room(for: handle, waitsForStalled: true) == 0)
        // Beside a live subscriber it does not.
        let honest = subscriber(1)
        #expect(server.room(for: handle, waitsForStalled: true) == 64)
        honest.session.setSubscription([], to: handle)
        #expect(server.room(for: handle, waitsForStalled: true) == 0)
        deaf.session.setSubscription([], to: handle)
        #expect(server.room(for: handle, waitsForStalled: true) == .max)
    }

    @Test func aSenderThatWaitsForAStalledSubscriberLearnsOfItsRoom() {
        let deaf = subscriber(1)
        deaf.fake.room = 0
        for _ in 0..<64 { server.send([1], for: handle) { _ in } }
        time.advance(by: .seconds(1))
        #expect(server.room(for: handle, waitsForStalled: true) == 0)
        let before = delegate.ready
        deaf.fake.room = .max
        deaf.link.roomAvailable()
        #expect(delegate.ready == before + 1)
        #expect(server.room(for: handle, waitsForStalled: true) == 64)
    }

    @Test func roomIsReportedWhenHalfOfTheQueueIsFree() {
        let slow = subscriber(1)
        slow.fake.room = 0
        for _ in 0..<64 { server.send([1], for: handle) { _ in } }
        #expect(server.room(for: handle) == 0)
        slow.fake.room = 31
        slow.link.roomAvailable()
        #expect(delegate.ready == 0)
        slow.fake.room = 1
        slow.link.roomAvailable()
        #expect(delegate.ready == 1 && server.room(for: handle) == 32)
    }

    @Test func anUnresponsiveIndicationSubscriberIsStalledAfterASecond() {
        let silent = subscriber(2)
        for _ in 0..<65 { server.send([1], for: handle) { _ in } }
        #expect(server.room(for: handle) == 0)
        time.advance(by: .seconds(1))
        #expect(server.room(for: handle) == .max && delegate.ready == 1)
        silent.link.receive("1E")
        #expect(server.room(for: handle) == 1)
    }

    @Test func indicationsAreQueuedUntilTheLinkHasRoom() {
        let one = subscriber(2)
        one.fake.room = 0
        server.send([1], for: handle) { _ in }
        #expect(one.take().isEmpty)
        one.fake.room = 1
        one.link.roomAvailable()
        #expect(one.take() == ["01"])
    }
}

/// Counts the reports of room.
private final class RoomDelegate: GATTServerDelegate {
    var ready = 0

    func server(_ server: GATTServer, received request: GATTReadRequest) {}
    func server(_ server: GATTServer, received request: GATTWriteRequest) {}
    func server(
        _ server: GATTServer, received command: ByteView, for handle: UInt16, from session: GATTServerSession
    ) {}
    func server(
        _ server: GATTServer, _ session: GATTServerSession, changedSubscriptionTo valueHandle: UInt16,
        from old: GATTSubscription, to new: GATTSubscription
    ) {}
    func server(_ server: GATTServer, isReadyToSendTo session: GATTServerSession) { ready += 1 }
}

import BluetoothModel
import Testing

@testable import BluetoothHost

/// The order, the timers and the end of requests.
@Suite struct ATTBearerTests {
    @Test func requestsAreSentOneAtATimeInOrder() {
        let side = OneSide()
        let first = Outcome<[UInt8]>(), second = Outcome<[UInt8]>(), third = Outcome<Void>()
        side.client.read(3, completion: first.view)
        side.client.read(5, completion: second.view)
        side.client.write(7, [9], completion: third.callAsFunction)
        #expect(side.fake.take() == ["0A0300"])
        side.link.receive("0B AA")
        #expect(first.hex == "AA")
        #expect(side.fake.take() == ["0A0500"])
        side.link.receive("01 0A 0500 02")
        #expect(second.error == .att(.readNotPermitted, handle: 5))
        #expect(side.fake.take() == ["12070009"])
        side.link.receive("13")
        #expect(third.isSuccess)
    }

    @Test func aResponseToAnotherRequestIsDroppedAndTheRequestStaysPending() {
        let side = OneSide()
        let outcome = Outcome<[UInt8]>()
        side.client.read(3, completion: outcome.view)
        for text in ["13", "0D 01", "01 12 0300 01", "01 0A 03", "03 1700"] { side.link.receive(text) }
        #expect(outcome.count == 0)
        #expect(side.link.faults.total == 5)
        side.link.receive("0B 01")
        #expect(outcome.hex == "01")
    }

    @Test func noResponseFor30SecondsEndsAllOperationsAndTheLink() {
        let side = OneSide()
        let first = Outcome<[UInt8]>(), second = Outcome<Void>()
        side.client.read(3, completion: first.view)
        side.client.write(4, [1], completion: second.callAsFunction)
        side.time.advance(by: .milliseconds(29_999))
        #expect(first.count == 0 && side.fake.disconnection == nil)
        side.time.advance(by: .milliseconds(1))
        #expect(first.error == .timeout && second.error == .timeout)
        #expect(side.fake.disconnection == .remoteUserTerminated)
        let late = Outcome<[UInt8]>()
        side.client.read(3, completion: late.view)
        #expect(late.error == .notConnected)
        side.link.receive("0B 01")
        side.link.receive("0A 0300")
        #expect(side.fake.take() == ["0A0300"])
        side.link.linkClosed(.disconnected(.localHostTerminated))
        #expect(first.count == 1 && second.count == 1)
    }

    @Test func aCallersTimeoutKeepsTheRequestInFlight() {
        let side = OneSide()
        let first = Outcome<[UInt8]>(), second = Outcome<[UInt8]>(), third = Outcome<[UInt8]>()
        side.client.read(3, timeout: .seconds(2), completion: first.view)
        side.client.read(5, timeout: .seconds(1), completion: second.view)
        side.client.read(7, completion: third.view)
        side.time.advance(by: .seconds(1))
        #expect(second.error == .timeout && first.count == 0)
        side.time.advance(by: .seconds(1))
        #expect(first.error == .timeout)
        #expect(side.fake.take() == ["0A0300"])
        // The late response belongs to the first one: it is discarded, and the next request goes out.
        side.link.receive("0B AA")
        #expect(side.fake.take() == ["0A0700"])
        side.link.receive("0B BB")
        #expect(third.hex == "BB")
        #expect(first.count == 1 && second.count == 1)
        #expect(side.link.faults.total == 0)
    }

    @Test func anAbandonedRequestStillEndsTheLinkAfter30Seconds() {
        let side = OneSide()
        let outcome = Outcome<[UInt8]>()
        let id = side.client.read(3, completion: outcome.view)
        side.client.cancel(id)
        #expect(outcome.error == .cancelled)
        side.time.advance(by: .seconds(30))
        #expect(side.fake.disconnection != nil)
        #expect(outcome.count == 1)
    }

    @Test func eachRequestHasItsOwn30Seconds() {
        let side = OneSide()
        let first = Outcome<[UInt8]>(), second = Outcome<[UInt8]>()
        side.client.read(3, completion: first.view)
        side.link.receive("0B AA")
        side.time.advance(by: .seconds(20))
        side.client.read(5, timeout: nil, completion: second.view)
        side.time.advance(by: .seconds(29))
        #expect(first.hex == "AA" && side.link.att.isOpen)
        side.time.advance(by: .seconds(1))
        #expect(side.fake.disconnection != nil && second.count == 1)
    }

    @Test func aQueuedRequestThatIsCancelledIsNeverSent() {
        let side = OneSide()
        let first = Outcome<[UInt8]>(), second = Outcome<[UInt8]>()
        side.client.read(3, completion: first.view)
        side.client.cancel(side.client.read(5, completion: second.view))
        #expect(second.error == .cancelled)
        side.link.receive("0B")
        #expect(first.value == [])
        #expect(side.fake.take() == ["0A0300"])
    }

    @Test func theEndOfTheLinkEndsEveryOperationOnce() {
        let side = OneSide()
        let read = Outcome<[UInt8]>(), queued = Outcome<[UInt8]>(), command = Outcome<Void>()
        side.client.read(3, timeout: .seconds(5), completion: read.view)
        side.client.read(4, completion: queued.view)
        side.fake.room = 0
        side.client.writeCommand(5, [1], timeout: .seconds(5), completion: command.callAsFunction)
        let gone = RadioError.disconnected(.connectionTimeout)
        side.link.linkClosed(gone)
        side.link.linkClosed(.cancelled)
        side.time.advance(by: .seconds(60))
        #expect(read.error == gone && queued.error == gone && command.error == gone)
    }

    @Test func aCompletionMaySendFurtherRequests() {
        let side = OneSide()
        let inner = Outcome<[UInt8]>(), queued = Outcome<[UInt8]>()
        side.client.read(3) { _ in side.client.read(9, completion: inner.view) }
        side.client.read(5, completion: queued.view)
        side.link.receive("0B 01")
        side.link.receive("0B 02")
        side.link.receive("0B 03")
        #expect(queued.hex == "02" && inner.hex == "03")
        #expect(side.fake.take() == ["0A0300", "0A0500", "0A0900"])
    }

    // MARK: MTU

    @Test func theMTUIsTheMinimumOfBothOffers() {
        let side = OneSide(configuration: L2CAPLinkConfiguration(attMTU: 185))
        let outcome = Outcome<Int>(), again = Outcome<Int>()
        var heard: [Int] = []
        side.client.onMTUChange = { heard.append($0) }
        side.client.exchangeMTU(completion: outcome.callAsFunction)
        #expect(side.fake.take() == ["02B900"])
        side.link.receive("03 F700")
        #expect(outcome.value == 185 && heard == [185])
        side.client.exchangeMTU(completion: again.callAsFunction)
        #expect(again.value == 185 && side.fake.take().isEmpty)
        side.link.receive("03 1700")
        #expect(side.client.mtu == 185)
        #expect(side.link.faults.count(of: .unexpectedResponse) == 1)
    }

    @Test(arguments: [("03 0500", 23), ("01 02 0000 06", 23), ("03 FFFF", 517)])
    func theMTUStaysWithinBounds(_ response: String, _ mtu: Int) {
        let side = OneSide()
        let outcome = Outcome<Int>()
        side.client.exchangeMTU(completion: outcome.callAsFunction)
        side.link.receive(response)
        #expect(outcome.value == mtu && side.client.mtu == mtu)
    }

    @Test func aMalformedMTUResponseIsAnError() {
        let side = OneSide()
        let outcome = Outcome<Int>()
        side.client.exchangeMTU(completion: outcome.callAsFunction)
        side.link.receive("03 17")
        guard case .invalidResponse = outcome.error else {
            Issue.record("\(outcome.results)")
            return
        }
        #expect(side.client.mtu == 23)
    }

    /// A late response takes effect although its request timed out, because the peer applies it; one of another length
    /// does not.
    @Test(arguments: [("03 F700", 247), ("03 17", 23), ("03 F70000", 23)])
    func aLateMTUResponseIsApplied(_ response: String, _ mtu: Int) {
        let side = OneSide()
        let outcome = Outcome<Int>()
        side.client.cancel(side.client.exchangeMTU(completion: outcome.callAsFunction))
        #expect(outcome.error == .cancelled)
        side.link.receive(response)
        #expect(side.client.mtu == mtu && outcome.count == 1)
    }

    @Test(arguments: [("02 1700", 23), ("02 F700", 247), ("02 0502", 517), ("02 0100", 23)])
    func aServerAnswersASecondMTURequestWithTheSameMTU(_ request: String, _ mtu: Int) {
        let side = OneSide()
        #expect(side.answer(to: "02 F700") == "030502")
        #expect(side.link.att.mtu == 247)
        #expect(side.answer(to: request) == "030502")
        #expect(side.link.att.mtu == mtu)
    }

    // MARK: Back-pressure

    @Test func commandsAreQueuedInOrderUntilTheLinkHasRoom() {
        let side = OneSide()
        side.fake.room = 1
        let outcomes = (0..<3).map { _ in Outcome<Void>() }
        for (index, outcome) in outcomes.enumerated() {
            side.client.writeCommand(3, [UInt8(index)], completion: outcome.callAsFunction)
        }
        #expect(outcomes.map(\.count) == [1, 0, 0])
        #expect(!side.client.canWriteCommand)
        var ready = 0
        side.client.onReadyToWriteCommand = { ready += 1 }
        side.fake.room = 1
        side.link.roomAvailable()
        #expect(outcomes.map(\.count) == [1, 1, 0] && ready == 0)
        side.fake.room = 5
        side.link.roomAvailable()
        #expect(outcomes.allSatisfy(\.isSuccess) && ready == 1)
        #expect(side.fake.take() == ["52030000", "52030001", "52030002"])
    }

    @Test func aQueuedCommandCanBeCancelledAndTimesOut() {
        let side = OneSide()
        side.fake.room = 0
        let cancelled = Outcome<Void>(), late = Outcome<Void>(), patient = Outcome<Void>()
        let id = side.client.writeCommand(3, [1], completion: cancelled.callAsFunction)
        side.client.writeCommand(3, [2], timeout: .seconds(1), completion: late.callAsFunction)
        side.client.writeCommand(3, [3], completion: patient.callAsFunction)
        side.client.cancel(id)
        #expect(cancelled.error == .cancelled)
        side.time.advance(by: .seconds(1))
        #expect(late.error == .timeout)
        side.fake.room = 9
        side.link.roomAvailable()
        #expect(patient.isSuccess && side.fake.take() == ["52030003"])
    }

    @Test func eachQueuedCommandHasItsOwnTimeout() {
        let side = OneSide()
        side.fake.room = 0
        let outcomes = (0..<3).map { _ in Outcome<Void>() }
        for (index, outcome) in outcomes.enumerated() {
            side.client.writeCommand(3, [1], timeout: .seconds(index + 1), completion: outcome.callAsFunction)
        }
        for late in 1...3 {
            side.time.advance(by: .seconds(1))
            #expect(outcomes.map(\.count) == (1...3).map { $0 <= late ? 1 : 0 })
        }
        #expect(outcomes.allSatisfy { $0.error == .timeout })
    }

    @Test func valuesAfterTheEndOfTheLinkAreErrors() {
        let side = OneSide()
        let bearer = side.link.att
        let id = bearer.makeOperationID()
        #expect(bearer.canNotifyAtOnce())
        side.fake.room = 0
        #expect(!bearer.canNotifyAtOnce())
        side.fake.room = 9
        side.link.linkClosed(.disconnected(.connectionTimeout))
        #expect(!bearer.canNotifyAtOnce())
        let notified = Outcome<Void>(), indicated = Outcome<Void>()
        [1].withByteView { bearer.notify(handle: 5, $0, completion: notified.callAsFunction) }
        [1].withByteView { bearer.indicate(handle: 5, $0, id: id, completion: indicated.callAsFunction) }
        #expect(notified.error == .notConnected && indicated.error == .notConnected)
        #expect(side.fake.take().isEmpty)
    }

    @Test func theQueueOfCommandsIsBounded() {
        let side = OneSide()
        side.fake.room = 0
        let outcome = Outcome<Void>()
        for _ in 0...ATTOutbox.capacity {
            side.client.writeCommand(3, [1]) { if case .failure = $0 { outcome($0) } }
        }
        guard case .limit = outcome.error else {
            Issue.record("\(outcome.results)")
            return
        }
    }

    // MARK: Values from the server

    @Test func indicationsAreConfirmedWithAndWithoutAHandler() {
        let side = OneSide()
        var heard: [[UInt8]] = []
        side.client.onValue = { value, handle in
            if handle == 5 { heard.append(value.array) }
            return handle == 5
        }
        side.link.receive("1D 0500 AABB")
        side.link.receive("1D 0600 CC")
        side.link.receive("1B 0500 DD")
        side.link.receive("1B 0700 EE")
        #expect(heard == [[0xAA, 0xBB], [0xDD]])
        #expect(side.fake.take() == ["1E", "1E"])
        #expect(side.link.faults.count(of: .unhandledValue) == 2)
        for text in ["1D", "1D05", "1B", "1B0500".prefix(4).description] { side.link.receive(text) }
        #expect(side.fake.take().isEmpty)
        #expect(side.link.faults.count(of: .malformedAttribute) == 4)
    }

    @Test(arguments: ["1B 0500", "1D 0500"]) func aValueMayBeEmpty(_ packet: String) {
        let side = OneSide()
        var heard: [[UInt8]] = []
        side.client.onValue = { value, _ in
            heard.append(value.array)
            return true
        }
        side.link.receive(packet)
        #expect(heard == [[]])
        #expect(side.link.faults.total == 0)
    }

    @Test func aDeferredConfirmationIsSentAfterAllHandlersReleasedIt() {
        let side = OneSide()
        var held: [() -> Void] = []
        side.client.onValue = { _, _ in
            for _ in 0..<2 { if let confirm = side.client.holdConfirmation() { held.append(confirm) } }
            return true
        }
        side.link.receive("1B 0500 AA")
        #expect(held.isEmpty)
        side.link.receive("1D 0500 AA")
        #expect(held.count == 2 && side.fake.take().isEmpty)
        held[0]()
        #expect(side.fake.take().isEmpty)
        held[1]()
        #expect(side.fake.take() == ["1E"])
        #expect(side.client.holdConfirmation() == nil)
    }

    @Test func completeValuesOfAMultipleNotificationAreDelivered() {
        let side = OneSide()
        var heard: [String] = []
        side.client.onValue = { value, handle in
            heard.append("\(handle) \(value)")
            return true
        }
        side.link.receive("23 0500 0200 AABB 0600 0000 0500 0100 CC")
        #expect(heard == ["5 AABB", "6 ", "5 CC"])
        side.link.receive("23 0600 0100 DD 0500 0300 EE")
        #expect(heard.last == "6 DD")
        #expect(side.link.faults.count(of: .malformedAttribute) == 1)
    }
}

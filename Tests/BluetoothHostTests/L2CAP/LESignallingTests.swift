import BluetoothModel
import Testing

@testable import BluetoothHost

/// L2CAP's own packets.
@Suite struct LESignallingTests {
    private let wish = ConnectionParametersRequest(intervalUnits: 24...40, latency: 4, timeoutUnits: 500)

    private func answer(_ side: OneSide, to packet: String) -> [String] {
        side.link.receive(packet, cid: 5)
        return side.fake.take(5)
    }

    @Test func aPeripheralRequestsParameters() {
        let side = OneSide(role: .peripheral)
        let accepted = Outcome<Void>(), refused = Outcome<Void>(), rejected = Outcome<Void>()
        side.link.signalling.requestConnectionParameters(wish, completion: accepted.callAsFunction)
        #expect(side.fake.take(5) == ["12010800180028000400F401"])
        side.link.receive("13 01 0200 0000", cid: 5)
        #expect(accepted.isSuccess)
        side.link.signalling.requestConnectionParameters(wish, completion: refused.callAsFunction)
        side.link.receive("13 02 0200 0100", cid: 5)
        #expect(refused.error == .controller(.unacceptableParameters))
        side.link.signalling.requestConnectionParameters(wish, completion: rejected.callAsFunction)
        side.link.receive("01 03 0200 0000", cid: 5)
        guard case .unsupported = rejected.error else {
            Issue.record("\(rejected.results)")
            return
        }
    }

    @Test func invalidParametersAndTheWrongRoleAreRefusedLocally() {
        let outOfRange = Outcome<Void>(), central = Outcome<Void>()
        OneSide(role: .peripheral).link.signalling.requestConnectionParameters(
            ConnectionParametersRequest(intervalUnits: 1...2, timeoutUnits: 1),
            completion: outOfRange.callAsFunction)
        OneSide(role: .central).link.signalling.requestConnectionParameters(
            wish, completion: central.callAsFunction)
        guard case .invalidArgument = outOfRange.error, case .unsupported = central.error else {
            Issue.record("\(outOfRange.results) \(central.results)")
            return
        }
    }

    @Test func aCentralAcceptsOrRefusesParameters() {
        let side = OneSide(role: .central)
        #expect(answer(side, to: "12 07 0800 1800 2800 0400 F401") == ["130702000000"])
        #expect(side.fake.requestedParameters == [wish])
        side.fake.acceptsParameters = false
        #expect(answer(side, to: "12 08 0800 1800 2800 0400 F401") == ["130802000100"])
        // Values that are out of range or reversed are refused without a question.
        #expect(answer(side, to: "12 09 0800 2800 1800 0400 F401") == ["130902000100"])
        #expect(answer(side, to: "12 0A 0800 0100 1800 0400 F401") == ["130A02000100"])
        #expect(side.fake.requestedParameters.count == 2)
        #expect(answer(side, to: "12 0B 0700 1800 2800 0400 F4") == ["010B02000000"])
        #expect(answer(OneSide(role: .peripheral), to: "12 07 0800 1800 2800 0400 F401") == ["010702000000"])
    }

    @Test func unknownRequestsAreRejected() {
        let side = OneSide()
        #expect(answer(side, to: "0A 01 0200 0200") == ["010102000000"])
        #expect(answer(side, to: "17 02 0000") == ["010202000000"])
        #expect(answer(side, to: "FF 03 0000") == ["010302000000"])
        // Longer than the signalling MTU.
        #expect(answer(side, to: "FF 04 1400" + String(repeating: "00", count: 20)) == ["0104040001001700"])
        // An incomplete packet, identifier 0, a wrong length, trailing octets, responses without a request.
        for packet in [
            "", "12", "0A 00 0000", "0A 05", "0A 05 0100", "0A 05 0000 00", "13 09 0200 0000", "01 09 0200 0000",
        ] {
            #expect(answer(side, to: packet).isEmpty, "\(packet)")
        }
        #expect(side.link.faults.count(of: .malformedSignal) == 7)
        #expect(side.link.faults.count(of: .unexpectedSignal) == 2)
    }

    @Test func anUnansweredRequestEndsAfter30SecondsAndTheLinkStays() {
        let side = OneSide(role: .peripheral)
        let outcome = Outcome<Void>()
        side.link.signalling.requestConnectionParameters(wish, completion: outcome.callAsFunction)
        side.time.advance(by: .milliseconds(29_999))
        #expect(outcome.count == 0)
        side.time.advance(by: .milliseconds(1))
        #expect(outcome.error == .timeout && side.fake.disconnection == nil)
        side.link.receive("13 01 0200 0000", cid: 5)
        #expect(outcome.count == 1 && side.link.faults.count(of: .unexpectedSignal) == 1)
    }

    @Test func identifiersAreNeverZeroAndNeverInUse() {
        let side = OneSide(role: .peripheral)
        let kept = Outcome<Void>()
        side.link.signalling.requestConnectionParameters(wish, completion: kept.callAsFunction)
        var seen: [UInt8] = [side.fake.frames[0].bytes[1]]
        for _ in 0..<600 {
            side.fake.frames = []
            side.link.signalling.requestConnectionParameters(wish) { _ in }
            let identifier = side.fake.frames[0].bytes[1]
            seen.append(identifier)
            [0x13, identifier, 2, 0, 0, 0].withByteView { side.link.receive(cid: 5, $0) }
        }
        #expect(!seen.contains(0) && seen.filter { $0 == 1 }.count == 1 && Set(seen).count == 255)
        side.link.linkClosed(.notConnected)
        #expect(kept.error == .notConnected)
    }

    @Test func pairingIsRefusedImmediately() {
        let side = OneSide()
        side.link.receive("01 03 00 01 10 07 07", cid: 6)
        #expect(side.fake.take(6) == ["0505"])
        side.link.receive("0B 05", cid: 6)
        #expect(side.fake.take(6) == ["0505"])
        side.link.receive("05 08", cid: 6)
        side.link.receive("", cid: 6)
        #expect(side.fake.take(6).isEmpty && side.link.faults.count(of: .unexpectedSecurity) == 2)
    }

    @Test func framesForUnknownChannelsAreCounted() {
        let side = OneSide()
        for cid in [UInt16(0), 1, 3, 7, 0x3F, 0x40, 0xFFFF] { side.link.receive("0102", cid: cid) }
        #expect(side.link.faults.count(of: .unknownChannel) == 7 && side.fake.frames.isEmpty)
    }
}

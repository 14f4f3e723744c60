import BluetoothModel
import Testing

@testable import BluetoothHost

/// Timeouts, refusals, and links that end: every pairing ends once.
@Suite struct PairingEndTests {
    @Test(arguments: [LinkRole.central, .peripheral]) func pairingTimesOutAfterThirtySeconds(_ victim: LinkRole) {
        let bench = PairingBench()
        let outcome = Outcome<LinkSecurity>()
        if victim == .central {
            bench.tamper = { sender, packet in sender == .peripheral ? [] : [packet] }
            bench.centralManager.pair(bench.central) { outcome($0) }
            bench.run()
        } else {
            bench.deliver(octets("01 03 00 09 10 00 00"), from: .central)
            bench.run()
        }
        bench.time.advance(by: .seconds(29))
        #expect(bench.user(victim).failures.isEmpty && outcome.count == 0)
        bench.time.advance(by: .seconds(2))
        #expect(bench.user(victim).failures == [.timeout])
        if victim == .central { #expect(outcome.error == PairingFailure.timeout.radioError) }
        // Nothing more is sent or accepted on this link.
        let sent = bench.traffic.count
        let dropped = bench.end(victim).dropped
        bench.tamper = nil
        bench.deliver(victim == .central ? octets("0B 01") : octets("01 03 00 09 10 00 00"), from: victim.opposite)
        bench.carry()
        #expect(bench.traffic.count == sent + 1 && bench.end(victim).dropped == dropped + 1)
        let again = Outcome<LinkSecurity>()
        bench.manager(victim).pair(bench.end(victim)) { again($0) }
        #expect(again.error == PairingFailure.timeout.radioError && bench.queue.isEmpty)
        // A new link begins anew.
        bench.disconnect()
        bench.connect()
        #expect(bench.pair().value != nil)
    }

    @Test func anIgnoredSecurityRequestEndsOnlyItsCaller() {
        let bench = PairingBench()
        bench.tamper = { sender, packet in [] }
        let outcome = Outcome<LinkSecurity>()
        bench.peripheralManager.pair(bench.peripheral) { outcome($0) }
        bench.run()
        bench.time.advance(by: .seconds(31))
        #expect(outcome.error == .timeout)
        bench.tamper = nil
        #expect(bench.pair(.central).value != nil)
    }

    @Test func eachUserMayRefuse() {
        let configurations: [(IOCapability, IOCapability, LinkRole)] = [
            (.noInputNoOutput, .noInputNoOutput, .central), (.noInputNoOutput, .noInputNoOutput, .peripheral),
            (.displayYesNo, .displayYesNo, .central), (.displayOnly, .keyboardOnly, .central),
            (.keyboardOnly, .displayOnly, .central), (.keyboardOnly, .keyboardOnly, .central),
        ]
        for isSecure in [true, false] {
            for (central, peripheral, starter) in configurations {
                for refuser in [LinkRole.central, .peripheral] {
                    let bench = PairingBench(
                        central: SecurityConfiguration(central, secureConnections: isSecure),
                        peripheral: SecurityConfiguration(peripheral))
                    let outcome = Outcome<LinkSecurity>()
                    bench.manager(starter).pair(bench.end(starter)) { outcome($0) }
                    bench.carry()
                    guard bench.user(refuser).pending != nil else { continue }
                    bench.user(refuser).answer(.refuse)
                    bench.run()
                    #expect(outcome.count == 1 && outcome.error != nil)
                    #expect(bench.refusals.count == 1 && bench.refusals.first?.sender == refuser)
                    #expect(bench.user(refuser).failures == [.cancelled])
                    #expect(bench.user(refuser.opposite).failures.count == 1)
                    #expect(bench.central.security.level == .none && bench.peripheral.security.level == .none)
                    #expect(bench.centralUser.pending == nil && bench.peripheralUser.pending == nil)
                    if refuser == starter { #expect(outcome.error == .cancelled) }
                }
            }
        }
    }

    @Test func onlyTheFirstAnswerIsUsed() {
        let bench = PairingBench(
            central: SecurityConfiguration(.displayYesNo), peripheral: SecurityConfiguration(.displayYesNo))
        bench.centralManager.pair(bench.central) { _ in }
        bench.carry()
        let late = bench.centralUser.pending?.answer
        late?(.accept)
        late?(.refuse)
        bench.run()
        #expect(bench.central.security.level == .secureConnections)
        late?(.refuse)
        #expect(bench.queue.isEmpty && bench.refusals.isEmpty)
    }

    @Test func theCallerMayCancel() {
        let bench = PairingBench(
            central: SecurityConfiguration(.displayYesNo), peripheral: SecurityConfiguration(.displayYesNo))
        let outcome = Outcome<LinkSecurity>()
        bench.centralManager.pair(bench.central) { outcome($0) }
        bench.carry()
        bench.centralManager.cancelPairing(on: bench.central)
        #expect(outcome.error == .cancelled && bench.centralUser.withdrawals == 1)
        bench.carry()
        #expect(bench.peripheralUser.failures == [.refusedByPeer(.unspecifiedReason)])
        #expect(bench.peripheralUser.withdrawals == 1)
        let wish = Outcome<LinkSecurity>()
        bench.time.advance(by: .seconds(2))
        bench.peripheralManager.pair(bench.peripheral) { wish($0) }
        bench.peripheralManager.cancelPairing(on: bench.peripheral)
        #expect(wish.error == .cancelled)
    }

    @Test func withoutAPairingHandlerAPeerCannotStartPairing() {
        let bench = PairingBench()
        bench.peripheralManager.delegate = nil
        #expect(bench.pair().error != nil && bench.refusals.map(\.reason) == [.pairingNotSupported])
        let other = PairingBench()
        other.centralManager.configuration.isPairable = false
        #expect(other.pair(.peripheral).error != nil && other.refusals.map(\.reason) == [.pairingNotSupported])
        // A local request needs no handler, as long as there is no question.
        let wanted = PairingBench()
        wanted.centralManager.delegate = nil
        #expect(wanted.pair().value?.level == .encrypted)
    }

    @Test func failuresIncreaseTheDelayBeforeTheNextAttempt() {
        let bench = PairingBench(
            central: SecurityConfiguration(.displayOnly), peripheral: SecurityConfiguration(.keyboardOnly))
        bench.peripheralUser.onQuestion = { [unowned bench] _ in
            .passkey(((bench.centralUser.shown ?? 0) + 1) % 1_000_000)
        }
        for wait in [1, 2, 4, 8] {
            #expect(bench.pair().error != nil)
            let attempts = bench.traffic.count
            bench.time.advance(by: .milliseconds(1000 * wait - 10))
            // Neither side begins or answers during the waiting interval.
            for role in [LinkRole.central, .peripheral] {
                guard case .security(let fault)? = bench.pair(role).error else {
                    Issue.record("pairing did not fail with a security error")
                    return
                }
                #expect(fault.kind == .tooSoon && fault.text.contains("wait 1 s"))
            }
            #expect(bench.traffic.count == attempts)
            bench.deliver(octets("01 03 00 09 10 00 00"), from: .central)
            bench.deliver(octets("0B 01"), from: .peripheral)
            bench.carry()
            #expect(bench.refusals.suffix(2).allSatisfy { $0.reason == .repeatedAttempts })
            bench.time.advance(by: .milliseconds(10))
        }
        bench.peripheralUser.onQuestion = nil
        #expect(bench.pair().value?.level == .secureConnections)
    }

    @Test func delaysExpireAndAreReset() {
        var attempts = RepeatedAttempts()
        let time = SteppedTime()
        for _ in 0..<30 { attempts.failed(address(1), at: time.now) }
        #expect(attempts.wait(address(1), at: time.now) == .seconds(512))
        #expect(!attempts.blocks(address(2), at: time.now))
        time.advance(by: .seconds(512))
        #expect(!attempts.blocks(address(1), at: time.now))
        time.advance(by: .seconds(600 * 28))
        attempts.failed(address(1), at: time.now)
        #expect(attempts.wait(address(1), at: time.now) == .seconds(4))
        for last in UInt8(2)...200 { attempts.failed(address(last), at: time.now) }
        #expect(attempts.blocks(address(200), at: time.now))
        attempts.succeeded(address(200))
        #expect(!attempts.blocks(address(200), at: time.now))
    }

    @Test(arguments: [true, false]) func aLinkMayEndAtAnyMoment(isSecure: Bool) {
        var total = Int.max
        var cut = 0
        while cut < total {
            let bench = PairingBench(
                central: SecurityConfiguration(.displayOnly, secureConnections: isSecure),
                peripheral: SecurityConfiguration(.keyboardOnly))
            var count = 0
            bench.tamper = { [unowned bench] _, packet in
                count += 1
                if count == cut { bench.queue.append { bench.disconnect() } }
                return [packet]
            }
            let outcomes = [Outcome<LinkSecurity>(), Outcome<LinkSecurity>()]
            for (outcome, role) in zip(outcomes, [LinkRole.central, .peripheral]) {
                bench.manager(role).pair(bench.end(role)) { outcome($0) }
            }
            bench.run()
            if cut == 0 { total = count }
            #expect(outcomes.allSatisfy { $0.count == 1 })
            for role in [LinkRole.central, .peripheral] where cut > 0 {
                #expect(bench.user(role).pending == nil && bench.user(role).shown == nil)
                #expect(bench.user(role).failures.count + bench.user(role).bonds.count <= 1)
                let later = Outcome<LinkSecurity>()
                bench.manager(role).pair(bench.end(role)) { later($0) }
                #expect(later.error == .notConnected)
            }
            cut += 1
        }
        #expect(total > 15)
    }
}

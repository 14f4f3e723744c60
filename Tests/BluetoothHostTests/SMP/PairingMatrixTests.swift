import BluetoothModel
import Testing

@testable import BluetoothHost

/// Every pair of capabilities, in both kinds of pairing, begun by either side.
@Suite struct PairingMatrixTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let isSecure: Bool
        let central: IOCapability
        let peripheral: IOCapability
        let starter: LinkRole

        var testDescription: String {
            "\(isSecure ? "SC" : "legacy") \(central) - \(peripheral), begun by the \(starter)"
        }

        /// J: just works; N: numbers are compared; C, P: the central or the peripheral enters what the other shows;
        /// B: both enter.
        var expected: Character {
            let rows =
                isSecure
                ? ["JJCJC", "JNCJN", "PPBJP", "JJJJJ", "PNCJN"] : ["JJCJC", "JJCJC", "PPBJP", "JJJJJ", "PPCJP"]
            let row = rows[Int(peripheral.rawValue)]
            return row[row.index(row.startIndex, offsetBy: Int(central.rawValue))]
        }
    }

    static let cases = [true, false].flatMap { isSecure in
        IOCapability.allCases.flatMap { central in
            IOCapability.allCases.flatMap { peripheral in
                [LinkRole.central, .peripheral].map {
                    Case(isSecure: isSecure, central: central, peripheral: peripheral, starter: $0)
                }
            }
        }
    }

    @Test(arguments: cases) func pairingFollowsTheSpecifiedTable(_ test: Case) throws {
        let bench = PairingBench(
            central: SecurityConfiguration(test.central, secureConnections: test.isSecure),
            peripheral: SecurityConfiguration(test.peripheral))
        let outcome = bench.pair(test.starter)
        let security = try #require(outcome.value, "\(outcome.results)")

        let kinds = [LinkRole.central, .peripheral].map { bench.user($0).questions.map(\.description) }
        switch test.expected {
        case "J":
            // The side that did not begin has to confirm pairing.
            #expect(kinds == (test.starter == .central ? [[], ["confirm"]] : [["confirm"], []]))
        case "N": #expect(kinds == [["compare numbers"], ["compare numbers"]])
        case "C": #expect(kinds == [["enter a passkey"], ["display a passkey"]])
        case "P": #expect(kinds == [["display a passkey"], ["enter a passkey"]])
        default: #expect(kinds == [["enter a passkey"], ["enter a passkey"]])
        }
        let numbers = [bench.centralUser, bench.peripheralUser].map { $0.questions.last.flatMap(number) }
        #expect(numbers[0] == numbers[1] && (numbers[0] != nil) == (test.expected == "N"))

        let level: LinkSecurity.Level =
            test.expected == "J" ? .encrypted : test.isSecure ? .secureConnections : .authenticated
        #expect(security == LinkSecurity(level: level, keySize: 16, isBonded: true))
        #expect(bench.central.security == security && bench.peripheral.security == security)
        #expect(bench.keysInForce.count == 1)
        let (mine, theirs) = try (#require(bench.centralBonds.bonds.first), #require(bench.peripheralBonds.bonds.first))
        #expect(mine.strength == theirs.strength && mine.strength.level == level)
        #expect(mine.peerKey == theirs.localKey && mine.localKey == theirs.peerKey && mine.peerKey != nil)
        #expect(mine.peerAddress == bench.peripheral.ownAddress && theirs.peerAddress == bench.central.ownAddress)
        #expect(mine.peerIdentityKey == bench.peripheralManager.identityKey)
        #expect(theirs.peerIdentityKey == bench.centralManager.identityKey)
        #expect(mine.localSigningKey == theirs.peerSigningKey && mine.peerSigningKey == theirs.localSigningKey)
        #expect(mine.localSigningKey != nil && mine.localSigningKey != mine.peerSigningKey)
        if test.isSecure {
            #expect(mine.peerKey?.key.littleEndian == bench.keysInForce[0] && mine.peerKey == mine.localKey)
        } else {
            #expect(mine.peerKey?.key.littleEndian != bench.keysInForce[0] && mine.peerKey != mine.localKey)
        }
        #expect(bench.refusals.isEmpty && bench.central.dropped == 0 && bench.peripheral.dropped == 0)
        for user in [bench.centralUser, bench.peripheralUser] {
            #expect(user.bonds.count == 1 && user.failures.isEmpty && user.pending == nil && user.shown == nil)
        }

        // The bond encrypts the next link, without a question.
        bench.disconnect()
        bench.connect()
        #expect(bench.centralManager.trust(in: bench.central) == .unproven)
        let again = bench.pair(test.starter)
        #expect(again.value == security && bench.codes(.central).isEmpty)
        #expect(bench.centralManager.trust(in: bench.central) == .proven)
        #expect([bench.centralUser, bench.peripheralUser].map { $0.questions.count } == kinds.map(\.count))
    }

    private func number(_ question: SecurityQuestion) -> UInt32? {
        if case .compare(let number) = question { number } else { nil }
    }

    @Test(arguments: [true, false]) func withoutMITMProtectionJustWorksIsUsed(isSecure: Bool) {
        for central in IOCapability.allCases {
            for peripheral in IOCapability.allCases {
                let bench = PairingBench(
                    central: SecurityConfiguration(central, mitm: false, secureConnections: isSecure),
                    peripheral: SecurityConfiguration(peripheral, mitm: false))
                #expect(bench.pair().value?.level == .encrypted)
                #expect(bench.centralUser.questions.isEmpty && bench.peripheralUser.questions == [.confirm])
            }
        }
    }
}

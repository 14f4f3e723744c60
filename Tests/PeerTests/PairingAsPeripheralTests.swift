#if os(Linux)
import Foundation
import Harald
import PeerSupport
import Testing

extension PeerSuites {
    /// Bumble's central pairs with our peripheral.
    @Suite("Bumble's central pairs with our peripheral")
    struct PairingAsPeripheralTests {
        @Test("every model, Secure Connections and legacy", .timeLimit(.minutes(2)), arguments: PeerAir.faithful)
        func everyModel(air: PeerAir) async throws {
            try await air.withPairingSeats { seats in
                try await Peers.with(.pairing, ["central", seats.theirs]) { bumble, _ in
                    for model in PeerPairing.all {
                        try await model.configure(bumble)
                        let user = PeerPairingUser(model.ours, bumble)
                        try await PairingVisit.withLock(seats, user) { lock in
                            let events = lock.events
                            try await bumble.command("connect \(PairingVisit.ownAddress.text)")
                            try await PairingVisit.expectRefusal("read FFE2", bumble)
                            try bumble.send("pair")
                            try await bumble.event("paired")
                            for try await event in events {
                                guard case .secured(_, let security) = event, security.isBonded else { continue }
                                #expect(security.level == model.level && security.keySize == 16, "\(model)")
                                break
                            }
                            model.expectQuestions(user, weBegan: false)
                            #expect(try await bumble.command("read FFE2")["hex"]?.text == "02", "\(model)")
                            if model.level > .encrypted {
                                #expect(try await bumble.command("read FFE3")["hex"]?.text == "03", "\(model)")
                            } else {
                                try await PairingVisit.expectRefusal("read FFE3", bumble)
                            }
                            #expect(await lock.bonds.map(\.address) == [PairingVisit.peerAddress], "\(model)")
                            try await bumble.command("disconnect")
                        }
                        try await bumble.command("forget")
                    }
                }
            }
        }

        @Test("with out-of-band data", .timeLimit(.minutes(1)))
        func outOfBand() async throws {
            try await PeerAir.own.withPairingSeats { seats in
                try await Peers.with(.pairing, ["central", seats.theirs]) { bumble, _ in
                    try await bumble.command("configure none 1 1")
                    // Bumble has our data and we have Bumble's.
                    let theirs = try await bumble.command("oob-data")
                    let confirm = theirs["confirm"]?.text ?? "", random = theirs["random"]?.text ?? ""
                    try await PairingVisit.withLock(seats, PeerPairingUser(.noInputNoOutput, bumble)) { lock in
                        let ours = try await lock.makeOutOfBandData()
                        let data = try #require(OutOfBandData(text: confirm + random))
                        try await lock.useOutOfBandData(data)
                        try await bumble.command("oob-peer \(ours.text.prefix(32)) \(ours.text.suffix(32))")
                        try await bumble.command("connect \(PairingVisit.ownAddress.text)")
                        try bumble.send("pair")
                        try await bumble.event("paired")
                        #expect(try await bumble.command("read FFE3")["hex"]?.text == "03")
                    }
                }
            }
        }

        /// Both programs end and begin again between the connections.
        @Test(
            "a bond survives both programs, and its loss is reported", .timeLimit(.minutes(2)),
            arguments: [true, false])
        func bonds(isSecureConnections: Bool) async throws {
            let model = PeerPairing.all[isSecureConnections ? 3 : 5]
            try await PairingVisit.withDirectory { directory in
                let keys = directory.appending(path: "bumble.json").path()
                try await PeerAir.bestForPairing.withPairingSeats(directory) { seats in
                    func visit(_ body: (PeerProcess, PeerPairingUser) async throws -> Void) async throws {
                        try await Peers.with(.pairing, ["central", seats.theirs, "--keys", keys]) { bumble, _ in
                            try await model.configure(bumble)
                            let user = PeerPairingUser(model.ours, bumble)
                            try await PairingVisit.withLock(seats, user) { _ in
                                try await bumble.command("connect \(PairingVisit.ownAddress.text)")
                                try await body(bumble, user)
                                try await bumble.command("disconnect")
                            }
                        }
                    }
                    func pair(_ bumble: PeerProcess) async throws {
                        try bumble.send("pair")
                        try await bumble.event("paired")
                        #expect(try await bumble.command("read FFE3")["hex"]?.text == "03")
                    }
                    try await visit { bumble, _ in try await pair(bumble) }
                    try await visit { bumble, user in
                        try await bumble.command("encrypt")
                        #expect(try await bumble.command("read FFE3")["hex"]?.text == "03")
                        #expect(user.questions.isEmpty)
                    }
                    // Bumble has forgotten the bond: it may pair again with the same strength, and the local user is
                    // asked.
                    try FileManager.default.removeItem(atPath: keys)
                    try await visit { bumble, user in
                        try await PairingVisit.expectRefusal("read FFE3", bumble)
                        try await bumble.command("configure none \(isSecureConnections ? 1 : 0) 0")
                        try bumble.send("pair")
                        try await bumble.event("pairingFailed")
                        #expect(user.questions.isEmpty)
                        try await model.configure(bumble)
                        try await pair(bumble)
                    }
                    // This side has forgotten the bond: Bumble's key is refused.
                    try FileManager.default.removeItem(at: directory.appending(path: "bonds.json"))
                    try await visit { bumble, user in
                        try await PairingVisit.expectRefusal("encrypt", bumble)
                        try await PairingVisit.expectRefusal("read FFE2", bumble)
                        #expect(user.questions.isEmpty)
                    }
                }
            }
        }
    }
}
#endif

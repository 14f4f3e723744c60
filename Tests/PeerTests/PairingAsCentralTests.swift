#if os(Linux)
import Foundation
import Harald
import PeerSupport
import Testing

extension PeerSuites {
    /// Our central pairs with Bumble's peripheral.
    @Suite("Our central pairs with Bumble's peripheral")
    struct PairingAsCentralTests {
        @Test("every model, Secure Connections and legacy", .timeLimit(.minutes(2)), arguments: PeerAir.faithful)
        func everyModel(air: PeerAir) async throws {
            try await air.withPairingSeats { seats in
                try await Peers.with(.pairing, ["peripheral", seats.theirs]) { bumble, _ in
                    for model in PeerPairing.all {
                        try await model.configure(bumble)
                        let user = PeerPairingUser(model.ours, bumble)
                        try await withCentral(adapter: seats.ours, pairing: user, options: seats.options) { central in
                            let lock = try await PairingVisit.connect(central)
                            let security = try await lock.pair()
                            #expect(
                                security == LinkSecurity(level: model.level, keySize: 16, isBonded: true), "\(model)")
                            let paired = try await bumble.event("paired")
                            #expect(paired["secureConnections"]?.bool == model.isSecureConnections, "\(model)")
                            #expect(paired["identity"]?.text == PairingVisit.ownAddress.text, "\(model)")
                            model.expectQuestions(user, weBegan: true)
                            #expect(try await PairingVisit.read("FFE2", lock) == [2])
                            #expect(try await PairingVisit.read("FFE3", lock) == [3])
                            await lock.disconnect()
                        }
                        try await bumble.event("disconnected")
                        try await bumble.command("forget")
                    }
                }
            }
        }

        @Test("reading a protected value pairs, and a wrong passkey is reported", .timeLimit(.minutes(1)))
        func onDemand() async throws {
            try await PeerAir.own.withPairingSeats { seats in
                try await Peers.with(.pairing, ["peripheral", seats.theirs]) { bumble, _ in
                    try await bumble.command("configure none 1 0")
                    let user = PeerPairingUser(.keyboardDisplay, bumble)
                    try await withCentral(adapter: seats.ours, pairing: user, options: seats.options) { central in
                        let lock = try await PairingVisit.connect(central)
                        #expect(try await PairingVisit.read("FFE1", lock) == [1])
                        #expect(lock.security.level == .none)
                        #expect(try await PairingVisit.read("FFE2", lock) == [2])
                        #expect(user.questions == [.confirm])
                        await lock.forgetBond()
                        for try await state in lock.states { if case .disconnected = state { break } }
                    }
                    try await bumble.event("disconnected")
                    try await bumble.command("forget")
                    try await bumble.command("configure keyboard 1 1")
                    let shower = PairingVisit.Shower()
                    try await withCentral(adapter: seats.ours, pairing: shower, options: seats.options) { central in
                        let lock = try await PairingVisit.connect(central)
                        async let answer: Void = {
                            try await bumble.event("asked")
                            let shown = await shower.number
                            try await bumble.command("answer \((shown + 1) % 1_000_000)")
                        }()
                        let error = await #expect(throws: BluetoothError.self) { try await lock.pair() }
                        try await answer
                        #expect(error?.code == .wrongPasskey)
                        #expect(lock.security.level == .none)
                        #expect(await central.bonds.isEmpty)
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
                    func visit(
                        asking: Bool = true,
                        _ body: (Central, Peripheral, PeerProcess, PeerPairingUser) async throws -> Void
                    ) async throws {
                        try await Peers.with(.pairing, ["peripheral", seats.theirs, "--keys", keys]) { bumble, _ in
                            try await model.configure(bumble)
                            let user = PeerPairingUser(model.ours, bumble)
                            try await withCentral(
                                adapter: seats.ours, pairing: asking ? user : nil, options: seats.options
                            ) { central in
                                try await body(central, try await PairingVisit.find(central), bumble, user)
                            }
                            try await bumble.event("disconnected")
                        }
                    }
                    try await visit { _, lock, bumble, _ in
                        try await lock.connect()
                        try await lock.pair()
                        try await bumble.event("paired")
                    }
                    // Encrypted before anything else, and without a user to ask.
                    try await visit(asking: false) { central, lock, bumble, _ in
                        try await lock.connect()
                        #expect(lock.security == LinkSecurity(level: model.level, keySize: 16, isBonded: true))
                        try await bumble.event("encryption")
                        #expect(try await PairingVisit.read("FFE3", lock) == [3])
                        #expect(await central.bonds.map(\.address) == [lock.address])
                    }
                    // Bumble forgot.
                    try FileManager.default.removeItem(atPath: keys)
                    try await visit { central, lock, bumble, user in
                        let error = await #expect(throws: BluetoothError.self) { try await lock.connect() }
                        #expect(error?.code == .bondLost && error?.advice.contains("forget") == true, "\(error as Any)")
                        #expect(user.questions.isEmpty)
                        try await bumble.event("disconnected")
                        #expect(await lock.forgetBond())
                        try await lock.connect()
                        #expect(try await lock.pair().level == model.level)
                        try await bumble.event("paired")
                    }
                    // This side has forgotten the bond: Bumble still has its key, and pairs again.
                    try FileManager.default.removeItem(at: directory.appending(path: "bonds.json"))
                    try await visit { central, lock, bumble, user in
                        try await lock.connect()
                        #expect(lock.security == LinkSecurity())
                        #expect(try await PairingVisit.read("FFE3", lock) == [3])
                        try await bumble.event("paired")
                        #expect(user.questions.count == 1)
                        #expect(await central.bonds.count == 1)
                    }
                }
            }
        }
    }
}
#endif

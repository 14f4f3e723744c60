import Harald
import Testing

/// Pairing with data that came another way, and key presses, through the public interface.
@Suite(.closesRigs, .timeLimit(.minutes(1))) struct OutOfBandTests {
    @Test(arguments: [true, false]) func outOfBandDataAuthenticates(atTheCentral: Bool) async throws {
        // Neither side can show or enter anything.
        let rig = try await PairingRig(
            central: PairingUser(.noInputNoOutput), device: PairingUser(.noInputNoOutput))
        let peripheral = try await rig.connected()
        if atTheCentral {
            let data = try await rig.device.makeOutOfBandData()
            let read = try #require(OutOfBandData(text: data.text.lowercased()))
            try await peripheral.useOutOfBandData(read)
        } else {
            try await rig.device.useOutOfBandData(try await rig.central.makeOutOfBandData())
        }
        #expect(try await peripheral.pair().level == .secureConnections)
        #expect(try await rig.read(PairingRig.authenticated, peripheral) == [3])
    }

    @Test func dataOfAnotherDeviceIsRefused() async throws {
        let (rig, other) = (try await PairingRig(), try await PairingRig())
        let peripheral = try await rig.connected()
        _ = try await rig.device.makeOutOfBandData()
        try await peripheral.useOutOfBandData(try await other.device.makeOutOfBandData())
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.pair() }
        #expect(error?.code == .wrongPasskey && peripheral.security.level == .none)
    }

    @Test func legacyTemporaryKeysAndTheirSizes() async throws {
        let rig = try await PairingRig()
        let peripheral = try await rig.connected()
        let error = await #expect(throws: BluetoothError.self) {
            try await peripheral.useOutOfBandData(nil, temporaryKey: [1, 2, 3])
        }
        #expect(error?.code == .invalidArgument)
        try await peripheral.useOutOfBandData(nil, temporaryKey: Array(0..<16))
        // Taken back: nothing is left of it.
        try await peripheral.useOutOfBandData(nil)
        #expect(try await peripheral.pair().level == .encrypted)
    }

    @Test func theTextOfDataRoundTrips() throws {
        let data = try #require(OutOfBandData(confirm: Array(0..<16), random: Array(16..<32)))
        #expect(data.text == "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F")
        #expect(OutOfBandData(text: data.text) == data)
        for text in ["", "00", data.text + "00", data.text.dropLast() + "x"] {
            #expect(OutOfBandData(text: text) == nil)
        }
        #expect(!"\(data)".contains("0A") && OutOfBandData(confirm: [], random: []) == nil)
    }

    /// A user that sends and receives keypress notifications.
    private final class Typist: PairingDelegate {
        let capability: PairingCapability
        let tellsKeypresses = true
        let heard = AsyncStream<Keypress>.makeStream()
        let shown = AsyncStream<UInt32>.makeStream()
        let enter: @Sendable () async -> UInt32

        init(_ capability: PairingCapability, enter: @escaping @Sendable () async -> UInt32 = { 0 }) {
            self.capability = capability
            self.enter = enter
        }

        func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
            switch question {
            case .display(let passkey): shown.continuation.yield(passkey)
            case .enterPasskey: return .passkey(await enter())
            case .confirm, .compare: break
            }
            return .accept
        }

        func pairing(with peripheral: PeripheralID, heard keypress: Keypress) async {
            heard.continuation.yield(keypress)
        }
    }

    @Test func keypressesAreDelivered() async throws {
        let shower = Typist(.displayOnly)
        let (started, start) = AsyncStream<Void>.makeStream()
        let (typed, type) = AsyncStream<Void>.makeStream()
        let typist = Typist(.keyboardOnly) {
            start.yield()
            for await _ in typed { break }
            for await passkey in shower.shown.stream { return passkey }
            return 0
        }
        let rig = try await PairingRig(central: typist, device: shower)
        let peripheral = try await rig.connected()
        async let pairing = peripheral.pair()
        for await _ in started { break }
        for keypress in Keypress.allCases { await peripheral.tell(keypress) }
        var heard: [Keypress] = []
        for await keypress in shower.heard.stream {
            heard.append(keypress)
            if heard.count == Keypress.allCases.count { break }
        }
        #expect(heard == Keypress.allCases)
        type.yield()
        #expect(try await pairing.level == .secureConnections)
    }
}

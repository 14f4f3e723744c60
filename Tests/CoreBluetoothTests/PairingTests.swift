import CoreBluetooth
import Testing

@Suite(.timeLimit(.minutes(2))) struct PairingTests {
    /// The device shows a number, which the program enters, as its user would in the system's dialog.
    @Test func aPasskeyIsRequestedOnTheQueueAndEntered() async {
        let shown = EventLog()
        let device = HaraldPairing(.displayOnly) { _, question, answer in
            if case .display(let passkey) = question { shown.add("\(passkey)") }
            answer(.accept)
        }
        let asked = EventLog()
        let central = HaraldPairing(.keyboardOnly) { identifier, question, answer in
            let queue = DispatchQueue.getSpecific(key: queueKey) ?? "none"
            asked.add("\(question) on \(queue)")
            guard question == .enterPasskey else { return answer(.accept) }
            Task {
                let number = UInt32(await shown.next(""))
                answer(number.map { .passkey($0) } ?? .refuse)
            }
        }
        let bench = await Bench(pairing: (central, device))
        await bench.explore()
        bench.peripheral.readValue(for: bench.characteristic(Bench.locked))
        #expect(await bench.central.log.next("value") == "value FFF6 ok 2A")
        #expect(asked.all == ["enter a passkey on central"])
    }

    @Test func aRefusalByTheUserIsAnError() async {
        let refusing = HaraldPairing(.displayYesNo) { _, _, answer in answer(.refuse) }
        let bench = await Bench(pairing: (refusing, nil))
        await bench.explore()
        bench.peripheral.readValue(for: bench.characteristic(Bench.locked))
        #expect(await bench.central.log.next("value").hasPrefix("value FFF6 CB"))
        #expect(bench.peripheral.state == .connected)
    }
}

import BluetoothBackend
import BluetoothRuntime
import TestSupport
import Testing
import VirtualTransport

@testable import Harald

/// The observers of an adapter.
@Suite(.timeLimit(.minutes(3))) struct ObserverTests {
    /// Notes its number whenever the adapter's state changes.
    private final class Witness: RadioObserver {
        let number: Int
        let heard: Locked<[Int]>
        init(_ number: Int, _ heard: Locked<[Int]>) { (self.number, self.heard) = (number, heard) }

        func radioStateChanged(_ backend: any RadioBackend) {
            guard backend.state == .poweredOff else { return }
            heard.with { [number] in $0.append(number) }
        }
        func peripheralConnected(_ peripheral: PeripheralID) {}
        func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
    }

    /// Observers are notified in the order in which they were added, once each, and not after they were removed.
    @Test func observersAreNotifiedInOrder() async throws {
        let radio = VirtualRadio()
        let central = try await Central(adapter: radio.adapter(named: "observed"))
        let heard = Locked<[Int]>([])
        let (backend, loop) = (central.radio.backend, central.loop)
        let witnesses = await loop.run {
            let witnesses = (0..<40).map { Witness($0, heard) }
            for witness in witnesses { backend.value.addObserver(witness) }
            backend.value.addObserver(witnesses[7])
            backend.value.removeObserver(witnesses[20])
            return LoopBound(confined: witnesses, loop: loop)
        }
        await radio.setPowered(false, adapterNamed: "observed")
        while central.state != .poweredOff { try await Task.pause() }
        // After a round trip all observers of this turn have been notified.
        await loop.run {}
        #expect(heard.value == Array(0..<40).filter { $0 != 20 })
        await loop.run { withExtendedLifetime(witnesses.value) {} }
        await central.close()
    }
}

import BluetoothRuntime
import Harald
import TestSupport
import Testing
import VirtualTransport

/// Controllers and devices that stop answering: the error names what did not answer.
@Suite(.closesRigs, .timeLimit(.minutes(1))) struct SilentControllerTests {
    @Test func aScanThatTheControllerDoesNotStartIsAnError() async throws {
        let clock = RadioClock.manual()
        let radio = VirtualRadio(clock: clock)
        let central = try await Central(adapter: radio.adapter(named: "central"))
        try await central.waitUntilPoweredOn()
        await radio.injectFaults(adapterNamed: "central") { $0.answersCommands = false }
        let isOver = Locked(false)
        let scan = Task { () -> BluetoothError? in
            defer { isOver.with { $0 = true } }
            do throws(BluetoothError) {
                for try await _ in central.scan(duration: .seconds(2)) {}
                return nil
            } catch { return error }
        }
        while !isOver.value { await clock.advance(by: .milliseconds(100)) }
        let error = await scan.value
        #expect(error?.code == .radio(.unknown), "\(String(describing: error))")
        #expect(error?.reason.hasPrefix("virtual:central: the controller has not answered LE Set") == true, "\(error)")
        let closing = Task { await central.close() }
        let isClosed = Locked(false)
        Task {
            await closing.value
            isClosed.with { $0 = true }
        }
        while !isClosed.value { await clock.advance(by: .milliseconds(100)) }
    }

    /// The link is established, and nothing crosses it.
    @Test func aDeviceThatDoesNotAnswerTheFirstRequestIsNamedInTheError() async throws {
        let rig = try await Rig(manualClock: true)
        let peripheral = try await rig.central.peripheral(of: rig.device)
        await rig.radio.injectFaults(adapterNamed: "central") { $0.link.isSilent = true }
        let isOver = Locked(false)
        let connecting = Task { () -> BluetoothError? in
            defer { isOver.with { $0 = true } }
            do throws(BluetoothError) {
                try await peripheral.connect(timeout: .seconds(3))
                return nil
            } catch { return error }
        }
        while !isOver.value { await rig.clock.advance(by: .milliseconds(100)) }
        let error = await connecting.value
        #expect(error?.code == .timeout)
        #expect(
            error?.reason
                == "the link was established, but the device did not answer the Exchange MTU Request in 3 s")
    }
}

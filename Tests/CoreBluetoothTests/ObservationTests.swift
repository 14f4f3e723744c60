import Synchronization
import Testing

@testable import CoreBluetooth

/// Key-value observing, as on Apple's systems.
@Suite(.timeLimit(.minutes(2))) struct ObservationTests {
    @Test func theStatesOfADevice() async {
        let bench = await Bench()
        await bench.find()
        let states = Mutex<[String]>([])
        let token = bench.peripheral.observe(\.state, options: [.initial, .old, .new]) { peripheral, change in
            let text = "\(change.oldValue?.word ?? "-") \(change.newValue?.word ?? "-") \(peripheral.state.word)"
            states.withLock { $0.append(text) }
        }
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        #expect(
            states.withLock { $0 } == [
                "- disconnected disconnected", "disconnected connecting connecting", "connecting connected connected",
                "connected disconnecting disconnecting", "disconnecting disconnected disconnected",
            ])
        token.invalidate()
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
        #expect(states.withLock { $0 }.count == 5)
    }

    /// Without options there is no value; a change to the same value is none; a released token ends the observation.
    @Test func otherProperties() async {
        let bench = await Bench()
        let heard = Mutex<[String]>([])
        func note(_ text: String) { heard.withLock { $0.append(text) } }
        var tokens = [
            bench.centralManager.observe(\.isScanning) { _, change in
                note("scanning \(change.newValue == nil) \(change.kind == .setting)")
            },
            bench.deviceManager.observe(\.isAdvertising, options: .new) { note("advertising \($1.newValue!)") },
        ]
        await bench.explore()
        tokens += [
            bench.peripheral.observe(\.services) { note("services \($0.services?.count ?? -1) \($1.isPrior)") },
            bench.peripheral.observe(\.name, options: .new) { note("name \($1.newValue! ?? "nil")") },
            bench.characteristic(Bench.fixed).observe(\.value, options: .new) { note("value \($1.newValue!!.count)") },
            bench.characteristic(Bench.notifying).observe(\.isNotifying) { note("notifying \($0.isNotifying) \($1)") },
        ]
        for _ in 0..<2 {
            bench.peripheral.readValue(for: bench.characteristic(Bench.fixed))
            await bench.central.log.next("value FFF1 ok")
        }
        bench.deviceManager.stopAdvertising()
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        let events = heard.withLock { $0 }.filter { !$0.hasPrefix("name") }
        #expect(
            events == [
                "scanning true true", "scanning true true", "value 20", "advertising false", "services -1 false",
            ])
        tokens = []
        bench.centralManager.scanForPeripherals(withServices: nil)
        bench.centralManager.stopScan()
        #expect(heard.withLock { $0 }.filter { !$0.hasPrefix("name") } == events)
    }
}

/// Names that programs for Apple's systems have from Foundation and Dispatch.
@Suite(.timeLimit(.minutes(2))) struct FoundationTests {
    /// Each object can be an argument of a format.
    @Test func argumentsOfFormats() async {
        let bench = await Bench()
        await bench.explore()
        let (peripheral, characteristic) = (bench.peripheral!, bench.characteristic(Bench.fixed))
        let error = CBError(.connectionTimeout) as NSError
        #expect(
            String(format: "%@|%@|%d", peripheral, peripheral.services![0], 5)
                == "\(peripheral.description)|\(peripheral.services![0].description)|5")
        #expect(String(format: "%@ %@", characteristic, characteristic.uuid) == "\(characteristic) FFF1")
        #expect(String(format: "%@", error) == error.description)
        let uuid = UUID()
        #expect(String(format: "%@ %@", uuid as NSUUID, uuid as CVarArg) == "\(uuid) \(uuid)")
        #expect(String(format: "%@ %@", NSData(data: Data([1, 2])), Data([1, 2]) as CVarArg) == "<0102> <0102>")
        #expect(String(format: "%@ %@", [characteristic.uuid], ["a": 1] as CVarArg) == "[FFF1] [\"a\": 1]")
        #expect(String(format: "%@ %@ %@", "text", "object" as NSString, NSNumber(value: 3)) == "text object 3")
        NSLog("%@ and %@", peripheral, bench.centralManager)
    }

    @Test func unitsOfTime() {
        #expect(NSEC_PER_SEC == 1000 * NSEC_PER_MSEC)
        #expect(USEC_PER_SEC * NSEC_PER_USEC == NSEC_PER_SEC)
        #expect(DispatchTime(uptimeNanoseconds: 2 * NSEC_PER_SEC).uptimeNanoseconds == 2_000_000_000)
    }
}

import CoreBluetooth
import Testing
import VirtualBluetooth

/// The radio goes and comes in the middle of each operation: first the new state is told, then the end of what was
/// pending, then that of the connection; afterwards everything works again.
@Suite(.timeLimit(.minutes(3))) struct PowerTests {
    /// What a device can be asked for, and how its end begins in the log.
    enum Question: String, CaseIterable, Sendable, CustomTestStringConvertible {
        // Characteristics are known after the exploration, and answered without the device.
        case services, included, descriptors, value, written, notifying, channel
        case descriptor = "descriptor 2901"

        var testDescription: String { rawValue }

        func ask(_ bench: Bench) {
            let peripheral = bench.peripheral!
            let service = peripheral.services![0]
            let dynamic = bench.characteristic(Bench.dynamic)
            switch self {
            case .services: peripheral.discoverServices([CBUUID(string: "FFAA")])
            case .included: peripheral.discoverIncludedServices(nil, for: service)
            case .descriptors: peripheral.discoverDescriptors(for: bench.characteristic(Bench.notifying))
            case .value: peripheral.readValue(for: dynamic)
            case .written: peripheral.writeValue(Data([1]), for: dynamic, type: .withResponse)
            case .notifying: peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
            case .channel: peripheral.openL2CAPChannel(0x80)
            case .descriptor: peripheral.readValue(for: bench.characteristic(Bench.fixed).descriptors![0])
            }
        }
    }

    @Test(arguments: Question.allCases) func aQuestionEndsAfterTheNewState(_ question: Question) async throws {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.discoverDescriptors(for: bench.characteristic(Bench.fixed))
        await bench.central.log.next("descriptors ok")
        // Nothing of the device gets through any more: whatever is asked stays open.
        await bench.fault("device") { $0.faults.isSilent = true }
        let before = bench.central.log.all.count
        question.ask(bench)
        await bench.fault("central") { $0.raiseHardwareError(code: 1) }
        await bench.central.log.next("state poweredOn")
        let heard = Array(bench.central.log.all.dropFirst(before))
        #expect(heard.first == "state resetting")
        #expect(heard.last == "state poweredOn")
        let end = try #require(heard.firstIndex { $0.hasPrefix("disconnect CBError") })
        #expect(heard.count { $0.hasPrefix("disconnect") } == 1)
        // What was known beforehand may be answered without the device; what was not ends with an error, once.
        let answers = heard.filter { $0.hasPrefix(question.rawValue) }
        #expect(answers.count == 1)
        if let place = heard.firstIndex(where: { $0.hasPrefix(question.rawValue) }) {
            #expect(place == end - 1)
            #expect(heard[place].contains("CB"), "\(heard[place])")
        }
        await bench.fault("device") { $0.faults.isSilent = false }
        await bench.connect()
    }

    @Test func aScanEndsAndCanBeBegunAgain() async {
        let bench = await Bench()
        bench.centralManager.scanForPeripherals(withServices: [CBUUID(string: "FFAA")])
        #expect(bench.centralManager.isScanning)
        await bench.fault("central") { $0.raiseHardwareError(code: 1) }
        await bench.central.log.next("state resetting")
        #expect(!bench.centralManager.isScanning)
        await bench.central.log.next("state poweredOn")
        await bench.find()
    }

    @Test func theSignalStrengthIsAnsweredOnce() async {
        let bench = await Bench()
        await bench.connect()
        bench.peripheral.readRSSI()
        await bench.fault("central") { $0.raiseHardwareError(code: 1) }
        await bench.central.log.next("disconnect CBError")
        // Answered by the controller before it failed, or not at all.
        #expect(bench.central.log.count("rssi") == 1)
        await bench.central.log.next("state poweredOn")
    }

    @Test func writesThatNobodyAcknowledgesEndWithTheConnection() async {
        let bench = await Bench()
        await bench.explore()
        let sink = bench.characteristic(Bench.sink)
        await bench.fault("device") { $0.faults.isSilent = true }
        while bench.peripheral.canSendWriteWithoutResponse {
            bench.peripheral.writeValue(Data([1]), for: sink, type: .withoutResponse)
            // As long as the radio takes them there is room; afterwards there is none.
            await Task.yield()
        }
        await bench.fault("central") { $0.raiseHardwareError(code: 1) }
        await bench.central.log.next("state resetting")
        await bench.central.log.next("disconnect CBError")
        #expect(!bench.peripheral.canSendWriteWithoutResponse)
        await bench.central.log.next("state poweredOn")
        await bench.fault("device") { $0.faults.isSilent = false }
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
        #expect(bench.peripheral.canSendWriteWithoutResponse)
    }

    @Test func advertisingAndUpdatesEndAndCanBeBegunAgain() async {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
        await bench.device.log.next("subscribed FFF4 1")
        await bench.fault("central") { $0.faults.isSilent = true }
        // Until there is no room for more.
        while bench.deviceManager.updateValue(Data([1]), for: bench.notifying, onSubscribedCentrals: nil) {
            await Task.yield()
        }
        #expect(bench.deviceManager.isAdvertising)
        await bench.fault("device") { $0.raiseHardwareError(code: 1) }
        await bench.device.log.next("state resetting")
        #expect(!bench.deviceManager.isAdvertising)
        await bench.device.log.next("state poweredOn")
        #expect(bench.notifying.subscribedCentrals?.isEmpty ?? true)
        bench.deviceManager.add(bench.published)
        await bench.device.log.next("added FFF0 ok")
        #expect(bench.deviceManager.updateValue(Data([2]), for: bench.notifying, onSubscribedCentrals: nil))
        bench.deviceManager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Bench.service]])
        await bench.device.log.next("advertising ok")
    }
}

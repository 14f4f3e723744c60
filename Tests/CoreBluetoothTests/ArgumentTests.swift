import Testing

@testable import CoreBluetooth

/// Arguments that no device accepts: they end in an error or in one line, and never end the process.
@Suite(.timeLimit(.minutes(2))) struct ArgumentTests {
    private let huge = Data(repeating: 1, count: 100_000)

    @Test func ofACentralManager() async {
        let bench = await Bench()
        await bench.find()
        let manager = bench.centralManager!
        for delay in [Double.nan, .infinity, -.infinity, -1, .greatestFiniteMagnitude] {
            manager.connect(bench.peripheral, options: [CBConnectPeripheralOptionStartDelayKey: delay])
            manager.cancelPeripheralConnection(bench.peripheral)
        }
        #expect(manager.retrievePeripherals(withIdentifiers: []).isEmpty)
        #expect(manager.retrieveConnectedPeripherals(withServices: [CBUUID()]).isEmpty)
        manager.scanForPeripherals(withServices: [], options: ["unknown": 1])
        manager.scanForPeripherals(withServices: (0..<5000).map { CBUUID(string: String(format: "%04X", $0)) })
        manager.registerForConnectionEvents(options: [.peripheralUUIDs: [UUID](), .serviceUUIDs: [CBUUID]()])
        manager.registerForConnectionEvents(options: nil)
        manager.stopScan()
        #expect(CBCentralManager.supports(CBCentralManager.Feature(rawValue: .max)) == false)
        // A cancelled attempt does not prevent the next one.
        manager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
    }

    @Test func ofAPeripheral() async {
        let bench = await Bench()
        await bench.explore()
        let (peripheral, log) = (bench.peripheral!, bench.central.log)
        let value = bench.characteristic(Bench.dynamic)
        peripheral.writeValue(huge, for: value, type: .withResponse)
        #expect(await log.next("written") == "written FFF2 CBError.invalidParameters")
        peripheral.writeValue(huge, for: bench.characteristic(Bench.sink), type: .withoutResponse)
        peripheral.writeValue(Data(), for: value, type: CBCharacteristicWriteType(rawValue: 99)!)
        #expect(peripheral.maximumWriteValueLength(for: CBCharacteristicWriteType(rawValue: -1)!) >= 20)
        for psm: CBL2CAPPSM in [0, 1, 0x7E, 0x80, .max] {
            peripheral.openL2CAPChannel(psm)
            #expect(await log.next("channel").hasPrefix("channel CBError"))
        }
        peripheral.discoverServices([])
        await log.next("services ok")
        peripheral.discoverCharacteristics([CBUUID(), CBUUID(string: "12345678")], for: peripheral.services![0])
        await log.next("characteristics ok")
        peripheral.discoverIncludedServices([], for: peripheral.services![0])
        await log.next("included ok")
        // Attributes of nobody.
        peripheral.readValue(for: CBMutableCharacteristic(type: CBUUID(), properties: [], value: nil, permissions: []))
        peripheral.readValue(for: CBMutableDescriptor(type: CBUUID(), value: nil))
        peripheral.discoverCharacteristics(nil, for: CBMutableService(type: CBUUID(), primary: true))
        peripheral.readRSSI()
        await bench.central.log.next("rssi")
    }

    @Test func ofAPeripheralManager() async {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
        await bench.device.log.next("subscribed FFF4")
        let (manager, log) = (bench.deviceManager!, bench.device.log)
        #expect(manager.updateValue(huge, for: bench.notifying, onSubscribedCentrals: nil))
        await bench.central.log.next("value FFF4 ok 0101")
        #expect(manager.updateValue(Data(), for: bench.notifying, onSubscribedCentrals: []))
        for latency in [Int.min, -1, 3, .max] {
            manager.setDesiredConnectionLatency(
                CBPeripheralManagerConnectionLatency(rawValue: latency)!, for: bench.device.centrals[0])
        }
        manager.unpublishL2CAPChannel(0)
        await log.next("unpublished")
        manager.stopAdvertising()
        for services in [0, 1, 500] {
            manager.startAdvertising([
                CBAdvertisementDataLocalNameKey: String(repeating: "é", count: 500),
                CBAdvertisementDataServiceUUIDsKey: (0..<services).map { _ in CBUUID(nsuuid: UUID()) },
            ])
            await log.next("advertising")
            manager.stopAdvertising()
        }
    }

    @Test func ofALocalService() async {
        let bench = await Bench()
        let (manager, log) = (bench.deviceManager!, bench.device.log)
        let numbers: [Any] = [
            NSNumber(value: 1e300), NSNumber(value: Double.nan), NSNumber(value: -1), NSNumber(value: UInt64.max),
        ]
        let others: [Any?] = [nil, "", huge, String(repeating: "x", count: 100_000), ["no value"], 5]
        for value in numbers.map(Optional.some) + others {
            for isConstant in [true, false] {
                let service = CBMutableService(type: CBUUID(nsuuid: UUID()), primary: true)
                let characteristic = CBMutableCharacteristic(
                    type: CBUUID(), properties: isConstant ? .read : CBCharacteristicProperties(rawValue: .max),
                    value: isConstant ? huge : nil, permissions: CBAttributePermissions(rawValue: .max))
                characteristic.descriptors = [
                    CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: value)
                ]
                service.characteristics = [characteristic, characteristic]
                manager.add(service)
                await log.next("added")
                manager.remove(service)
            }
        }
        // A service that includes itself.
        let circular = CBMutableService(type: CBUUID(nsuuid: UUID()), primary: true)
        circular.includedServices = [circular, bench.published]
        manager.add(circular)
        #expect(await log.next("added").hasSuffix("CBError.invalidParameters"))
        // More than the handles that there are.
        let large = CBMutableService(type: CBUUID(nsuuid: UUID()), primary: false)
        large.characteristics = (0..<33_000).map { _ in
            CBMutableCharacteristic(type: CBUUID(), properties: .read, value: Data(), permissions: .readable)
        }
        manager.add(large)
        #expect(await log.next("added").hasSuffix("CBError.outOfSpace"))
        manager.removeAllServices()
    }

    @Test func ofARequest() async {
        let bench = await Bench()
        await bench.explore()
        bench.device.readValue = huge
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        await bench.central.log.next("value FFF2")
        for result in [Int.min, -1, 256, .max] {
            bench.device.readResult = CBATTError.Code(rawValue: result)!
            bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
            #expect(await bench.central.log.next("value FFF2").contains("unlikelyError"))
        }
    }
}

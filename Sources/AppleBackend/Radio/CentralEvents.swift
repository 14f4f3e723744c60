import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// Receives CoreBluetooth's callbacks for a central, on the queue, and passes them to the loop in the same order.
///
/// Proof of `@unchecked Sendable`: `radio` is set before the manager is created, and then accessed on the loop only;
/// the rest is constant.
final class CentralEvents: NSObject, @unchecked Sendable {
    private let loop: RadioLoop
    weak var radio: AppleRadio?

    init(loop: RadioLoop) { self.loop = loop }

    private func post(_ body: @escaping (AppleRadio) -> Void) {
        let carried = Carried(body)
        loop.execute { [self] in if let radio { carried.value(radio) } }
    }

    /// Passes the result of a request to a device to the loop.
    private func answered(
        _ peripheral: CBPeripheral, _ question: @escaping (AppleLink) -> AppleLink.Question?, _ error: (any Error)?,
        _ answer: AppleLink.Answer = .done
    ) {
        let result: Result<AppleLink.Answer, RadioError> = error.map { .failure(RadioError($0)) } ?? .success(answer)
        post { radio in
            guard let link = radio.link(to: peripheral), let question = question(link) else { return }
            link.answered(question, result)
        }
    }
}

extension CentralEvents: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        let state = RadioState(central.state)
        post { $0.stateChanged(state) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let advertisement = AdvertisingData(coreBluetooth: advertisementData)
        let isConnectable = (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? true
        let (name, rssi) = (peripheral.name, RSSI.intValue)
        post {
            $0.heard(
                peripheral, name: name, advertisement, rssi: rssi == 127 ? nil : rssi, isConnectable: isConnectable)
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        post { $0.knownDevice(peripheral)?.didConnect() }
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        let reason = error.map { RadioError($0) } ?? .disconnected(.failedToEstablish)
        post { $0.knownDevice(peripheral)?.didFail(reason) }
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        let reason = error.map { RadioError($0) }
        post { $0.knownDevice(peripheral)?.didDisconnect(reason) }
    }
}

extension CentralEvents: CBPeripheralDelegate {
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        let name = peripheral.name
        post { radio in if let name { radio.link(to: peripheral)?.nameChanged(name) } }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        post { $0.link(to: peripheral)?.servicesChanged(invalidatedServices) }
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        answered(peripheral, { _ in .signalStrength }, error, .number(RSSI.intValue))
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        answered(peripheral, { _ in .services }, error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) { answered(peripheral, { $0.table.id(of: service).map { .included($0) } }, error) }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        answered(peripheral, { $0.table.id(of: service).map { .characteristics($0) } }, error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) { answered(peripheral, { $0.table.id(of: characteristic).map { .descriptors($0) } }, error) }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        // Copied now: the next value may replace it before the loop's turn.
        let bytes = [UInt8](characteristic.value ?? Data())
        let result: Result<[UInt8], RadioError> = error.map { .failure(RadioError($0)) } ?? .success(bytes)
        post { $0.link(to: peripheral)?.received(result, of: characteristic) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        let bytes = [UInt8](descriptorValue: descriptor.value)
        answered(peripheral, { $0.table.id(of: descriptor).map { .read($0) } }, error, .bytes(bytes))
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        answered(peripheral, { $0.table.id(of: characteristic).map { .write($0) } }, error)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        answered(peripheral, { $0.table.id(of: descriptor).map { .write($0) } }, error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) { answered(peripheral, { $0.table.id(of: characteristic).map { .notify($0) } }, error) }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        post { $0.link(to: peripheral)?.isReadyToWrite() }
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        // CoreBluetooth does not report which of several was refused: it counts as the first one requested.
        answered(peripheral, { $0.channelQuestion(channel?.psm) }, error, channel.map { .channel($0) } ?? .done)
    }
}

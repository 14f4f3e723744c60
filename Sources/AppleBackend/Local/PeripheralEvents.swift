#if os(macOS) || os(iOS) || os(visionOS) || os(Linux)
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// Receives CoreBluetooth's callbacks for a local device, on the queue, and passes them to the loop in the same order.
///
/// Proof of `@unchecked Sendable`: `device` is set before the manager is created, and then accessed on the loop only.
final class PeripheralEvents: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    private let loop: RadioLoop
    weak var device: AppleLocalDevice?

    init(loop: RadioLoop) { self.loop = loop }

    private func post(_ body: @escaping (AppleLocalDevice) -> Void) {
        let carried = Carried(body)
        loop.execute { [self] in if let device { carried.value(device) } }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        let state = RadioState(peripheral.state)
        post { $0.stateChanged(state) }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        let reason = error.map { RadioError($0) }
        post { $0.advertisingStarted(reason) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        let reason = error.map { RadioError($0) }
        post { $0.added(reason) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { post { $0.subscribed(central, to: characteristic) } }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { post { $0.unsubscribed(central, from: characteristic) } }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        post { $0.read(request) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        post { $0.write(requests) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        post { $0.isReadyToUpdate() }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        let result: Result<UInt16, RadioError> = error.map { .failure(RadioError($0)) } ?? .success(PSM)
        post { $0.channelPublished(result) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        post { device in if let channel { device.opened(channel) } }
    }
}
#endif

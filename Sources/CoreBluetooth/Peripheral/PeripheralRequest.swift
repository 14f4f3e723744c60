import BluetoothBackend
import BluetoothModel
import Foundation

/// One thing that a device was asked for: it is begun on the loop and answered on the queue, once.
///
/// `@unchecked Sendable`: it is made on the caller's thread, belongs to the loop from then on, and to the queue once
/// it is answered.
final class PeripheralRequest: @unchecked Sendable {
    enum Operation {
        case services([CBUUID]?)
        case included(CBService, AttributeID, [CBUUID]?)
        case characteristics(CBService, AttributeID, [CBUUID]?)
        case descriptors(CBCharacteristic, AttributeID)
        case read(CBCharacteristic, AttributeID)
        case readDescriptor(CBDescriptor, AttributeID)
        case write(CBCharacteristic, AttributeID, [UInt8])
        case writeDescriptor(CBDescriptor, AttributeID, [UInt8])
        case notify(CBCharacteristic, AttributeID, Bool)
        case signalStrength
        case channel(CBL2CAPPSM)
    }

    enum Answer {
        case none
        case done
        case data(Data)
        case services([RemoteService])
        case characteristics([RemoteCharacteristic])
        case descriptors([RemoteDescriptor])
        case signalStrength(Int)
        case channel(ChannelStreams)
        case failed(any Error)
    }

    let device: RemoteDevice
    let operation: Operation
    /// Whether it brings back what the last run of the program had asked for: then only a failure is told.
    let isRestoring: Bool
    private(set) var answer = Answer.none
    /// Where it stands among the unfinished ones of its device; on the loop.
    var place: Int?
    /// What the seam calls it, as long as it runs; on the loop.
    var identifier: OperationID?

    init(_ device: RemoteDevice, _ operation: Operation, isRestoring: Bool = false) {
        self.isRestoring = isRestoring
        self.device = device
        self.operation = operation
    }

    /// On the loop; only the first answer counts.
    func finish(_ answer: Answer) {
        guard case .none = self.answer else { return }
        self.answer = answer
        device.finished(self)
    }

    /// On the loop.
    func finish(_ error: RadioError) {
        switch error {
        case .disconnected, .notConnected, .radio:
            device.afterNewState { [self] in finish(.failed(error.coreBluetooth)) }
        default: finish(.failed(error.coreBluetooth))
        }
    }

    /// On the queue.
    func deliver() {
        if isRestoring, case .notify(let characteristic, _, _) = operation {
            device.peripheral?.deliverRestored(characteristic, answer)
        } else {
            device.peripheral?.deliver(operation, answer)
        }
    }
}

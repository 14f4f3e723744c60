import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// A request to a device: it is started on the loop and delivered on the queue, once.
///
/// Proof of `@unchecked Sendable`: it is created on the caller's thread, is then accessed on the loop only, and on the
/// queue only once it was answered.
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
    /// True if the request restores a subscription of the last run of the program: then only a failure is reported.
    let isRestoring: Bool
    private(set) var answer = Answer.none
    /// The index among the unfinished requests of its device. Accessed on the loop.
    var place: Int?
    /// The time at which the loop began the request. Accessed on the loop.
    var began = RadioInstant.start
    /// True after the request has ended. To be called on the loop.
    var isFinished: Bool { if case .none = answer { false } else { true } }
    /// The backend's identifier of the request while it runs. Accessed on the loop.
    var identifier: OperationID?

    init(_ device: RemoteDevice, _ operation: Operation, isRestoring: Bool = false) {
        self.isRestoring = isRestoring
        self.device = device
        self.operation = operation
    }

    /// Ends the request; only the first call has an effect. To be called on the loop.
    func finish(_ answer: Answer) {
        guard case .none = self.answer else { return }
        self.answer = answer
        device.finished(self)
    }

    /// Ends the request with an error. To be called on the loop.
    func finish(_ error: RadioError) {
        switch error {
        case .disconnected, .notConnected, .radio:
            device.afterNewState { [self] in finish(.failed(error.coreBluetooth)) }
        default: finish(.failed(error.coreBluetooth))
        }
    }

    /// Delivers the answer. Called on the queue.
    func deliver() {
        if isRestoring, case .notify(let characteristic, _, _) = operation {
            device.peripheral?.deliverRestored(characteristic, answer)
        } else {
            device.peripheral?.deliver(operation, answer)
        }
    }
}

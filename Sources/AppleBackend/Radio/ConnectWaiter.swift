import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// A caller that waits for a connection; the wait ends once.
final class ConnectWaiter: BackendOperation {
    private var completion: ((Result<any PeripheralLink, RadioError>) -> Void)?
    /// The error for the waiter once the system has stopped connecting.
    private(set) var verdict: RadioError?
    var timer: QueuedTimer?
    weak var device: AppleDevice?

    init(_ completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void) { self.completion = completion }

    var isOver: Bool { completion == nil }

    func cancel() { giveUp(.cancelled) }

    func giveUp(_ verdict: RadioError) {
        guard !isOver, self.verdict == nil else { return }
        self.verdict = verdict
        if let device { device.gaveUp(self) } else { end(.failure(verdict)) }
    }

    func end(_ result: Result<any PeripheralLink, RadioError>) {
        timer?.disarm()
        guard let completion else { return }
        self.completion = nil
        completion(verdict.map { .failure($0) } ?? result)
    }
}

import BluetoothModel
import BluetoothRuntime
import Harald

/// The actions of a central on an existing link.
extension World {
    /// Requests connection parameters, and checks that the link has them afterwards.
    func parameters(_ step: Step, _ peripheral: Peripheral) {
        let shortest = Duration.microseconds(1250 * (6 + step.amount % 40))
        let request = ConnectionParametersRequest(
            interval: shortest...(shortest + .microseconds(12_500)), latency: UInt16(step.amount % 4),
            supervisionTimeout: .seconds(3))
        operate(step, limit: .seconds(31)) { [self] _ in
            let result = try await peripheral.updateConnectionParameters(request)
            guard request.interval.contains(result.interval), result.supervisionTimeout == .seconds(3) else {
                return fail(.read, "'\(step)' requested \(request), but the result is \(result)")
            }
        }
    }

    /// Reads the physical layers and asks for others.
    func phy(_ step: Step, _ peripheral: Peripheral) {
        operate(step, limit: .seconds(16)) { [self] _ in
            let set = try await peripheral.setPHY(transmit: [.le2M, .le1M], receive: [.le2M])
            if set.receive != .le2M { fail(.read, "'\(step)' requested 2M, but the result is \(set)") }
            _ = try await peripheral.phy()
        }
    }
}

import BluetoothHCI
import BluetoothModel

extension LELink {
    /// Changes the connection parameters. A peripheral requests the change from the central, which may refuse it.
    ///
    /// A peripheral uses the link layer procedure if both sides support it, otherwise L2CAP (Core 6.0, Vol 3, Part C,
    /// 9.3.9).
    /// - Parameter completion: Called with the new parameters once they are in effect.
    package func updateParameters(
        _ request: ConnectionParametersRequest,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) {
        guard request.isValid else {
            return completion(.failure(.invalidArgument("the connection parameters are out of range")))
        }
        guard isOpen, let host else { return completion(.failure(.notConnected)) }
        let features = host.controller?.features ?? []
        if role == .central { return updateByController(request, completion: completion) }
        guard features.isSuperset(of: [.connectionParametersRequest, .peripheralInitiatedFeaturesExchange]) else {
            return updateBySignalling(request, completion: completion)
        }
        readRemoteFeatures { [self] result in
            if case .success(let features) = result, features.contains(.connectionParametersRequest) {
                updateByController(request, completion: completion)
            } else {
                updateBySignalling(request, completion: completion)
            }
        }
    }

    func updateByController(
        _ request: ConnectionParametersRequest,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) {
        let handle = handle
        run(
            procedures.parameters, .leConnectionUpdate,
            write: {
                $0.uint16(handle)
                $0.uint16(request.intervalUnits.lowerBound)
                $0.uint16(request.intervalUnits.upperBound)
                $0.uint16(request.latency)
                $0.uint16(request.timeoutUnits)
                $0.uint32(0)
            }, completion: completion)
    }

    private func updateBySignalling(
        _ request: ConnectionParametersRequest,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        procedures.parameters.run(
            // Proof of `unowned`: the queue belongs to the link, which exists while it runs its procedures.
            start: { [unowned self] in
                l2cap.signalling.requestConnectionParameters(request) { [self] result in
                    // The central accepted and will update the parameters, unless they match the request already.
                    guard case .success = result else { return refuse(result) }
                    guard request.isMet(by: parameters) else { return }
                    procedures.parameters.finish(.success(parameters))
                }
            }, completion: completion)
    }

    private func refuse(_ result: Result<Void, RadioError>) {
        if case .failure(let error) = result { procedures.parameters.finish(.failure(error)) }
    }
}

extension ConnectionParametersRequest {
    /// Returns true if the parameters of a link satisfy the request.
    func isMet(by parameters: ConnectionParameters) -> Bool {
        intervalUnits.contains(parameters.intervalUnits) && latency == parameters.latency
            && timeoutUnits == parameters.timeoutUnits
    }
}
